"""Ticking the sweep: every worker does, so that none is special."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from datetime import timedelta

from tenure import _calls
from tenure.worker._link import REFUSED, Link, UnavailableError
from tenure.worker._settings import Settings

log = logging.getLogger(__name__)


def poll_pause(settings: Settings) -> float:
    """A random point of the poll interval: of [100 ms, 1 s) when it is the default second."""
    return settings.poll_interval * random.uniform(0.1, 1.0)  # noqa: S311


class Sweeps:
    """Calls `sweep` once a poll interval, and again at once while a pass reaches its limit."""

    def __init__(self, settings: Settings, link: Link, *, moved: Callable[[], None]) -> None:
        """`moved` is called when steps may have become due."""
        self._settings = settings
        self._link = link
        self._moved = moved

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            await asyncio.sleep(poll_pause(self._settings))
            while await self._tick():
                pass

    async def _tick(self) -> bool:
        """One pass; whether the next is to follow at once."""
        try:
            report = await self._link.call(_calls.sweep())
        except (UnavailableError, *REFUSED) as error:
            # The next tick is the retry; any other sweeper does as well.
            log.warning("no sweep: %s", error)
            return False
        if report.reclaimed or report.timed_out or report.woken:
            self._moved()
        return report.next_due_in is not None and report.next_due_in <= timedelta(0)
