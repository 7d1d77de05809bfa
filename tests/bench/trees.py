"""What groups cost: many children that end at once, and one that follows another."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from tests.bench.chunks import Conn
from tests.bench.figure import Figure
from tests.bench.server import Bench

CHILDREN = 10_000
CONNECTIONS = 8
BATCH = 100
LINKS = 100

_CLAIM = "select step_id, run_id, generation from tenure.claim(array['default'], %s, %s)"
_COMPLETE = "select count(*) from tenure.complete_many(%s::bigint[], %s, %s::bigint[], %s::jsonb[])"
_DEFINE = "select tenure.define_workflow(%s, %s)"


def children(bench: Bench) -> Iterator[Figure]:
    """One map's children, drained on eight connections: each batch claimed, completed and folded."""
    rates = []
    with bench.engine() as engine, bench.connect(engine) as conn, ThreadPoolExecutor(CONNECTIONS) as pool:
        _define(conn, "map", {"name": "each", "map": "items", "provides": ["out"]})
        conns = [bench.connect(engine) for _ in range(CONNECTIONS)]
        for _ in range(2 if bench.quick else 4):
            items = json.dumps({"items": list(range(CHILDREN))})
            run_id = _start(conn, "map", items)
            began = time.monotonic()
            counts = list(pool.map(_drain, conns, [f"w{n}" for n in range(CONNECTIONS)]))
            rates.append(sum(counts) / (time.monotonic() - began))
            _check_done(conn, run_id)
        for each in conns:
            each.close()
    yield Figure(
        part="children",
        name=f"{CHILDREN:,} children of one map on {CONNECTIONS} connections",
        value=statistics.median(rates[1:]),
        unit="steps/s",
        least=5_000,
    )


def chain(bench: Bench) -> Iterator[Figure]:
    """A chain of a hundred nodes, one claim and one completion a hop, beside single jobs."""
    hops, singles = [], []
    with bench.engine() as engine, bench.connect(engine) as conn:
        links = [
            {"name": f"n{n}", "requires": [f"k{n}"] if n else [], "provides": [f"k{n + 1}"]}
            for n in range(LINKS)
        ]
        _define(conn, "chain", *links)
        for _ in range(3 if bench.quick else 8):
            run_id = _start(conn, "chain", "{}")
            hops.append(_walk(conn))
            _check_done(conn, run_id)
            conn.execute("select tenure.enqueue('single') from generate_series(1, %s)", (LINKS,))
            singles.append(_walk(conn))
    yield Figure(
        part="chain",
        name=f"a hop in a chain of {LINKS} nodes, beside a single job's claim and completion",
        value=statistics.median(hops[1:]) * 1e6,
        unit="µs",
        yardstick=statistics.median(singles[1:]) * 1e6,
        ratio=statistics.median(hops[1:]) / statistics.median(singles[1:]),
        most=3,
    )


def _define(conn: Conn, name: str, *nodes: object) -> None:
    conn.execute(_DEFINE, (name, json.dumps({"nodes": nodes})))


def _start(conn: Conn, workflow: str, keys: str) -> int:
    row = conn.execute("select tenure.start(%s, %s)", (workflow, keys)).fetchone()
    assert row is not None
    return int(row[0])


def _drain(conn: Conn, owner: str) -> int:
    done = 0
    while leases := conn.execute(_CLAIM, (owner, BATCH)).fetchall():
        ids, runs, generations = zip(*leases, strict=True)
        conn.execute(_COMPLETE, (list(ids), owner, list(generations), ['{"ok": 1}'] * len(ids)))
        conn.execute("select tenure.fold(%s::bigint[])", (list(set(runs)),))
        done += len(ids)
    return done


def _walk(conn: Conn) -> float:
    """Return the seconds a step that it takes to claim and complete one after the other."""
    count, began = 0, time.monotonic()
    while leases := conn.execute(_CLAIM, ("w", 1)).fetchall():
        [(step_id, _, generation)] = leases
        conn.execute("select tenure.complete(%s, 'w', %s, '1')", (step_id, generation))
        count += 1
    assert count == LINKS
    return (time.monotonic() - began) / count


def _check_done(conn: Conn, run_id: int) -> None:
    conn.execute("select tenure.sweep()")
    row = conn.execute("select state from tenure.run_status where run_id = %s", (run_id,)).fetchone()
    assert row == ("completed",), row
