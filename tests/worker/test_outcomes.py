"""What becomes of a step for each way in which its handler can end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.test_shutdown import report

FAST = {"kind": "fixed", "base": 0.05, "jitter": 0}

HOPELESS = {
    "permanent": ("permanent", "never"),
    "uncertain": ("uncertain", "sent, no answer"),
    "uncertain inside": ("uncertain", "while cleaning up"),
    "uncertain group": ("uncertain", "unhandled errors in a TaskGroup (1 sub-exception)"),
}

Start = Callable[..., WorkerProcess]


def test_a_handler_gets_its_input_and_its_result_is_the_output(bench: Bench, start_worker: Start) -> None:
    worker = start_worker()
    step_id = bench.enqueue("echo", {"n": [1, "ü", None]}, timeout=60.0, headers={"trace": "t1"})
    quiet = bench.enqueue("nothing")
    step = bench.ended(step_id)
    assert (step["state"], step["attempt"], step["reclaims"]) == ("completed", 1, 0)
    assert step["output"] == {
        "input": {"n": [1, "ü", None]},
        "attempt": 1,
        "generation": 1,
        "run_id": step_id,
        "step_id": step_id,
        "headers": {"trace": "t1"},
        "has_limit": True,
    }
    quiet_step = bench.ended(quiet)
    assert (quiet_step["state"], quiet_step["output"]) == ("completed", None)
    worker.stop()


def test_nothing_counts_before_its_transaction_has_committed(bench: Bench, start_worker: Start) -> None:
    """No handler starts while its claim might yet roll back, and no report is settled while it might."""
    worker = start_worker(shutdown_timeout=0)
    with bench.slow_commit_of("running") as waits:
        step_id = bench.enqueue("wait", "gate")
        wait_until(waits, what="the claim is about to commit")
        since = bench.value("select clock_timestamp()")
        wait_until(lambda: bench.value("select clock_timestamp() > %s + interval '1 s'", since))
        assert bench.traces(step_id, "started") == []
    bench.traced(step_id, "started")
    with bench.slow_commit_of("completed") as waits:
        bench.open("gate")
        wait_until(waits, what="the completion is about to commit")
        worker.stop()
        told = report(bench)
        assert (told["verdicts"], told["settled"]) == ({}, [])
        assert [entry["step_id"] for entry in told["abandoned"]] == [str(step_id)]
        assert bench.step(step_id)["state"] == "running"


def test_what_a_handler_enqueues_goes_to_the_database_that_its_worker_serves(bench: Bench) -> None:
    worker = WorkerProcess(bench.database.dsn(), bench.database.dsn())
    try:
        step = bench.ended(bench.enqueue("enqueues", "another"))
        assert bench.ended(int(step["output"]))["output"]["input"] == "another"
    finally:
        worker.end()


def test_a_failure_is_retried_after_its_backoff(served: Bench) -> None:
    step_id = served.enqueue("fails", "once", backoff=FAST)
    step = served.ended(step_id)
    assert (step["state"], step["attempt"], step["lease_generation"]) == ("completed", 2, 2)
    logged = served.value("select count(*) from tenure.attempt_log where step_id = %s", step_id)
    assert logged == 1


def test_a_step_that_always_fails_is_discarded_when_its_attempts_are_spent(served: Bench) -> None:
    step = served.ended(served.enqueue("fails", "value", max_attempts=3, backoff=FAST))
    assert (step["state"], step["attempt"], step["error_kind"]) == ("discarded", 3, "retryable")
    assert (step["error"]["type"], step["error"]["message"]) == ("ValueError", "no good")
    assert "tests/worker/handlers.py" in step["error"]["traceback"]


def test_an_error_that_no_retry_helps_discards_at_once(served: Bench) -> None:
    steps = {how: served.enqueue("fails", how) for how in HOPELESS}
    for how, step_id in steps.items():
        step = served.ended(step_id)
        kind, message = HOPELESS[how]
        assert (how, step["state"], step["attempt"]) == (how, "discarded", 1)
        assert (step["error_kind"], step["error"]["message"]) == (kind, message)


def test_what_would_end_a_program_ends_only_the_attempt(served: Bench) -> None:
    for how in ("exit", "cancelled"):
        step = served.ended(served.enqueue("fails", how, max_attempts=2, backoff=FAST))
        assert (step["state"], step["attempt"], step["error_kind"]) == ("discarded", 2, "retryable")
        assert step["reclaims"] == 0


def test_a_handler_can_ask_for_its_own_delay(served: Bench) -> None:
    step_id = served.enqueue("fails", "retry")
    served.traced(step_id, "started")
    wait_until(lambda: served.step(step_id)["attempt"] == 2)
    step = served.step(step_id)
    assert step["state"] == "available"
    assert 3590 < (step["scheduled_at"] - step["started_at"]).total_seconds() < 3610


def test_skip_ends_a_step_without_a_result(served: Bench) -> None:
    step = served.ended(served.enqueue("fails", "skip"))
    assert (step["state"], step["output"]) == ("skipped", None)


@pytest.mark.parametrize(("why", "reason"), [("skip 404", "404"), ("skip error", "no such order")])
def test_a_reason_to_skip_may_be_anything_that_has_a_text(served: Bench, why: str, reason: str) -> None:
    """R-344: as what other errors are made of."""
    step = served.ended(served.enqueue("fails", why))
    assert (step["state"], step["skip_reason"]) == ("skipped", reason)


def test_many_steps_pass_each_once(bench: Bench, start_worker: Start) -> None:
    start_worker(concurrency=50)
    bench.conn.execute(
        "select tenure.enqueue_many(jsonb_agg(jsonb_build_object('name', 'echo', 'input', n)))"
        " from generate_series(1, 1000) as n"
    )
    done = "select count(*) from tenure.step_status where state = 'completed' and name = 'echo'"
    wait_until(lambda: bench.value(done) == 1000, what="all have completed")
    sums = "select sum((output ->> 'input')::int)::int, max(lease_generation) from tenure.step_status"
    assert bench.conn.execute(sums).fetchone() == (500500, 1)


def test_a_stricter_default_of_the_server_changes_nothing(bench: Bench, start_worker: Start) -> None:
    """The worker states its isolation level itself, and that of its handlers' transactions."""
    bench.conn.execute(
        f"alter database {bench.database.name} set default_transaction_isolation = serializable"
    )
    start_worker()
    steps = [bench.enqueue("echo"), bench.enqueue("books", "well")]
    assert {bench.ended(step_id)["state"] for step_id in steps} == {"completed"}


def test_a_program_that_a_handler_starts_hears_signals(served: Bench) -> None:
    assert served.ended(served.enqueue("starts_a_program"))["output"] == -15


def test_a_worker_declares_the_policies_of_its_steps(served: Bench) -> None:
    served.listening()
    step: dict[str, Any] = served.step(served.enqueue("impatient", "never", delay=3600.0))
    assert (step["timeout"].total_seconds(), step["max_attempts"]) == (0.3, 2)
