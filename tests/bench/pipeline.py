"""What a whole worker gets through: claim, pipe, pipeline, handler, report."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

from tests.bench import ours
from tests.bench.chunks import Chunk, Conn, measure
from tests.bench.figure import Figure, median_ratio
from tests.bench.server import Bench
from tests.support.repository import ROOT
from tests.support.wait import wait_until

CONCURRENCY = 1000

_COMMAND = "from _tenure_cli import main; main()"

_LEFT = "select count(*) from tenure_private.step where finished_at is null"
_ANY = "select count(*) from (select from tenure_private.step where state = 'available' limit 1) as s"
"""Whether any is to be claimed, by the index of those: to count all again and again would take its time."""


def pipeline(bench: Bench) -> Iterator[Figure]:
    """No-op async handlers through one worker, beside a loop of claim and complete on one connection."""
    count = 10_000 if bench.quick else 50_000
    pairs = []
    for _ in range(1 if bench.quick else 3):
        with bench.engine() as engine, bench.connect(engine) as conn:
            by_worker = _by_worker(conn, bench.dsn(engine), count)
            ours.enqueue(conn, count)
            pairs.append((by_worker, measure(conn, lambda conn=conn: ours.drain(conn))))  # type: ignore[misc]
    yield Figure(
        part="pipeline",
        name=f"no-op async handlers, {CONCURRENCY:,} slots",
        value=statistics.median(first.rate for first, _ in pairs),
        unit="steps/s",
        yardstick=statistics.median(second.rate for _, second in pairs),
        ratio=median_ratio([(first.rate, second.rate) for first, second in pairs]),
    )
    yield Figure(
        part="pipeline",
        name="the same, CPU of the worker's processes",
        value=statistics.median(first.cost for first, _ in pairs),
        unit="µs a step",
    )


def _by_worker(conn: Conn, dsn: str, count: int) -> Chunk:
    """From the first step's end to the last one's; what a start costs is no part of it."""
    ours.enqueue(conn, count)
    conn.execute("vacuum analyze")
    worker = subprocess.Popen(
        [
            *(sys.executable, "-c", _COMMAND),
            *("worker", "tests.bench.noop:app", "--dsn", dsn, f"--concurrency={CONCURRENCY}"),
        ],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: _count(conn, _LEFT) < count, limit=60, what="the worker has begun")
        cpu, left, began = _cpu(worker.pid), _count(conn, _LEFT), time.monotonic()
        wait_until(lambda: _count(conn, _ANY) == 0, limit=600, what="the worker has claimed all")
        wait_until(lambda: _count(conn, _LEFT) == 0, limit=60, what="the worker has done all")
        return Chunk(steps=left, seconds=time.monotonic() - began, cpu=_cpu(worker.pid) - cpu)
    finally:
        worker.terminate()
        worker.wait()


def _count(conn: Conn, query: LiteralString) -> int:
    row = conn.execute(query).fetchone()
    return int(row[0]) if row else 0


def _cpu(pid: int) -> float:
    """The CPU seconds of a worker: its supervisor's and those of its handler processes."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    ticks = 0
    for process in (pid, *children):
        # After the name, in parentheses: state, and eleven fields on the time in user mode and in the kernel.
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
