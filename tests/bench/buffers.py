"""What one claim reads of a table that is full of steps which are not for it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench import ours
from tests.bench.chunks import Conn
from tests.bench.figure import Figure
from tests.bench.server import Bench

MOST = 200
_EXPLAIN = (
    "explain (analyze, buffers, format json)"
    " select * from tenure.claim(array['default'], 'bench', 1, '30 s', array['due'])"
)


def buffers(bench: Bench) -> Iterator[Figure]:
    """Claim one due step beside a million finished, a million future and a million due ones of other names.

    The three come one after the other, and what came before stays. They are all made by the engine's own
    calls. Autovacuum is off: the dead entries of the finished ones are still in the index, and the statistics
    are those of an empty table until the end.
    """
    crowd = 100_000 if bench.quick else 1_000_000
    with bench.engine() as name, bench.connect(name) as loader:
        loader.execute("alter table tenure_private.step set (autovacuum_enabled = off)")
        loader.execute("analyze tenure_private.step")
        alone = _claim(bench, name)
        for label in ("finished", "future", "due, of other names"):
            _add(loader, label, crowd)
            yield _figure(f"{crowd:,} {label}, stale statistics", _claim(bench, name)[1], alone[1])
        loader.execute("analyze tenure_private.step")
        first, warm = _claim(bench, name)
        yield _figure("all of them, fresh statistics", warm, alone[1])
        yield Figure(
            part="buffers",
            name="the same as a session's first call, which reads the catalogue",
            value=first,
            unit="buffers",
            yardstick=alone[0],
        )


def _figure(beside: str, value: float, alone: float) -> Figure:
    """Beside the same claim from a table with nothing else in it; the floor judges the figure itself."""
    return Figure(
        part="buffers",
        name=f"one claim beside {beside}",
        value=value,
        unit="buffers",
        yardstick=alone,
        most=MOST,
    )


def _add(conn: Conn, label: str, crowd: int) -> None:
    if label == "finished":
        for _ in range(10):
            ours.enqueue(conn, crowd // 10)
            ours.drain(conn, room=ours.CALL)
    elif label == "future":
        ours.enqueue(conn, crowd, batch=ours.steps(name="due", delay="1 hour"))
    else:
        ours.enqueue(conn, crowd, batch=ours.steps(name="other"))


def _claim(bench: Bench, database: str) -> tuple[float, float]:
    """The buffers of a session's first claim, which reads the catalogue too, and of its third."""
    with bench.connect(database) as conn:
        read = []
        for _ in range(3):
            conn.execute("select tenure.enqueue('due')")
            row = conn.execute(_EXPLAIN).fetchone()
            assert row is not None
            plan = row[0][0]["Plan"]
            assert plan["Actual Rows"] == 1
            read.append(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
    return read[0], read[-1]
