"""Limits of time: the database decides, and the handler is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


KINDS = ("goes_on_in_loop", "goes_on_in_thread", "goes_on_apart", "goes_on_apart_in_loop")
"""A handler of each kind that returns so many seconds after it was told to stop."""

AT_ONCE, LATE = 0.0, 0.6
"""Within a quarter of a second, and after it."""


def test_what_a_handler_returns_when_told_stands_if_it_comes_at_once(
    bench: Bench, start_worker: Start
) -> None:
    """R-341, R-342, R-344: by whatever kind; at a limit and at a shutdown, and after a cancel never."""
    worker = start_worker(app="tests.worker.bodies:app", concurrency=8, shutdown_timeout=0)

    def begun(*delays: float, **options: Any) -> dict[int, float]:
        steps = {bench.enqueue(kind, delay, **options): delay for kind in KINDS for delay in delays}
        for step_id in steps:
            bench.traced(step_id, "started")
        return steps

    def outcome(step_id: int) -> tuple[Any, ...]:
        step = bench.step(step_id)
        return step["state"], step["error_kind"], step["output"]

    limited = begun(AT_ONCE, LATE, timeout=4.0, max_attempts=1)
    for step_id, delay in limited.items():
        bench.ended(step_id)
        in_time = ("completed", None, "told: timed_out")
        assert outcome(step_id) == (in_time if delay == AT_ONCE else ("discarded", "timeout", None))
    cancelled = begun(AT_ONCE)
    for step_id in cancelled:
        bench.value("select tenure.cancel(%s, null)", step_id)
    shut = begun(AT_ONCE, LATE)
    worker.stop()
    for step_id, delay in shut.items():
        in_time = ("completed", None, "told: shutdown")
        assert outcome(step_id) == (in_time if delay == AT_ONCE else ("available", None, None))
        assert bench.step(step_id)["releases"] == (0 if delay == AT_ONCE else 1)
    assert {outcome(step_id) for step_id in cancelled} == {("cancelled", None, None)}


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


def test_handlers_that_swallow_their_limit_cost_no_slot(bench: Bench, start_worker: Start) -> None:
    """R-345: many times as many as there are slots; each step ends, and then there is room for all."""
    start_worker(concurrency=8, poll_interval=0.2)
    steps = [bench.enqueue("deaf", "never", timeout=0.6, max_attempts=1) for _ in range(24)]
    assert {bench.ended(step_id)["error_kind"] for step_id in steps} == {"timeout"}
    for step_id in [bench.enqueue("wait", "gate") for _ in range(8)]:
        bench.traced(step_id, "started")


def test_pausing_a_queue_stops_no_step_that_runs(bench: Bench, start_worker: Start) -> None:
    """Its lease is renewed, and its success counts; what waits is claimed when the queue goes on."""
    start_worker(lease_ttl=1.2)
    step_id = bench.enqueue("wait", "gate")
    bench.traced(step_id, "started")
    bench.value("select tenure.pause_queue('default')::text")
    waiting = bench.enqueue("nothing")
    first = bench.step(step_id)["lease_expiry"]
    wait_until(lambda: (bench.step(step_id)["lease_expiry"] - first).total_seconds() > 1.2)
    bench.open("gate")
    step = bench.ended(step_id)
    assert (step["output"], step["lease_generation"], step["reclaims"]) == ("passed", 1, 0)
    assert bench.step(waiting)["state"] == "available"
    bench.value("select tenure.resume_queue('default')::text")
    assert bench.ended(waiting)["state"] == "completed"
