"""Limits of time: the database decides, and the handler is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

FAST = {"kind": "fixed", "base": 0.05, "jitter": 0}

Start = Callable[..., WorkerProcess]


def test_a_handler_is_told_at_its_limit_and_the_attempt_is_spent(served: Bench) -> None:
    step_id = served.enqueue("wait", "never", timeout=3.0, max_attempts=2, backoff=FAST)
    step = served.ended(step_id)
    assert (step["state"], step["attempt"], step["error_kind"]) == ("discarded", 2, "timeout")
    assert step["reclaims"] == 0
    assert [trace.value for trace in served.traced(step_id, "stopped", 2)] == ["timed_out"] * 2
    for trace in served.traces(step_id, "started"):
        assert 0 < float(trace.value) <= 3


def test_a_timeout_that_has_passed_already_runs_no_handler_to_success(served: Bench) -> None:
    step = served.ended(served.enqueue("echo", timeout=0.0, max_attempts=2, backoff=FAST))
    assert (step["state"], step["error_kind"], step["output"]) == ("discarded", "timeout", None)


@pytest.mark.parametrize("handler", ["deaf", "deaf_thread"])
def test_a_late_success_is_no_success(bench: Bench, start_worker: Start, handler: str) -> None:
    """R-342: the handler swallows the interruption, or hears none, and returns later."""
    worker = start_worker(concurrency=4)
    step_id = bench.enqueue(handler, "later", timeout=2.0, max_attempts=1)
    bench.traced(step_id, "stopped")
    step = bench.ended(step_id)
    assert (step["state"], step["error_kind"], step["output"]) == ("discarded", "timeout", None)
    bench.open("later")
    # The worker is well.
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
    worker.stop()
    assert bench.step(step_id)["output"] is None


def test_an_asynchronous_body_that_does_not_stop_is_stopped(bench: Bench, start_worker: Start) -> None:
    """R-345: its slot is free, though its gate never opens."""
    worker = start_worker(concurrency=1)
    bench.traced(step_id := bench.enqueue("deaf", "never", timeout=2.0, max_attempts=1), "stopped")
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
    assert bench.ended(step_id)["error_kind"] == "timeout"
    worker.stop()


def test_the_step_moves_on_though_its_handler_does_not(bench: Bench, start_worker: Start) -> None:
    """Whatever the lease says, and the next attempt runs beside the abandoned body."""
    start_worker(lease_ttl=60)
    step_id = bench.enqueue("deaf_thread", "later", timeout=2.0, max_attempts=2, backoff=FAST)
    assert [trace.attempt for trace in bench.traced(step_id, "started", 2)] == [1, 2]
    assert bench.ended(step_id)["error_kind"] == "timeout"
    bench.open("later")


def test_under_wait_no_second_body_starts_beside_the_first(bench: Bench, start_worker: Start) -> None:
    start_worker(lease_ttl=0.6)
    step_id = bench.enqueue(
        "deaf_thread", "later", timeout=2.0, max_attempts=2, backoff=FAST, on_timeout="wait"
    )
    bench.traced(step_id, "stopped")
    # Longer than a lease: heartbeats go on.
    first = bench.step(step_id)["lease_expiry"]
    wait_until(lambda: (bench.step(step_id)["lease_expiry"] - first).total_seconds() > 1.2)
    assert len(bench.traces(step_id, "started")) == 1
    bench.open("later")
    step = bench.ended(step_id)
    assert (step["state"], step["attempt"], step["output"]) == ("completed", 2, "late")
    assert step["reclaims"] == 0


def test_an_error_that_no_retry_helps_stands_after_the_limit(bench: Bench, start_worker: Start) -> None:
    start_worker(poll_interval=600)
    step_id = bench.enqueue("permanent_when_stopped", "never", timeout=4.0, max_attempts=3)
    step = bench.ended(step_id)
    assert (step["error_kind"], step["error"]["message"]) == ("permanent", "found to be useless")


def test_a_deadline_ends_the_step_and_tells_the_handler(served: Bench) -> None:
    step_id = served.enqueue("wait", "never", deadline=4.0, max_attempts=9, backoff=FAST)
    step = served.ended(step_id)
    assert (step["state"], step["error_kind"]) == ("discarded", "deadline")
    assert served.traced(step_id, "stopped")[0].value == "timed_out"


def test_progress_keeps_the_progress_timeout_away_and_silence_does_not(
    bench: Bench, start_worker: Start
) -> None:
    start_worker(lease_ttl=60)
    step_id = bench.enqueue("progresses", "never", progress_timeout=2.0, max_attempts=1)
    step = bench.ended(step_id)
    assert (step["state"], step["error_kind"]) == ("discarded", "progress")
    assert step["progress"] == {"done": 99}
    assert step["progress_at"] > step["started_at"]
