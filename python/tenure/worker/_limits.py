"""One timer for all limits."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time

from tenure.worker._execution import Execution


class Limits:
    """Stops executions whose time is over."""

    def __init__(self) -> None:
        self._order = itertools.count()
        self._heap: list[tuple[float, int, Execution]] = []
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, execution: Execution) -> None:
        """Stop it at its limit, if it has one and is still running then."""
        if execution.limit_at is None:
            return
        heapq.heappush(self._heap, (execution.limit_at, next(self._order), execution))
        if self._heap[0][2] is execution:
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._heap:
            delay = max(0.0, self._heap[0][0] - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay, self._ring)

    def _ring(self) -> None:
        now = time.monotonic()
        while self._heap and (self._heap[0][0] <= now or self._heap[0][2].ended):
            execution = heapq.heappop(self._heap)[2]
            if not execution.ended:
                execution.stop("timed_out")
        self._arm()
