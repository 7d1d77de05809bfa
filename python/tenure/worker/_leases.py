"""What this worker holds: one lease for each execution that it claimed and has not settled."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tenure._rows import Claimed
from tenure.worker._budget import Budget, reserve_of

Key = tuple[int, int]
"""Step and generation: an old execution of a step may still run while a new one begins."""


@dataclass(slots=True, eq=False)
class Lease:
    """One execution, from its claim until its report is settled. Instants are monotonic."""

    step_id: int
    run_id: int
    generation: int
    name: str
    attempt: int
    budget: Budget
    blocks_retry: bool
    """`on_timeout = wait`: past its limit the lease is renewed until the handler has returned."""
    ttl: float
    renewed_at: float
    """When the last claim or heartbeat that succeeded was sent."""
    is_last: bool = False
    """Its attempt is the last of `max_attempts`."""
    beat_at: float = 0.0
    over: bool = False
    """The lease has ended, by the database's word or by our own clock: there is nothing to renew."""
    reported: bool = False
    """The handler has ended, or its own open transaction holds its report: nothing is left to fence."""
    held_since: float = field(default_factory=time.monotonic)
    settled_at: float | None = None
    verdict: str | None = None
    """What the database has answered to its report, or why nothing is reported."""
    proof: str | None = None
    """How it is known that nothing of the execution runs any more: `returned` or `process ended`."""
    stack: str | None = None
    """Where its thread was when it was given up."""
    strays: list[int] = field(default_factory=list)
    """Processes that it started and that have left its reach."""

    @property
    def key(self) -> Key:
        return (self.step_id, self.generation)

    @property
    def ends_at(self) -> float:
        """Before that the database hands the step to nobody: it counts from later than we do."""
        return self.renewed_at + self.ttl

    @property
    def fence_at(self) -> float:
        """When the handler is stopped unless somebody renews it: so early that it is over by the end."""
        return self.ends_at - reserve_of(self.ttl)

    @classmethod
    def of(cls, claimed: Claimed, sent_at: float, ttl: float) -> Lease:
        """The lease of a claimed step."""
        left = claimed.time_left
        return cls(
            step_id=claimed.step_id,
            run_id=claimed.run_id,
            generation=claimed.generation,
            name=claimed.name,
            attempt=claimed.attempt,
            budget=Budget.of(sent_at, None if left is None else left.total_seconds()),
            blocks_retry=claimed.on_timeout == "wait",
            ttl=ttl,
            renewed_at=sent_at,
            is_last=claimed.attempt >= claimed.max_attempts,
        )


class Leases:
    """The leases held, by step and generation."""

    def __init__(self) -> None:
        self._held: dict[Key, Lease] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._held.values()))

    def get(self, step_id: int, generation: int) -> Lease | None:
        """The lease, unless it was let go."""
        return self._held.get((step_id, generation))

    def add(self, lease: Lease) -> None:
        """Hold a new one."""
        self._held[lease.key] = lease

    def drop(self, lease: Lease) -> None:
        """Let it go: settled, or not ours any more."""
        lease.over = True
        self._held.pop(lease.key, None)
