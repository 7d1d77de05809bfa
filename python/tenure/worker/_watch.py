"""The leases of what runs in a handler process, as that process watches them itself.

The supervisor fences first, for it knows more. But one that stands still, stopped by a signal or kept from
the processor, tells nobody anything, and its leases end all the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from tenure.worker._leases import Key
from tenure.worker._wire import Message

SUPERVISOR_FIRST = 0.1
"""Seconds after the end of a lease that the supervisor has to kill what still runs: it can say more of it."""


class Term(NamedTuple):
    """The instants of a lease, as the supervisor sends them; each renewal brings others."""

    fence_at: float
    """When it is given up, if nobody has renewed it."""
    until: float
    """By when whoever is told so is to be over."""
    ends_at: float
    """Before that the database hands its step to nobody."""


class Watch:
    """For the thread that reads from the supervisor: whatever it has said is known before it is missed."""

    def __init__(self, expired: Callable[[], None]) -> None:
        """`expired` is called when something still runs although its lease has ended."""
        self._expired = expired
        self._turn = threading.Lock()
        self._cutoffs: dict[Key, float] = {}
        self._drops: dict[Key, float] = {}
        self._held: dict[Key, Term] = {}
        self._given_up: dict[Key, Term] = {}
        self._next = float("inf")

    def hold(self, key: Key, term: Term, cutoff_at: float | None) -> None:
        """Watch a lease from now on, and the normal cutoff of its delivery, where that has one."""
        with self._turn:
            self._held[key] = term
            self._next = min(self._next, term.fence_at)
            if cutoff_at is not None:
                self._cutoffs[key] = cutoff_at
                self._next = min(self._next, cutoff_at)

    def drop(self, key: Key, at: float) -> None:
        """Watch for the instant, or an earlier one, at which the delivery is dropped."""
        with self._turn:
            if key in self._held or key in self._given_up:
                self._drops[key] = min(at, self._drops.get(key, at))
                self._next = min(self._next, at)

    def renew(self, key: Key, term: Term) -> None:
        """It was renewed. One that was given up stays so: its handler has been told."""
        with self._turn:
            if key in self._held:
                self._held[key] = term

    def let_go(self, key: Key) -> None:
        """Nothing runs under it any more; from any thread."""
        with self._turn:
            for watched in (self._cutoffs, self._drops, self._held, self._given_up):
                watched.pop(key, None)

    def rest(self, now: float) -> float | None:
        """Seconds until it is to look again; None: there is nothing to watch."""
        return None if self._next == float("inf") else max(0.0, self._next - now)

    def look(self, now: float) -> list[Message]:
        """What the supervisor should have said by now; `cutoff` and `drop` where these instants have come."""
        with self._turn:
            due = [["cutoff", *key] for key in _take(self._cutoffs, now)]
            due += [["drop", *key] for key in _take(self._drops, now)]
            for key in [key for key, term in self._held.items() if term.fence_at <= now]:
                term = self._given_up[key] = self._held.pop(key)
                due.append(["cancel", *key, "lease_lost", term.until])
            over_at = [term.ends_at + SUPERVISOR_FIRST for term in self._given_up.values()]
            coming = [*self._cutoffs.values(), *self._drops.values()]
            coming += [term.fence_at for term in self._held.values()]
            coming += [at for at in over_at if at > now]
            self._next = min(coming, default=float("inf"))
        if any(at <= now for at in over_at):
            self._expired()
        return due


def _take(instants: dict[Key, float], now: float) -> list[Key]:
    """Take those that have come."""
    due = [key for key, at in instants.items() if at <= now]
    for key in due:
        del instants[key]
    return due
