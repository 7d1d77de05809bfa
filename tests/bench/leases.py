"""What renewing leases costs: whether heartbeats stay on their pages, and what the sweep pays for them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from datetime import timedelta

from tests.bench import ours
from tests.bench.chunks import Conn, measure
from tests.bench.figure import Figure
from tests.bench.server import Bench
from tests.support.clock import move_clock

LEASES = 10_000
WAVES = 10


def heartbeats(bench: Bench) -> Iterator[Figure]:
    """Ten waves over 10,000 leases; an update that is not HOT writes all indexes anew."""
    for label, input in (("small inputs", {"x": 1}), ("inputs of 1.5 kB", {"text": "x" * 1_500})):
        with bench.engine() as name, bench.connect(name) as conn:
            leases = _leases(conn, input)
            ratios = [_hot(conn, leases) for _ in range(WAVES)]
        yield Figure(
            part="heartbeats",
            name=f"HOT heartbeats over {WAVES} waves, {label}",
            value=sum(ratios) / WAVES,
            unit="%",
            least=95,
        )
        yield Figure(
            part="heartbeats", name=f"HOT heartbeats in the worst wave, {label}", value=min(ratios), unit="%"
        )


def rearm(bench: Bench) -> Iterator[Figure]:
    """One sweep over 10,000 due alarms of leases that have been renewed since."""
    chunks = []
    with bench.engine() as name, bench.connect(name) as conn:
        leases = _leases(conn, {"x": 1})
        for turn in range(2 if bench.quick else 5):
            # The alarm stands where the lease ended before the beat, which moves the lease's end alone.
            move_clock(conn, timedelta(seconds=20 + 20 * turn))
            _beat(conn, leases)
            move_clock(conn, timedelta(seconds=31 + 20 * turn))
            chunks.append(measure(conn, lambda: _sweep(conn)))
    yield Figure(
        part="rearm",
        name="sweep sets 10,000 renewed leases' alarms anew",
        value=statistics.median(chunk.seconds / chunk.steps * 1e6 for chunk in chunks),
        unit="µs a row",
    )
    yield Figure(
        part="rearm",
        name="the same, backend CPU",
        value=statistics.median(chunk.cost for chunk in chunks),
        unit="µs a row",
    )


def _sweep(conn: Conn) -> int:
    """One sweep, which has all the leases to set anew."""
    conn.execute("select tenure.sweep(1)")
    return LEASES


def _leases(conn: Conn, input: object) -> list[tuple[int, int]]:
    ours.enqueue(conn, LEASES, batch=ours.steps(input=input))
    return [lease for _ in range(LEASES // ours.CALL) for lease in ours.claim(conn, ours.CALL)]


def _beat(conn: Conn, leases: list[tuple[int, int]]) -> None:
    for first in range(0, len(leases), ours.CALL):
        batch = leases[first : first + ours.CALL]
        conn.execute(
            "select count(*) from tenure.heartbeat_many(%s::bigint[], %s, %s::bigint[])",
            ([lease[0] for lease in batch], ours.OWNER, [lease[1] for lease in batch]),
        )


def _hot(conn: Conn, leases: list[tuple[int, int]]) -> float:
    before = _updates(conn)
    _beat(conn, leases)
    after = _updates(conn)
    return 100 * (after[1] - before[1]) / (after[0] - before[0])


def _updates(conn: Conn) -> tuple[int, int]:
    """Updates of the step table so far, and how many of them were HOT."""
    conn.execute("select pg_stat_force_next_flush()")
    row = conn.execute(
        "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables"
        " where relid = 'tenure_private.step'::regclass"
    ).fetchone()
    assert row is not None
    return row[0], row[1]
