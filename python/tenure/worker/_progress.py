"""Progress that handlers report while they run."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from tenure import _calls
from tenure.worker._bell import Bell
from tenure.worker._leases import Key, Lease, Leases
from tenure.worker._link import REFUSED, Backoff, BlockedError, Link, UnavailableError
from tenure.worker._settings import Settings

log = logging.getLogger(__name__)

SPACING = 0.25
"""Seconds between two progress reports of one execution; in between only the newest is kept."""


class Progress:
    """Sends the newest progress of each execution with a heartbeat of its own, soon and not too often."""

    def __init__(
        self, settings: Settings, leases: Leases, link: Link, *, judge: Callable[[Lease, str, float], None]
    ) -> None:
        """`judge` gets the heartbeats' verdicts, and when they were sent."""
        self._owner = settings.owner
        self._leases = leases
        self._link = link
        self._judge = judge
        self._news: dict[Key, str] = {}
        self._sent_at: dict[Key, float] = {}
        self._bell = Bell()

    def add(self, step_id: int, generation: int, text: str) -> None:
        """Keep the newest."""
        self._news[step_id, generation] = text
        self._bell.ring()

    async def run(self) -> None:
        """Send until cancelled."""
        backoff = Backoff()
        while True:
            if not self._news:
                await self._bell.wait(None)
            try:
                await self._send_due()
            except UnavailableError as error:
                log.warning("progress waits: %s", error)
                await asyncio.sleep(backoff.pause())
            else:
                backoff.reset()
                await self._bell.wait(SPACING / 5)

    async def _send_due(self) -> None:
        now = time.monotonic()
        self._sent_at = {key: at for key, at in self._sent_at.items() if now - at < SPACING}
        for key in [key for key in self._news if key not in self._sent_at]:
            lease = self._leases.get(*key)
            text = self._news.pop(key)
            if lease is not None and not lease.over:
                await self._send(lease, text)

    async def _send(self, lease: Lease, text: str) -> None:
        call = _calls.heartbeat(lease.step_id, self._owner, lease.generation, text)
        sent_at = time.monotonic()
        try:
            answer = await self._link.call(call)
        except REFUSED as error:
            log.warning("step %d: its progress was refused: %s", lease.step_id, error)
            return
        except UnavailableError as error:
            # Unless there is something newer by now, it is to be sent again.
            self._news.setdefault(lease.key, text)
            if not isinstance(error, BlockedError):
                raise
            self._sent_at[lease.key] = time.monotonic()
            return
        self._sent_at[lease.key] = time.monotonic()
        if not lease.over:
            self._judge(lease, answer.verdict, sent_at)
