"""What this worker holds: one lease for each execution that it claimed and has not settled."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tenure._rows import Claimed

Key = tuple[int, int]
"""Step and generation: an old execution of a step may still run while a new one begins."""


@dataclass(slots=True, eq=False)
class Lease:
    """One execution, from its claim until its report is settled. Instants are monotonic."""

    step_id: int
    generation: int
    name: str
    limit_at: float | None
    """When the time of this execution is over, as the claim told; None: no limit."""
    blocks_retry: bool
    """`on_timeout = wait`: past its limit the lease is renewed until the handler has returned."""
    beat_at: float = 0.0
    over: bool = False
    """The database told that the lease has ended: there is nothing to renew."""
    held_since: float = field(default_factory=time.monotonic)

    @property
    def key(self) -> Key:
        return (self.step_id, self.generation)

    @classmethod
    def of(cls, claimed: Claimed, sent_at: float) -> Lease:
        """The lease of a claimed step.

        The limit counts from before the claim was sent: the database started counting later than that, so
        the worker never thinks that it has more time than it has.
        """
        left = claimed.time_left
        return cls(
            step_id=claimed.step_id,
            generation=claimed.generation,
            name=claimed.name,
            limit_at=None if left is None else sent_at + left.total_seconds(),
            blocks_retry=claimed.on_timeout == "wait",
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
