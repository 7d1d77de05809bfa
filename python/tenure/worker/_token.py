"""Whether, and why, a handler is to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

Reason = Literal["timed_out", "cancelled", "lease_lost", "shutdown"]

FINAL: frozenset[Reason] = frozenset({"cancelled", "lease_lost"})
"""The database has ended the execution: whatever its handler does, there is nothing to report."""


_TURN = threading.Lock()
"""One for all tokens: they are set seldom, and making one costs more than all the rest of a token."""


class Token:
    """Set by the worker, from any thread; handlers see it through `ctx.cancelled` and `ctx.reason`."""

    __slots__ = ("_waiters", "reason")

    def __init__(self) -> None:
        self.reason: Reason | None = None
        self._waiters: list[Callable[[], None]] = []

    def set(self, reason: Reason) -> None:
        """Set the reason, unless one is set; but the database's word beats the worker's own reasons."""
        with _TURN:
            if self.reason is not None and reason not in FINAL:
                return
            self.reason = reason
            waiters, self._waiters = self._waiters, []
        for tell in waiters:
            tell()

    def add(self, tell: Callable[[], None]) -> None:
        """Have `tell` called once when a reason is set, in the thread that sets it, or now when one is."""
        with _TURN:
            if self.reason is None:
                self._waiters.append(tell)
                return
        tell()

    def forget(self, tell: Callable[[], None]) -> None:
        """Whoever waited has given up."""
        with _TURN:
            if tell in self._waiters:
                self._waiters.remove(tell)
