"""The time of one delivery: two instants and what lies between them.

::

    claim sent ----- normal pipeline ----- P ----- shared reserve ----- H

H, the hard cutoff, is the database's limit. P, the normal cutoff, lies the reserve before it. Cooperation,
cleanup and, for a process, its killing share the reserve; nobody gets a budget of its own.

Instants are those of the monotonic clock, which is the machine's: the same in all processes, and no jump.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

RESERVE_SHARE = 4
"""One part in so many of the time at the start is the reserve."""

RESERVE_MOST = 1.0
"""Seconds; also the reserve of a delivery without a limit, counted from its cancel."""

COOPERATION = 0.25
"""Seconds that a pipeline is polled on at most after it was told to stop."""

COOPERATION_SHARE = 2
"""One part in so many of what remains: the rest is for cleanup, should it not cooperate."""

KILL_SHARE = 4
"""One part in so many of the reserve is kept to end a process by signals once its cleanup is over."""

MARGIN = 2.0
"""Seconds after its end for which a delivery is waited for before it is asked after, and as many again, on a
loop that runs, before that is answered."""


def reserve_of(seconds: float) -> float:
    """The reserve of a delivery that has so much time at its start."""
    return min(seconds / RESERVE_SHARE, RESERVE_MOST)


def heard_until(now: float, end: float) -> float:
    """Until when what a pipeline says counts that is told to stop now and must be over at the end."""
    return now + min(COOPERATION, (end - now) / COOPERATION_SHARE)


@dataclass(frozen=True, slots=True)
class Budget:
    """The instants of one delivery; None where it has no limit."""

    cutoff_at: float | None
    limit_at: float | None
    reserve: float

    @classmethod
    def of(cls, sent_at: float, time_left: float | None) -> Budget:
        """The budget of a step whose claim was sent at an instant and told how many seconds are left.

        It counts from before the claim was sent: the database began to count later than that, so the worker
        never thinks that it has more time than it has.
        """
        if time_left is None:
            return cls(None, None, RESERVE_MOST)
        limit_at, reserve = sent_at + time_left, reserve_of(time_left)
        return cls(limit_at - reserve, limit_at, reserve)

    def heard_until(self) -> float:
        """Until when what the pipeline says counts, if nothing but the limit tells it to stop."""
        if self.cutoff_at is None or self.limit_at is None:
            return math.inf
        return heard_until(self.cutoff_at, self.limit_at)

    def until(self, now: float) -> float:
        """The instant by which a delivery that is told to stop at `now` must be over."""
        end = now + self.reserve
        return end if self.limit_at is None else min(end, self.limit_at)

    def killing(self) -> float:
        """Seconds at the end of the reserve that are kept to end a process by signals."""
        return self.reserve / KILL_SHARE

    def inside(self) -> Budget:
        """The same delivery as its own process is told of it: without the part that is for killing it."""
        kept = self.killing()
        limit_at = None if self.limit_at is None else self.limit_at - kept
        return Budget(self.cutoff_at, limit_at, self.reserve - kept)
