"""One timer for all cutoffs."""

from __future__ import annotations

import asyncio

from tenure.worker._execution import Execution
from tenure.worker._schedule import Schedule


class Limits:
    """Tells executions whose normal time is over to stop."""

    def __init__(self) -> None:
        self._schedule = Schedule[Execution](lambda _, execution: not execution.ended)
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, execution: Execution) -> None:
        """Stop it at its cutoff, if it has one and is still running then."""
        cutoff_at = execution.budget.cutoff_at
        if cutoff_at is not None and self._schedule.add(cutoff_at, execution):
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        first = self._schedule.first()
        if first is not None:
            self._timer = asyncio.get_running_loop().call_at(first, self._ring)

    def _ring(self) -> None:
        now = asyncio.get_running_loop().time()
        while execution := self._schedule.pop(now):
            execution.stop("timed_out")
        self._arm()
