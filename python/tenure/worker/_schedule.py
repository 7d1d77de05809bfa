"""What is due when: a heap that forgets what nobody waits for any more."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

SMALL = 1024
"""Entries below which nothing is tidied up."""


class Schedule(Generic[T]):
    """Items by the instant at which they are due."""

    def __init__(self, live: Callable[[float, T], bool]) -> None:
        """`live` says whether an item, due at an instant, still is to be looked at then.

        What is not is dropped: steps end in milliseconds and their limits may be hours away.
        """
        self._live = live
        self._heap: list[tuple[float, int, T]] = []
        self._order = itertools.count()
        self._tidy_at = SMALL

    def add(self, due: float, item: T) -> bool:
        """Note when an item is due; answers whether it is the first of all now."""
        if len(self._heap) >= self._tidy_at:
            self._heap = [entry for entry in self._heap if self._live(entry[0], entry[2])]
            heapq.heapify(self._heap)
            self._tidy_at = max(SMALL, 2 * len(self._heap))
        entry = (due, next(self._order), item)
        heapq.heappush(self._heap, entry)
        return self._heap[0] is entry

    def first(self) -> float | None:
        """When the first item is due; None: there is none."""
        while self._heap and not self._live(self._heap[0][0], self._heap[0][2]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop(self, until: float) -> T | None:
        """Take the first item that is due by then; None: there is none."""
        due = self.first()
        return heapq.heappop(self._heap)[2] if due is not None and due <= until else None

    def __len__(self) -> int:
        return len(self._heap)
