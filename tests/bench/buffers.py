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
    calls, and autovacuum is off, so that the dead entries of the finished ones are still in the index.
    """
    crowd = 100_000 if bench.quick else 1_000_000
    with bench.engine() as name, bench.connect(name) as loader:
        loader.execute("alter table tenure_private.step set (autovacuum_enabled = off)")
        # Statistics of an empty table: as stale as they get.
        loader.execute("analyze tenure_private.step")
        for label in ("finished", "future", "due, of other names"):
            _add(loader, label, crowd)
            for what, value in _claims(bench, name):
                yield Figure(
                    part="buffers",
                    name=f"one claim beside {crowd:,} {label}{what}",
                    value=value,
                    unit="buffers",
                    most=MOST,
                )
        loader.execute("analyze tenure_private.step")
        for what, value in _claims(bench, name):
            yield Figure(
                part="buffers",
                name=f"one claim beside all of them, analyzed{what}",
                value=value,
                unit="buffers",
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


def _claims(bench: Bench, database: str) -> Iterator[tuple[str, float]]:
    """The first claim of a session, which reads the catalogue too, and its next one."""
    with bench.connect(database) as conn:
        for what in (" (a session's first)", ""):
            conn.execute("select tenure.enqueue('due')")
            row = conn.execute(_EXPLAIN).fetchone()
            assert row is not None
            plan = row[0][0]["Plan"]
            assert plan["Actual Rows"] == 1
            yield what, plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
