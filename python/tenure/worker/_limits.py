"""One timer for all limits."""

from __future__ import annotations

import asyncio
import time

from tenure.worker._execution import Execution
from tenure.worker._schedule import Schedule


class Limits:
    """Stops executions whose time is over."""

    def __init__(self) -> None:
        self._schedule = Schedule[Execution](lambda _, execution: not execution.ended)
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, execution: Execution) -> None:
        """Stop it at its limit, if it has one and is still running then."""
        if execution.limit_at is not None and self._schedule.add(execution.limit_at, execution):
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        first = self._schedule.first()
        if first is not None:
            delay = max(0.0, first - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay, self._ring)

    def _ring(self) -> None:
        now = time.monotonic()
        while execution := self._schedule.pop(now):
            execution.stop("timed_out")
        self._arm()
