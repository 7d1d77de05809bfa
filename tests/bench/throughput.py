"""How fast steps come in and go through, beside the bare hot path."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from tests.bench import ours
from tests.bench.chunks import Chunk, alternate, measure
from tests.bench.figure import Figure, median_ratio
from tests.bench.server import Bench

CHUNK = 10_000


def claim_complete(bench: Bench) -> Iterator[Figure]:
    """Claim and complete in batches of 100 on one connection."""
    with (
        bench.engine() as engine,
        bench.bare() as bare,
        bench.connect(engine) as ours_conn,
        bench.connect(bare) as bare_conn,
    ):

        def drain() -> Chunk:
            ours.enqueue(ours_conn, CHUNK)
            return measure(ours_conn, lambda: ours.drain(ours_conn))

        def drain_bare() -> Chunk:
            ours.enqueue_bare(bare_conn, CHUNK)
            return measure(bare_conn, lambda: ours.drain_bare(bare_conn))

        pairs = alternate(drain, drain_bare, pairs=6 if bench.quick else 30)
    yield _rate("claim+complete", pairs, name="claim and complete, batches of 100", least=0.75)
    yield _cost("claim+complete", pairs, name="claim and complete, backend CPU")


def enqueue(bench: Bench) -> Iterator[Figure]:
    """Enqueue a thousand steps a call."""
    with (
        bench.engine() as engine,
        bench.bare() as bare,
        bench.connect(engine) as ours_conn,
        bench.connect(bare) as bare_conn,
    ):
        pairs = alternate(
            lambda: measure(ours_conn, lambda: ours.enqueue(ours_conn, CHUNK)),
            lambda: measure(bare_conn, lambda: ours.enqueue_bare(bare_conn, CHUNK)),
            pairs=6 if bench.quick else 30,
        )
    rate = statistics.median(first.rate for first, _ in pairs)
    yield Figure(part="enqueue", name="enqueue_many, 1,000 a call", value=rate, unit="steps/s", least=80_000)
    yield _rate("enqueue", pairs, name="the same beside a bare insert")
    yield _cost("enqueue", pairs, name="enqueue_many, backend CPU")


def _rate(
    part: str, pairs: Sequence[tuple[Chunk, Chunk]], *, name: str, least: float | None = None
) -> Figure:
    return Figure(
        part=part,
        name=name,
        value=statistics.median(first.rate for first, _ in pairs),
        unit="steps/s",
        yardstick=statistics.median(second.rate for _, second in pairs),
        ratio=median_ratio([(first.rate, second.rate) for first, second in pairs]),
        least=least,
    )


def _cost(part: str, pairs: Sequence[tuple[Chunk, Chunk]], *, name: str) -> Figure:
    return Figure(
        part=part,
        name=name,
        value=statistics.median(first.cost for first, _ in pairs),
        unit="µs a step",
        yardstick=statistics.median(second.cost for _, second in pairs),
        ratio=median_ratio([(first.cost, second.cost) for first, second in pairs]),
    )
