"""Two dangers of a queue in PostgreSQL: an old snapshot that stays, a transaction that commits late."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack

from tests.bench import ours
from tests.bench.chunks import Chunk, measure
from tests.bench.figure import Figure, median_ratio
from tests.bench.server import Bench

CHUNK = 10_000
SWEEPS = 20
LATE = 5.0  # seconds
GIVE_UP = 60.0  # seconds: a step that is not claimed by then is lost
TICK = 1_000.0  # milliseconds: the longest poll interval of a worker as it comes


class _Side:
    """One database of the two that are compared: who enqueues, and who claims and is measured."""

    def __init__(self, bench: Bench, stack: ExitStack) -> None:
        self.database = stack.enter_context(bench.engine())
        self._client = stack.enter_context(bench.connect(self.database))
        self._worker = stack.enter_context(bench.connect(self.database))
        # Plans and caches first: the chunk after this is the one that the others are compared with.
        self.chunk()

    def chunk(self) -> Chunk:
        """Enqueue and drain; the worker's part of it."""
        ours.enqueue(self._client, CHUNK)
        chunk = measure(self._worker, lambda: ours.drain(self._worker))
        self._worker.execute("select tenure.sweep()")
        return chunk

    def sweep(self) -> float:
        """The microseconds of a sweep that finds nothing to do."""
        return statistics.median(measure(self._worker, self._sweep).cost for _ in range(SWEEPS))

    def _sweep(self) -> int:
        self._worker.execute("select tenure.sweep()")
        return 1


def held(bench: Bench) -> Iterator[Figure]:
    """Claim and complete 200,000 steps while an old snapshot keeps every dead entry, beside none."""
    with ExitStack() as stack:
        held_side, free_side = _Side(bench, stack), _Side(bench, stack)
        holder = stack.enter_context(bench.connect(held_side.database))
        holder.execute("begin isolation level repeatable read")
        holder.execute("select count(*) from tenure_private.step")
        pairs = [(held_side.chunk(), free_side.chunk()) for _ in range(5 if bench.quick else 20)]
        sweeps = held_side.sweep(), free_side.sweep()
        holder.execute("rollback")
    costs = [(with_it.cost, without.cost) for with_it, without in pairs]
    first = costs[0][0]
    last = costs[-max(1, len(costs) // 4) :]
    for which, part in ((f"{len(costs) * CHUNK:,} steps", costs), ("the last quarter of them", last)):
        cost = statistics.median(with_it for with_it, _ in part)
        yield Figure(
            part="held",
            name=f"CPU under a held snapshot over {which}, beside the first {CHUNK:,}",
            value=cost,
            unit="µs a step",
            yardstick=first,
            ratio=cost / first,
            most=1.3,
        )
    yield Figure(
        part="held",
        name="the last quarter of them, beside the same without the snapshot",
        value=statistics.median(with_it for with_it, _ in last),
        unit="µs a step",
        yardstick=statistics.median(without for _, without in last),
        ratio=median_ratio(last),
    )
    yield Figure(
        part="held",
        name="a sweep after them, beside the same without the snapshot",
        value=sweeps[0],
        unit="µs",
        yardstick=sweeps[1],
        ratio=sweeps[0] / sweeps[1],
    )


def late(bench: Bench) -> Iterator[Figure]:
    """A transaction enqueues, stays open for five seconds of traffic that raises the head, and commits."""
    with (
        bench.engine() as name,
        bench.connect(name) as business,
        bench.connect(name) as worker,
    ):
        business.execute("begin")
        row = business.execute("select tenure.enqueue('noop')").fetchone()
        assert row is not None
        until = time.monotonic() + LATE
        passed = 0
        while time.monotonic() < until:
            ours.enqueue(worker, ours.CALL)
            passed += ours.drain(worker)
        business.execute("commit")
        committed = time.monotonic()
        claims = 1
        while row[0] not in [step_id for step_id, _ in ours.claim(worker)]:
            if time.monotonic() - committed > GIVE_UP:
                break
            claims += 1
            ours.enqueue(worker, ours.CALL)
        waited = (time.monotonic() - committed) * 1e3
    yield Figure(
        part="late",
        name=f"a commit {LATE:g} s late, {passed:,} steps of its name after it, is claimed",
        value=waited,
        unit="ms",
        most=TICK,
    )
    yield Figure(
        part="late", name="the same, in claims after the commit", value=claims, unit="claims", most=1
    )
