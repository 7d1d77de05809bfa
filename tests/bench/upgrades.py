"""What an upgrade costs those who work: how long a claim with its completions takes while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg

from tenure.migrate import migrate
from tests.bench import ours
from tests.bench.chunks import Conn
from tests.bench.figure import Figure
from tests.bench.server import Bench
from tests.support import repository

BATCH = 10
READER = 2.0
"""Seconds for which somebody sits in a transaction that has read everything, and so is in the way."""


def upgrades(bench: Bench) -> Iterator[Figure]:
    """From each release before this version, beside workers and a reader who sits in a transaction."""
    rows, workers = (100_000, 4) if bench.quick else (5_000_000, 50)
    for release, _ in repository.STEPS:
        with bench.database() as name, bench.connect(name) as conn:
            conn.execute(repository.released(release))
            ours.enqueue(conn, rows)
            conn.execute("vacuum analyze")
            before, during, failed, seconds = _upgrade(bench, name, workers)
        label = f"{release} to {repository.VERSION}, {rows:,} steps, {workers} workers"
        yield Figure(part="upgrades", name=f"{label}, the reader included", value=seconds, unit="s")
        yield Figure(
            part="upgrades",
            name="its longest claim and completion, beside the longest without",
            value=during * 1e3,
            unit="ms",
            yardstick=before * 1e3,
            ratio=during / before,
        )
        yield Figure(part="upgrades", name="calls that failed", value=failed, unit="", most=0)


def _upgrade(bench: Bench, name: str, workers: int) -> tuple[float, float, int, float]:
    """The longest round before and during the upgrade, in seconds; how many failed; how long it took."""
    upgrading, stop = threading.Event(), threading.Event()
    conns = [bench.connect(name) for _ in range(workers)]
    with ThreadPoolExecutor(workers) as pool, bench.connect(name) as admin, bench.connect(name) as reader:
        rounds = [pool.submit(_work, conn, f"w{n}", upgrading, stop) for n, conn in enumerate(conns)]
        time.sleep(5)
        reader.autocommit = False
        reader.execute("select from tenure.step_status, tenure_private.definition limit 1")
        leaves = threading.Timer(READER, reader.rollback)
        upgrading.set()
        leaves.start()
        began = time.monotonic()
        migrate(admin)
        seconds = time.monotonic() - began
        stop.set()
        found = [each.result() for each in rounds]
    for conn in conns:
        conn.close()
    return max(f[0] for f in found), max(f[1] for f in found), sum(f[2] for f in found), seconds


def _work(
    conn: Conn, owner: str, upgrading: threading.Event, stop: threading.Event
) -> tuple[float, float, int]:
    longest, failed = {False: 0.0, True: 0.0}, 0
    while not stop.is_set():
        phase, began = upgrading.is_set(), time.monotonic()
        try:
            ours.complete(conn, ours.claim(conn, BATCH, owner=owner), owner=owner)
        except psycopg.Error:
            failed += 1
        longest[phase] = max(longest[phase], time.monotonic() - began)
    return longest[False], longest[True], failed
