"""Processes that do not answer: what they cost, and for how long they are beaten for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]

APP = "tests.worker.bodies:app"


def unharmed(bench: Bench, step_id: int) -> None:
    step = bench.ended(step_id)
    assert (step["state"], step["reclaims"], step["lease_generation"]) == ("completed", 0, 1)


@pytest.mark.parametrize("handler", ["holds_all", "holds_in_thread"])
def test_an_interpreter_that_is_held_loses_no_lease(bench: Bench, start_worker: Start, handler: str) -> None:
    """R-331: for several leases; a plain sleep would let go of it and prove nothing."""
    start_worker(app=APP, lease_ttl=1.5)
    start_worker(app=APP, lease_ttl=1.5, queue="elsewhere")
    neighbour = bench.enqueue("waits", "gate")
    bench.traced(neighbour, "started")
    step_id = bench.enqueue(handler, 6)
    bench.traced(step_id, "started")
    bench.open("gate")
    unharmed(bench, step_id)
    unharmed(bench, neighbour)


def test_many_blocked_threads_lose_no_lease(bench: Bench, start_worker: Start) -> None:
    """R-331."""
    start_worker(app=APP, lease_ttl=1.5, concurrency=64)
    start_worker(app=APP, lease_ttl=1.5, queue="elsewhere")
    steps = [bench.enqueue("sleeps", 6) for _ in range(64)]
    for step_id in steps:
        unharmed(bench, step_id)


def test_a_process_that_answers_no_more_is_beaten_for_no_longer_and_replaced(
    bench: Bench, start_worker: Start
) -> None:
    """R-332: its steps are fenced, and another takes them; the worker goes on."""
    worker = start_worker(app=APP, lease_ttl=1.2, stall_limit=2)
    neighbour = bench.enqueue("waits", "gate")
    bench.traced(neighbour, "started")
    step_id = bench.enqueue("blocks_loop", 600, max_reclaims=0)
    bench.traced(step_id, "started")
    bench.open("gate")
    step = bench.ended(step_id)
    assert step["error_kind"] == "reclaim_limit"
    assert "has not answered for" in worker.output
    step = bench.ended(neighbour)
    assert (step["output"], step["reclaims"]) == ("passed", 1)
    first, second = bench.traces(neighbour, "started")
    assert first.pid != second.pid
    worker.stop()


def test_a_process_handler_that_answers_no_more_is_killed_alone(bench: Bench, start_worker: Start) -> None:
    """R-332."""
    start_worker(app=APP, lease_ttl=1.2, stall_limit=2)
    neighbour = bench.enqueue("works", "gate")
    (started,) = bench.traced(neighbour, "started")
    step_id = bench.enqueue("holds", max_reclaims=0)
    assert bench.ended(step_id)["error_kind"] == "reclaim_limit"
    bench.open("gate")
    assert bench.ended(neighbour)["output"]["pid"] == started.pid


@pytest.mark.parametrize(("handler", "neighbour"), [("scribbles", "waits"), ("scribbles_apart", "works")])
def test_a_process_whose_pipe_brings_garbage_is_replaced(
    bench: Bench, start_worker: Start, handler: str, neighbour: str
) -> None:
    """R-377: as one that has died; its steps' leases run out."""
    worker = start_worker(app=APP, lease_ttl=1.2, stall_limit=600)
    step_id = bench.enqueue(handler, max_reclaims=0)
    step = bench.ended(step_id)
    assert (step["error_kind"], step["lease_generation"]) == ("reclaim_limit", 1)
    assert "is replaced: its pipe brought a frame of 7449361025514038538 bytes" in worker.output
    bench.open("gate")
    step = bench.ended(bench.enqueue(neighbour, "gate"))
    assert (step["state"], step["reclaims"]) == ("completed", 0)
    worker.stop()


def test_a_process_that_answers_again_in_time_loses_nothing(bench: Bench, start_worker: Start) -> None:
    """R-332: several leases are well within the limit where nothing else is said."""
    worker = start_worker(app=APP, lease_ttl=1.2)
    step_id = bench.enqueue("blocks_loop", 5)
    unharmed(bench, step_id)
    assert "has not answered" not in worker.output
    wait_until(lambda: bench.value("select count(*) from tenure.lease_status") == 0)
