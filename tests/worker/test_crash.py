"""Processes that are killed: nothing is lost, nobody waits for longer than a lease."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from tenure.worker._groups import processes
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


def test_another_worker_takes_over_from_one_that_was_killed(bench: Bench, start_worker: Start) -> None:
    first = start_worker(lease_ttl=1)
    step_id = bench.enqueue("wait", "gate")
    owner = bench.traced(step_id, "started") and bench.step(step_id)["lease_owner"]
    first.send_to_all(signal.SIGKILL)
    first.wait()
    second = start_worker(lease_ttl=1)
    bench.traced(step_id, "started", 2)
    step = bench.step(step_id)
    assert (step["attempt"], step["reclaims"], step["lease_generation"]) == (1, 1, 2)
    assert step["lease_owner"] != owner
    bench.open("gate")
    assert bench.ended(step_id)["output"] == "passed"
    second.stop()


def test_the_handler_process_leaves_when_its_supervisor_is_killed(bench: Bench, start_worker: Start) -> None:
    worker = start_worker(lease_ttl=1)
    step_id = bench.enqueue("wait", "never")
    bench.traced(step_id, "started")
    worker.send(signal.SIGKILL)
    worker.wait()
    wait_until(worker.gone, what="the handler process has left")
    # And it told the handler first.
    assert bench.traces(step_id, "stopped")[0].value == "lease_lost"


def test_a_blocked_handler_process_leaves_too(bench: Bench, start_worker: Start) -> None:
    worker = start_worker(lease_ttl=1)
    step_id = bench.enqueue("blocks", 600)
    bench.traced(step_id, "started")
    worker.send(signal.SIGKILL)
    worker.wait()
    wait_until(worker.gone, what="the handler process has left")


@pytest.mark.parametrize(
    ("app", "handler"),
    [("tests.worker.handlers:app", "dies"), ("tests.worker.bodies:app", "dies_in_thread")],
)
def test_a_handler_process_that_dies_is_replaced(
    bench: Bench, start_worker: Start, app: str, handler: str
) -> None:
    """Its steps are not handed back, for nobody knows what they did: their leases run out."""
    worker = start_worker(app=app, lease_ttl=1)
    step_id = bench.enqueue(handler)
    step = bench.ended(step_id)
    assert (step["state"], step["output"], step["attempt"]) == ("completed", "alive", 1)
    assert (step["reclaims"], step["releases"]) == (1, 0)
    first, second = bench.traces(step_id, "started")
    assert first.pid != second.pid
    worker.stop()


@pytest.mark.parametrize("handler", ["forks_in_loop", "forks_in_thread"])
def test_what_the_shared_process_has_started_ends_with_it_unless_it_has_left(
    bench: Bench, start_worker: Start, handler: str
) -> None:
    """R-322: nor does it hold up the worker's end."""
    worker = start_worker(app="tests.worker.bodies:app")
    stays, leaves = (bench.ended(bench.enqueue(handler, away))["output"] for away in (False, True))
    worker.stop()
    wait_until(lambda: stays not in living_processes(), what="what stayed has ended")
    assert leaves in living_processes()
    os.kill(leaves, signal.SIGKILL)


def living_processes() -> set[int]:
    return {process.pid for process in processes() if not process.dead}


def test_a_step_that_always_kills_its_process_ends_at_its_bound(bench: Bench, start_worker: Start) -> None:
    start_worker(lease_ttl=0.5)
    step_id = bench.enqueue("always_dies", max_reclaims=2)
    step = bench.ended(step_id)
    assert (step["state"], step["error_kind"]) == ("discarded", "reclaim_limit")
    assert len(bench.traces(step_id, "started")) == 3
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"


def test_what_kills_a_process_of_its_own_takes_nobody_along(bench: Bench, start_worker: Start) -> None:
    """R-328: it ends at its bound, or when cancelled, and healthy steps finish at their first start."""
    for _ in range(3):
        start_worker(app="tests.worker.bodies:app", lease_ttl=2, poll_interval=0.2, concurrency=2)
    # As many as there are slots, and more that pass by.
    healthy = [bench.enqueue(name, "gate") for name in ("works", "waits", "sits")]
    poison = [bench.enqueue("always_dies", "poison", max_reclaims=1) for _ in range(2)]
    cancelled = bench.enqueue("always_dies", "never")
    for step_id in (*healthy, *poison, cancelled):
        bench.traced(step_id, "started")
    bench.open("poison")
    healthy += [bench.enqueue("works_async", "") for _ in range(6)]
    assert bench.value("select tenure.cancel(%s, null)", cancelled) == 1
    for step_id in poison:
        step = bench.ended(step_id)
        assert (step["error_kind"], step["attempt"], step["reclaims"]) == ("reclaim_limit", 1, 1)
        assert len(bench.traces(step_id, "started")) == 2
    bench.open("gate")
    for step_id in healthy:
        step = bench.ended(step_id)
        assert (step["state"], step["attempt"], step["lease_generation"]) == ("completed", 1, 1)
    assert bench.step(cancelled)["state"] == "cancelled"
    assert len(bench.traces(cancelled, "started")) == 1


def test_a_worker_that_was_stopped_for_long_is_fenced_off(bench: Bench, start_worker: Start) -> None:
    """It wakes up, believes that it holds the lease, and reports."""
    first = start_worker(lease_ttl=1)
    step_id = bench.enqueue("wait", "gate")
    bench.traced(step_id, "started")
    first.send_to_all(signal.SIGSTOP)
    second = start_worker(lease_ttl=1)
    bench.traced(step_id, "started", 2)
    bench.open("gate")
    step = bench.ended(step_id)
    assert (step["lease_generation"], step["reclaims"]) == (2, 1)
    first.send_to_all(signal.SIGCONT)
    first.stop()
    second.stop()
    after = bench.step(step_id)
    assert (after["state"], after["lease_generation"], after["finished_at"]) == (
        "completed",
        2,
        step["finished_at"],
    )


def test_owners_never_repeat(bench: Bench, start_worker: Start) -> None:
    """A worker's name is of no use to the next one on the same host."""
    for _ in range(2):
        start_worker()
    bench.listening(2)
    owners = bench.conn.execute("select owner from tenure.worker_status").fetchall()
    host = os.uname().nodename
    assert len(set(owners)) == 2
    assert all(owner.startswith(f"{host}:") and len(owner.split(":")[-1]) == 16 for (owner,) in owners)


def test_a_handler_that_wrecks_its_loop_costs_its_neighbours_no_attempt(
    bench: Bench, start_worker: Start
) -> None:
    """R-382: their process has died, and that is all that can be said of them."""
    worker = start_worker(app="tests.worker.bodies:app", lease_ttl=2)
    neighbours = [bench.enqueue(name, "gate", max_attempts=1) for name in ("waits", "sits")]
    for step_id in neighbours:
        bench.traced(step_id, "started")
    wrecker = bench.enqueue("wrecks_loop", "cancel", max_attempts=1)
    for step_id in (*neighbours, wrecker):
        bench.traced(step_id, "started", 2)
    bench.open("gate")
    for step_id, output in zip((*neighbours, wrecker), ("passed", "late", "well"), strict=True):
        step = bench.ended(step_id)
        assert (step["output"], step["attempt"], step["reclaims"]) == (output, 1, 1)
    assert "all tasks of its loop were cancelled" in worker.output


@pytest.mark.parametrize(
    ("way", "state", "error"),
    [("stop", "completed", None), ("exit", "completed", None), ("wait for exit", "discarded", "SystemExit")],
)
def test_a_handler_that_would_end_its_loop_ends_nothing(
    bench: Bench, start_worker: Start, way: str, state: str, error: str | None
) -> None:
    """R-382: the loop is gone on with, whatever was raised out of it."""
    start_worker(app="tests.worker.bodies:app")
    neighbours = [bench.enqueue(name, "gate", max_attempts=1) for name in ("waits", "sits")]
    for step_id in neighbours:
        bench.traced(step_id, "started")
    step = bench.ended(bench.enqueue("wrecks_loop", way, max_attempts=1))
    assert (step["state"], step["error"] and step["error"]["type"]) == (state, error)
    bench.open("gate")
    for step_id, output in zip(neighbours, ("passed", "late"), strict=True):
        step = bench.ended(step_id)
        assert (step["output"], step["lease_generation"]) == (output, 1)
