"""What quotas and policy layers cost those who use them, and those who do not."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from tests.bench import ours
from tests.bench.chunks import Chunk, Conn, alternate, measure
from tests.bench.figure import Figure, median_ratio
from tests.bench.server import Bench
from tests.support import repository

CHUNK = 10_000
BACKLOG = 100_000
CAPACITY = 1_000
DEEP = [{"timeout": "1 h"}, {"retry": {"attempts": 3}}]


def policies(bench: Bench) -> Iterator[Figure]:
    """Claim and complete in batches of 100: plain steps, steps under a quota, children with layers."""
    with ExitStack() as stack:
        plain, crowded, limited, deep, flat = (
            stack.enter_context(bench.connect(stack.enter_context(bench.engine()))) for _ in range(5)
        )
        older = stack.enter_context(bench.connect(stack.enter_context(bench.database())))
        older.execute(repository.released(repository.PREVIOUS))
        _limit(crowded, "over", 0)
        ours.enqueue(crowded, BACKLOG, batch=ours.steps(name="over"))
        _limit(limited, "noop", CAPACITY)
        _define(deep, DEEP)
        _define(flat, [])
        pairs = 4 if bench.quick else 10
        alone = _drained(plain)
        yield _beside(
            f"plain steps, beside those of {repository.PREVIOUS}", alone, _drained(older), 3 * pairs
        )
        yield _beside(f"plain steps behind {BACKLOG:,} over their quota", _drained(crowded), alone, pairs)
        yield _beside("steps under a quota, beside plain ones", _drained(limited), alone, pairs)
        yield _beside("children with two layers, beside none", _mapped(deep), _mapped(flat), pairs)


def _beside(name: str, first: Callable[[], Chunk], second: Callable[[], Chunk], pairs: int) -> Figure:
    costs = [(one.cost, other.cost) for one, other in alternate(first, second, pairs=pairs)]
    return Figure(
        part="policies",
        name=f"claim and complete, backend CPU: {name}",
        value=statistics.median(one for one, _ in costs),
        unit="µs a step",
        yardstick=statistics.median(other for _, other in costs),
        ratio=median_ratio(costs),
    )


def _limit(conn: Conn, name: str, capacity: int) -> None:
    """Put the steps of a name under a quota."""
    conn.execute("select tenure.set_quota('bench', 1)")
    conn.execute("select tenure.define_step(%s, quota => 'bench')", (name,))
    conn.execute("select tenure.set_quota('bench', %s)", (capacity,))


def _define(conn: Conn, policy: Sequence[object]) -> None:
    """Define a workflow of one map, whose elements have this policy."""
    node = {"name": "noop", "map": "items", "policy": list(policy)}
    conn.execute("select tenure.define_workflow('bench', %s::jsonb)", (json.dumps({"nodes": [node]}),))


def _drained(conn: Conn) -> Callable[[], Chunk]:
    def chunk() -> Chunk:
        ours.enqueue(conn, CHUNK)
        return measure(conn, lambda: ours.drain(conn))

    return chunk


def _mapped(conn: Conn) -> Callable[[], Chunk]:
    def chunk() -> Chunk:
        items = json.dumps({"items": list(range(CHUNK))})
        conn.execute("select tenure.start('bench', %s::jsonb)", (items,))
        return measure(conn, lambda: ours.drain(conn))

    return chunk
