"""Telling the database that this worker lives, and whether the next enqueue is to wake it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from tenure import _calls
from tenure.worker._link import REFUSED, Link, UnavailableError
from tenure.worker._settings import Settings

log = logging.getLogger(__name__)

EVERY = 5.0
"""Seconds between two hellos; one holds for fifteen."""


class Hello:
    """Says hello when something changed, and now and then.

    One hello that says `idle` buys one notification, so it is said again after each, and it is said only
    while somebody listens: a notification to nobody would be missed by another idle worker.
    """

    def __init__(self, settings: Settings, link: Link, *, unheard: Callable[[], None]) -> None:
        """`unheard` is called when a hello did not get through, and with it perhaps a notification."""
        self._settings = settings
        self._link = link
        self._unheard = unheard
        self._turn = asyncio.Lock()
        self._said_at = -EVERY
        self._waits = False
        self._told_idle = False
        self.listening = False
        """Whether notifications would be heard."""

    @property
    def waits(self) -> bool:
        """Whether the database believes that this worker waits to be woken."""
        return self._waits

    @property
    def told_idle(self) -> bool:
        """What was said last, whether or not that has bought a notification since."""
        return self._told_idle

    def woken(self) -> None:
        """A notification came: the next one must be bought anew."""
        self._waits = False

    async def say(self, *, idle: bool) -> str:
        """Say it now; answers the channel on which this worker is woken."""
        async with self._turn:
            return await self._say(idle=idle)

    async def _say(self, *, idle: bool) -> str:
        settings = self._settings
        info = {"concurrency": settings.concurrency, "app": settings.app}
        call = _calls.worker_hello(settings.owner, settings.queues, idle=idle, info=info)
        # Before the call: a notification that comes while it is under way counts as the one just bought.
        self._waits = idle
        try:
            channel = await self._link.call(call)
        except (UnavailableError, *REFUSED):
            self._waits = False
            raise
        self._said_at, self._told_idle = time.monotonic(), idle
        return channel

    async def run(self) -> None:
        """Repeat it until cancelled, so that it does not expire."""
        while True:
            await asyncio.sleep(max(0.0, self._said_at + EVERY - time.monotonic()))
            try:
                async with self._turn:
                    await self._say(idle=self._waits)
            except (UnavailableError, *REFUSED) as error:
                log.warning("no hello: %s", error)
                self._unheard()
                await asyncio.sleep(1.0)
