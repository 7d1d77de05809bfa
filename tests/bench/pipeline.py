"""What a whole worker gets through: claim, pipe, pipeline, handler, report."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from tests.bench import ours
from tests.bench.chunks import Conn
from tests.bench.figure import Figure
from tests.bench.server import Bench
from tests.support.repository import ROOT
from tests.support.wait import wait_until

CONCURRENCY = 1000

_COMMAND = "from tenure.cli import main; main()"

_RATE = """
select count(*) / extract(epoch from max(finished_at) - min(started_at))
from tenure.step_status
"""


def pipeline(bench: Bench) -> Iterator[Figure]:
    """No-op async handlers through one worker."""
    with bench.engine() as engine, bench.connect(engine) as conn:
        ours.enqueue(conn, 10_000 if bench.quick else 50_000)
        conn.execute("vacuum analyze")
        command = ["worker", "tests.bench.noop:app", "--dsn", bench.dsn(engine)]
        worker = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, *command, f"--concurrency={CONCURRENCY}"],
            cwd=ROOT,
            stderr=subprocess.DEVNULL,
        )
        wait_until(lambda: _left(conn) == 0, limit=600, what="the worker has done all")
        worker.terminate()
        worker.wait()
        row = conn.execute(_RATE.encode()).fetchone()
    yield Figure(
        part="pipeline",
        name=f"no-op async handlers, {CONCURRENCY:,} slots",
        value=float(row[0]) if row else 0.0,
        unit="steps/s",
    )


def _left(conn: Conn) -> int:
    row = conn.execute("select count(*) from tenure.step_status where finished_at is null").fetchone()
    return int(row[0]) if row else 0
