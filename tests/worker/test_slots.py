"""Threads that do not come back: their slots, the report, and the worker's end."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.test_shutdown import report

Start = Callable[..., WorkerProcess]

APP = "tests.worker.bodies:app"

FAST = {"kind": "fixed", "base": 0.05, "jitter": 0}


def test_a_thread_that_does_not_come_back_keeps_its_slot_until_it_does(
    bench: Bench, start_worker: Start
) -> None:
    """R-320: the step moves on, and nobody interrupts the thread."""
    worker = start_worker(app=APP, concurrency=4)
    step_id = bench.enqueue("sits", "gate", timeout=2.0, max_attempts=1)
    assert bench.ended(step_id)["error_kind"] == "timeout"
    waiting = [bench.enqueue("waits", "other") for _ in range(4)]
    wait_until(lambda: bench.value("select count(*) from trace where event = 'started'") == 4)
    assert bench.value("select count(*) from tenure.step_status where state = 'running'") == 3
    bench.open("gate")
    # Told why, and left to itself; and its slot is there again.
    assert bench.traced(step_id, "returned")[0].value == "timed_out"
    wait_until(lambda: bench.value("select count(*) from trace where event = 'started'") == 5)
    bench.open("other")
    assert {bench.ended(other)["state"] for other in waiting} == {"completed"}
    worker.stop()
    assert report(bench)["abandoned"] == []
    assert bench.step(step_id)["output"] is None


def test_an_abandoned_thread_is_reported_with_its_stack(bench: Bench, start_worker: Start) -> None:
    """R-320, R-314: the worker's own end is the proof of the thread's."""
    worker = start_worker(app=APP, concurrency=4)
    step_id = bench.enqueue("sits", "never", timeout=2.0, max_attempts=1)
    assert bench.ended(step_id)["error_kind"] == "timeout"
    wait_until(lambda: "it has not ended: it keeps its slot" in worker.output)
    # What is settled later is reported later: the worker has its answer for the thread.
    bench.open("gate")
    assert bench.ended(bench.enqueue("waits", "gate"))["output"] == "passed"
    worker.stop()
    (entry,) = report(bench)["abandoned"]
    assert (entry["step_id"], entry["name"], entry["proof"]) == (str(step_id), "sits", "process ended")
    assert entry["why"] == "its thread did not come back"
    assert "in hold\n" in entry["stack"]
    assert entry["held_since"]
    assert "in hold\n" in worker.output


def test_past_a_bound_the_worker_drains_and_exits_with_an_error(bench: Bench, start_worker: Start) -> None:
    """R-330: at half of its slots; what else runs may finish."""
    worker = start_worker(app=APP, concurrency=4)
    neighbour = bench.enqueue("waits", "gate")
    bench.traced(neighbour, "started")
    steps = [bench.enqueue("sits", "never", timeout=2.0, max_attempts=1) for _ in range(2)]
    for step_id in steps:
        bench.traced(step_id, "started")
        assert bench.ended(step_id)["error_kind"] == "timeout"
    wait_until(lambda: "draining" in worker.output)
    bench.open("gate")
    assert worker.wait() == 1
    assert bench.step(neighbour)["output"] == "passed"
    assert "error: 2 of 4 slots are held by handlers that do not end" in worker.output
    assert worker.gone()


def test_a_delivery_that_hangs_for_a_reason_unknown_is_given_up(bench: Bench, start_worker: Start) -> None:
    """R-318, R-330: it keeps its slot; neighbours go on, and past the bound the worker leaves."""
    worker = start_worker(app="tests.worker.broken.stuck:app", concurrency=4, shutdown_timeout=0)
    bench.open("gate")
    first = bench.enqueue("hangs", timeout=1.0, max_attempts=1)
    wait_until(lambda: f"step {first}: its time is over and it has not ended" in worker.output)
    assert bench.ended(first)["error_kind"] == "timeout"
    assert bench.ended(bench.enqueue("waits", "gate"))["output"] == "passed"
    # One without a limit, once it is cancelled.
    second = bench.enqueue("hangs")
    bench.in_state(second, "running")
    bench.value("select tenure.cancel(%s, null)", second)
    assert worker.wait() == 1
    told = report(bench)
    assert told["reason"] == "2 of 4 slots are held by handlers that do not end"
    # Its process had to end: that is the proof, in the end.
    listed = {entry["step_id"]: entry for part in ("settled", "abandoned") for entry in told[part]}
    assert set(listed) == {str(first), str(second)}
    assert {entry["proof"] for entry in listed.values()} == {"process ended"}


def test_a_thread_under_wait_that_does_not_come_back_counts_too(bench: Bench, start_worker: Start) -> None:
    """R-318, R-330: nothing is reported of it before it has ended; its stack is told."""
    worker = start_worker(app=APP, concurrency=2, shutdown_timeout=0)
    step_id = bench.enqueue("sits", "never", timeout=2.0, max_attempts=1, on_timeout="wait")
    assert worker.wait() == 1
    told = report(bench)
    assert told["reason"] == "1 of 2 slots are held by handlers that do not end"
    (entry,) = told["settled"]
    assert (entry["step_id"], entry["verdict"], entry["proof"]) == (
        str(step_id),
        "timed_out",
        "process ended",
    )
    assert "in hold\n" in entry["stack"]
    assert bench.step(step_id)["error_kind"] == "timeout"


def test_a_thread_at_a_shutdown_is_handed_back_when_its_process_has_ended(
    bench: Bench, start_worker: Start
) -> None:
    """R-313: a release needs proof."""
    worker = start_worker(app=APP, shutdown_timeout=0)
    sits, listens = bench.enqueue("sits", "never"), bench.enqueue("listens", "never")
    bench.traced(sits, "started")
    bench.traced(listens, "started")
    worker.stop()
    step = bench.step(sits)
    assert (step["state"], step["attempt"], step["releases"]) == ("available", 1, 1)
    assert bench.step(listens)["output"] == "stopped early"
    (entry,) = report(bench)["released"]
    assert (entry["step_id"], entry["proof"]) == (str(sits), "process ended")
    assert report(bench)["abandoned"] == []


def test_under_wait_no_second_body_starts_beside_a_thread(bench: Bench, start_worker: Start) -> None:
    """R-329."""
    start_worker(app=APP, lease_ttl=1.2)
    step_id = bench.enqueue("sits", "gate", timeout=2.0, max_attempts=2, backoff=FAST, on_timeout="wait")
    bench.traced(step_id, "started")
    first = bench.step(step_id)["lease_expiry"]
    wait_until(lambda: (bench.step(step_id)["lease_expiry"] - first).total_seconds() > 2.4)
    assert len(bench.traces(step_id, "started")) == 1
    bench.open("gate")
    step = bench.ended(step_id)
    assert (step["attempt"], step["reclaims"]) == (2, 0)
