"""What a worker's operator reads: of handlers, and of steps that went wrong."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

import pytest

from tenure.worker._budget import Budget
from tenure.worker._leases import Lease
from tenure.worker._logging import tell
from tenure.worker._outcome import Outcome, failure
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]

DATED = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} "


def lines(worker: WorkerProcess, ending: str) -> list[str]:
    """What it wrote that ends so, once there is something."""
    wait_until(lambda: ending in worker.output, what=ending)
    return [line for line in worker.output.splitlines() if line.endswith(ending)]


@pytest.mark.parametrize("name", ["talks", "talks_apart"])
def test_handler_processes_log_as_the_command_does(bench: Bench, start_worker: Start, name: str) -> None:
    """R-337."""
    worker = start_worker(app="tests.worker.talking:app")
    bench.enqueue(name, "the news")
    [line] = lines(worker, "heard the news")
    assert re.fullmatch(DATED + "INFO shop: heard the news", line)


def test_handler_processes_log_as_their_application_has_set_it_up(bench: Bench, start_worker: Start) -> None:
    """R-337."""
    worker = start_worker(app="tests.worker.talking_its_own_way:app")
    bench.enqueue("talks", "the news")
    assert lines(worker, "heard the news") == ["OURS heard the news"]


def test_a_worker_logs_each_attempt_that_was_in_vain(bench: Bench, start_worker: Start) -> None:
    """R-338."""
    worker = start_worker(app="tests.worker.talking:app")
    step_id = bench.enqueue("fails", "a secret of the input", max_attempts=2)
    assert bench.ended(step_id)["state"] == "discarded"
    [first], [last] = lines(worker, "bad luck 1"), lines(worker, "bad luck 2")
    says = "{} tenure.worker._logging: step {} 'fails', attempt {}: {}, retryable: ValueError: .*"
    assert re.fullmatch(DATED + says.format("INFO", step_id, 1, "retrying"), first)
    assert re.fullmatch(DATED + says.format("WARNING", step_id, 2, "discarded"), last)
    worker.stop()
    assert "secret" not in worker.output
    assert "and more" not in worker.output


def test_an_attempt_that_ran_into_its_limit_is_told_as_the_last_one_if_it_was(
    bench: Bench, start_worker: Start
) -> None:
    """R-338: the worker reports it, and no sweep."""
    worker = start_worker(app="tests.worker.talking:app", poll_interval=600)
    step_id = bench.enqueue("oversleeps", timeout=2.0, max_attempts=1)
    [line] = lines(worker, "the handler of 'oversleeps' had not ended at its limit")
    assert re.match(DATED + "WARNING ", line)
    assert bench.step(step_id)["state"] == "discarded"


LATE = failure(TimeoutError("too late"), "timeout")
LONG = failure({"type": "E", "message": "x" * 1000}, "permanent")


@pytest.mark.parametrize(
    ("outcome", "verdict", "is_last", "level", "line"),
    [
        (LATE, "timed_out", False, logging.INFO, "timed_out, timeout: TimeoutError: too late"),
        (LATE, "timed_out", True, logging.WARNING, "timed_out, timeout: TimeoutError: too late"),
        (Outcome("complete", (None,)), "timed_out", False, logging.INFO, "timed_out"),
        (Outcome("complete", (None,)), "discarded", False, logging.WARNING, "discarded, output_conflict"),
        (failure({}), "retrying", False, logging.INFO, "retrying, retryable: None: None"),
        (failure({"type": "E", "message": ""}), "retrying", False, logging.INFO, "retrying, retryable: E: "),
        (LONG, "discarded", True, logging.WARNING, "discarded, permanent: E: " + "x" * 284),
    ],
)
def test_an_attempt_in_vain_takes_one_short_line(
    *, caplog: pytest.LogCaptureFixture, outcome: Outcome, verdict: str, is_last: bool, level: int, line: str
) -> None:
    """R-338."""
    caplog.set_level(logging.INFO)
    tell(lease(is_last=is_last), outcome, verdict)
    assert caplog.record_tuples == [
        ("tenure.worker._logging", level, rf"step 7 'send\nmail', attempt 3: {line}")
    ]


@pytest.mark.parametrize("verdict", ["completed", "skipped", "released", "sleeping", "waiting", "stale"])
def test_nothing_is_logged_of_what_was_not_in_vain(caplog: pytest.LogCaptureFixture, verdict: str) -> None:
    """R-338."""
    caplog.set_level(logging.INFO)
    tell(lease(), LATE, verdict)
    assert caplog.records == []


def lease(*, is_last: bool = False) -> Lease:
    """Of a step whose name has two lines."""
    return Lease(
        step_id=7,
        run_id=7,
        generation=4,
        name="send\nmail",
        attempt=3,
        budget=Budget.of(0.0, None),
        blocks_retry=False,
        ttl=30.0,
        renewed_at=0.0,
        is_last=is_last,
    )
