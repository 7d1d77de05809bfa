"""The worker's own clock over the leases that it holds."""

from __future__ import annotations

import asyncio

from tenure.worker._budget import Budget
from tenure.worker._fence import Fence
from tenure.worker._leases import Lease


def lease(step_id: int, renewed_at: float) -> Lease:
    return Lease(
        step_id=step_id,
        run_id=step_id,
        generation=1,
        name="x",
        attempt=1,
        budget=Budget.of(0.0, None),
        blocks_retry=False,
        ttl=8.0,
        renewed_at=renewed_at,
    )


class Fenced:
    """A fence for leases of 8 seconds, and whom it has stopped."""

    def __init__(self) -> None:
        self.stopped: list[tuple[int, float]] = []
        self.fence = Fence(lambda lease: self.stopped.append((lease.step_id, lease.ends_at)))


def test_a_handler_is_stopped_a_reserve_before_its_lease_ends() -> None:
    """R-302: a lease of eight seconds has a reserve of one."""

    async def scene() -> None:
        fenced, held = Fenced(), lease(1, 100.0)
        fenced.fence.hold(held)
        fenced.fence.look(106.99)
        assert (fenced.stopped, held.over) == ([], False)
        fenced.fence.look(107.0)
        assert (fenced.stopped, held.over) == ([(1, 108.0)], True)
        fenced.fence.look(200.0)
        assert fenced.stopped == [(1, 108.0)]

    asyncio.run(scene())


def test_it_counts_from_when_the_last_heartbeat_that_succeeded_was_sent() -> None:
    """R-302."""

    async def scene() -> None:
        fenced, held = Fenced(), lease(1, 100.0)
        fenced.fence.hold(held)
        held.renewed_at = 103.0
        fenced.fence.look(109.99)
        assert fenced.stopped == []
        fenced.fence.look(110.0)
        assert fenced.stopped == [(1, 111.0)]

    asyncio.run(scene())


def test_a_handler_that_has_ended_or_whose_transaction_holds_its_report_is_left_alone() -> None:
    """R-303: the row's lock keeps the sweep off, and reports are sent until they are answered."""

    async def scene() -> None:
        fenced, reported, over, running = Fenced(), lease(1, 100.0), lease(2, 100.0), lease(3, 100.0)
        for held in (reported, over, running):
            fenced.fence.hold(held)
        reported.reported = True
        over.over = True
        fenced.fence.look(1000.0)
        assert fenced.stopped == [(3, 108.0)]
        assert not reported.over

    asyncio.run(scene())
