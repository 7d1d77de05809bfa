"""The database is upgraded first, its workers after it, one by one, and nobody stops."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from tenure.migrate import migrate
from tests.support.repository import PREVIOUS, VERSION
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


class Load:
    """Somebody who enqueues until told to stop."""

    def __init__(self, bench: Bench) -> None:
        """Start at once."""
        self.enqueued: list[int] = []
        self._conn = bench.database.connect(role="tenure_client")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        """Stop, and have everything enqueued."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.005):
            row = self._conn.execute("select tenure.enqueue('note')").fetchone()
            assert row is not None
            self.enqueued.append(row[0])


@pytest.fixture
def load(bench: Bench) -> Iterator[Load]:
    """Steps that keep coming."""
    load = Load(bench)
    yield load
    load.stop()


def done(bench: Bench, package: str) -> int:
    """How many steps workers of this version have done."""
    return int(bench.value("select count(*) from done where package = %s", package))


def test_a_rolling_upgrade(bench: Bench, start: Start, load: Load) -> None:
    """R-214: workers of both versions work side by side on the new schema: nothing is lost or done twice."""
    olds = [start(old=True), start(old=True)]
    wait_until(lambda: done(bench, PREVIOUS) > 50, what="the old workers are at work")
    assert migrate(bench.database.connect()).found == PREVIOUS
    before = done(bench, PREVIOUS)
    wait_until(lambda: done(bench, PREVIOUS) > before + 50, what="they go on with the new schema")
    news = [start(), start()]
    wait_until(lambda: done(bench, VERSION) > 50, what="new workers join them")
    for old in olds:
        old.stop()
    after = done(bench, VERSION)
    wait_until(lambda: done(bench, VERSION) > after + 50, what="the new ones go on alone")
    load.stop()
    total = len(load.enqueued)
    wait_until(
        lambda: bench.value("select count(*) = %s from tenure.step_status where state = 'completed'", total),
        what="every step is completed",
    )
    for new in news:
        new.stop()
    assert bench.conn.execute("select count(*), count(distinct step_id) from done").fetchone() == (
        total,
        total,
    )
    assert bench.value("select sum(reclaims) from tenure.step_status") == 0
    assert bench.conn.execute("select * from tenure.attempt_log").fetchall() == []


def test_a_step_claimed_before_completes_after(bench: Bench, start: Start) -> None:
    """R-215: a long step keeps its lease over the upgrade, and its old worker completes it."""
    old = start(old=True)
    step_id = bench.enqueue("wait", "gate")
    claimed = bench.in_state(step_id, "running")
    migrate(bench.database.connect())
    # The views may have new columns, which whoever has prepared "select *" of them cannot take.
    bench.reconnect()
    start()
    assert bench.ended(bench.enqueue("note"))["state"] == "completed"
    bench.open("gate")
    step = bench.ended(step_id)
    assert (step["state"], step["output"]) == ("completed", PREVIOUS)
    assert (step["lease_generation"], step["attempt"], step["reclaims"]) == (1, 1, 0)
    assert step["started_at"] == claimed["started_at"]
    old.stop()


def test_a_new_worker_refuses_the_old_schema(bench: Bench, start: Start) -> None:
    """R-216: the schema comes first; a worker that is ahead of it says so in one sentence and leaves."""
    worker = start()
    assert worker.wait() == 1
    [line] = [line for line in worker.output.splitlines() if line.startswith("error: ")]
    assert line.startswith(f"error: database {bench.database.name!r} at ")
    assert line.endswith(f" holds version {PREVIOUS} of the engine, which a worker of {VERSION} cannot use")
