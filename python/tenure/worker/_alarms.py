"""One timer of the loop for many instants."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from tenure.worker._schedule import Schedule

T = TypeVar("T")


class Alarms(Generic[T]):
    """Rings for items when their instants have come, as far as somebody still waits for that."""

    def __init__(self, live: Callable[[float, T], bool], ring: Callable[[T], object]) -> None:
        """`live` is `Schedule`'s."""
        self._schedule = Schedule[T](live)
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: float, item: T) -> None:
        """Ring for it at an instant of the loop."""
        if self._schedule.add(at, item):
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        first = self._schedule.first()
        if first is not None:
            self._timer = asyncio.get_running_loop().call_at(first, self._ring_due)

    def _ring_due(self) -> None:
        now = asyncio.get_running_loop().time()
        while (item := self._schedule.pop(now)) is not None:
            self._ring(item)
        self._arm()
