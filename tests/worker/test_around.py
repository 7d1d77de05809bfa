"""Hooks around the worker: they run in each process that runs handlers, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


def pids(bench: Bench, event: str) -> set[int]:
    rows = bench.conn.execute("select pid from trace where step_id = 0 and event = %s", (event,))
    return {row[0] for row in rows}


def test_a_hook_is_around_all_that_handlers_do(bench: Bench, start_worker: Start) -> None:
    """R-333: what it opens is there for them, and is closed after the last of them."""
    worker = start_worker(app="tests.worker.bodies:app")
    assert bench.ended(bench.enqueue("state"))["output"] == {"pool": "open"}
    assert bench.ended(bench.enqueue("works_async", ""))["output"] in pids(bench, "opened")
    wait_until(lambda: len(pids(bench, "opened")) == 2)
    assert worker.pid not in pids(bench, "opened")
    late = bench.enqueue("waits", "gate")
    shared = bench.traced(late, "started")[0].pid
    worker.send()
    # The process of a slot has nothing to do any more, the other one has.
    wait_until(lambda: pids(bench, "closed") == pids(bench, "opened") - {shared})
    bench.open("gate")
    assert worker.wait() == 0
    assert bench.step(late)["output"] == "passed"
    assert pids(bench, "closed") == pids(bench, "opened")


@pytest.mark.parametrize(
    ("app", "sentence"),
    [
        ("fails", "a hook around the worker failed: ValueError: no pool today"),
        ("twice", "NextCalledTwice: the hook 'twice' called next a second time"),
        ("never", "a hook around the worker failed: RuntimeError: 'never' did not await next()"),
    ],
)
def test_a_hook_that_does_not_let_the_worker_run_ends_it_with_a_sentence(
    bench: Bench, start_worker: Start, app: str, sentence: str
) -> None:
    """R-334."""
    worker = start_worker(app=f"tests.worker.broken.hooks:{app}_app")
    if app == "twice":
        assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
        worker.send()
    assert worker.wait() == 1
    assert sentence in worker.output
