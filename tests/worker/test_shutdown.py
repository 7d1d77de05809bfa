"""Leaving in order: what runs may finish, what does not is handed back, and a report says which."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.wait import LIMIT, wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.proxy import proxy

Start = Callable[..., WorkerProcess]

OUTPUTS = {"wait": "passed", "deaf_thread": "late", "uses_process": "tool"}
"""A handler of each kind that ends when its gate opens, and what it returns."""

STOPS = ("wait", "uses_thread", "uses_process")
"""One of each kind that ends when it is told to, without a result."""


def begun(bench: Bench, *names: str, gate: str = "gate", times: int = 1) -> dict[str, int]:
    """Steps of these names, at work."""
    steps = {name: bench.enqueue(name, gate) for name in names}
    for step_id in steps.values():
        bench.traced(step_id, "started", times)
    return steps


def report(bench: Bench) -> dict[str, Any]:
    found = bench.value("select report from tenure.worker_status")
    assert isinstance(found, dict)
    return found


def test_the_first_signal_lets_handlers_finish_and_claims_no_more(bench: Bench, start_worker: Start) -> None:
    """Of each kind. Heartbeats go on until the last report is settled."""
    worker = start_worker(lease_ttl=1.2)
    steps = begun(bench, *OUTPUTS)
    worker.send()
    # An enqueue is to wake a worker that claims.
    wait_until(lambda: not bench.value("select idle from tenure.worker_status"))
    late = bench.enqueue("nothing")
    first = bench.value("select max(lease_expiry) from tenure.lease_status")
    renewed = "select min(lease_expiry) > %s + interval '2.4 s' from tenure.lease_status"
    wait_until(lambda: bench.value(renewed, first))
    bench.open("gate")
    assert worker.wait() == 0, worker.output
    for name, step_id in steps.items():
        step = bench.step(step_id)
        assert (step["state"], step["output"], step["reclaims"]) == ("completed", OUTPUTS[name], 0)
    assert bench.step(late)["state"] == "available"
    told = report(bench)
    assert told["verdicts"] == {"completed": 3}
    assert {entry["name"]: int(entry["step_id"]) for entry in told["settled"]} == steps
    for entry in told["settled"]:
        assert (entry["verdict"], entry["generation"], entry["proof"]) == ("completed", "1", "returned")
        assert datetime.fromisoformat(entry["held_since"]) < datetime.now(UTC)
    assert told["released"] == told["abandoned"] == []
    # And it says so to whoever looks on.
    assert "leaving: 3 settled, 0 released, 0 abandoned" in worker.output


def test_what_does_not_finish_in_time_is_handed_back(bench: Bench, start_worker: Start) -> None:
    """No attempt is spent."""
    worker = start_worker(shutdown_timeout=0.3)
    step_id = bench.enqueue("wait", "never")
    bench.traced(step_id, "started")
    worker.stop()
    assert bench.traces(step_id, "stopped")[0].value == "shutdown"
    step = bench.step(step_id)
    assert (step["state"], step["attempt"], step["releases"], step["reclaims"]) == ("available", 1, 1, 0)
    assert step["lease_owner"] is None
    assert report(bench)["verdicts"] == {"released": 1}
    assert report(bench)["released"][0]["proof"] == "returned"


def test_rolling_restarts_spend_no_attempt(bench: Bench, start_worker: Start) -> None:
    """Of no kind."""
    steps = [bench.enqueue(name, "gate", max_attempts=1) for name in STOPS]
    for restart in range(3):
        worker = start_worker(shutdown_timeout=0)
        for step_id in steps:
            bench.traced(step_id, "started", restart + 1)
        worker.stop()
    bench.open("gate")
    start_worker()
    for step_id in steps:
        step = bench.ended(step_id)
        assert (step["state"], step["attempt"], step["releases"], step["reclaims"]) == ("completed", 1, 3, 0)


@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_goes_to_the_end_at_once(
    bench: Bench, start_worker: Start, first: signal.Signals
) -> None:
    """R-312: for handlers of each kind."""
    worker = start_worker(shutdown_timeout=600)
    steps = begun(bench, *STOPS)
    worker.send(first)
    wait_until(lambda: "draining" in worker.output)
    worker.send(signal.SIGINT)
    assert worker.wait() == 0, worker.output
    assert {bench.step(step_id)["state"] for step_id in steps.values()} == {"available"}
    told = report(bench)
    assert told["reason"] == "it was told to stop"
    assert {entry["name"]: int(entry["step_id"]) for entry in told["released"]} == steps


def test_a_handler_that_will_not_stop_is_killed_and_then_handed_back(
    bench: Bench, start_worker: Start
) -> None:
    worker = start_worker(shutdown_timeout=0)
    deaf, blocked = bench.enqueue("deaf", "never"), bench.enqueue("blocks", 600)
    bench.traced(blocked, "started")
    bench.traced(deaf, "started")
    worker.stop()
    assert worker.gone()
    for step_id in (deaf, blocked):
        step = bench.step(step_id)
        assert (step["state"], step["attempt"], step["releases"]) == ("available", 1, 1)
    told = {int(entry["step_id"]): entry for entry in report(bench)["released"]}
    assert {step_id: entry["name"] for step_id, entry in told.items()} == {deaf: "deaf", blocked: "blocks"}
    assert {entry["proof"] for entry in told.values()} == {"process ended"}


def test_a_result_that_comes_while_leaving_stands(bench: Bench, start_worker: Start) -> None:
    worker = start_worker(shutdown_timeout=0)
    step_id = bench.enqueue("finishes_when_stopped", "never")
    bench.traced(step_id, "started")
    worker.stop()
    step = bench.step(step_id)
    assert (step["state"], step["output"]) == ("completed", "finished early")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_every_process_is_one_request(
    bench: Bench, start_worker: Start, number: signal.Signals
) -> None:
    """Those that run handlers leave it to the supervisor, and the handlers never notice."""
    worker = start_worker()
    steps = begun(bench, *OUTPUTS)
    worker.send_to_all(number)
    wait_until(lambda: "draining" in worker.output)
    bench.open("gate")
    assert worker.wait() == 0, worker.output
    for name, step_id in steps.items():
        step = bench.step(step_id)
        assert (step["output"], step["attempt"], step["reclaims"]) == (OUTPUTS[name], 1, 0)
    assert "leaving at once" not in worker.output


def test_an_idle_worker_leaves_at_once_and_says_so(bench: Bench, start_worker: Start) -> None:
    worker = start_worker(poll_interval=600, shutdown_timeout=600)
    bench.listening()
    worker.stop()
    assert report(bench) == {
        "reason": "it was told to stop",
        "seconds": report(bench)["seconds"],
        "verdicts": {},
        "settled": [],
        "released": [],
        "abandoned": [],
        "left_out": 0,
    }


def test_a_step_claimed_while_the_signal_lands_is_handed_back(bench: Bench, start_worker: Start) -> None:
    """R-315: the claim is about to commit, and waits for the test to let it. There is a process to run it."""
    worker = start_worker()
    bench.traced(bench.enqueue("wait", "gate"), "started")
    with bench.slow_commit_of("running") as waits:
        step_id = bench.enqueue("nothing")
        wait_until(waits, what="the claim is about to commit")
        worker.send()
        wait_until(lambda: "draining" in worker.output)
    wait_until(lambda: bench.step(step_id)["releases"] == 1, what="the step is handed back")
    bench.open("gate")
    assert worker.wait() == 0, worker.output
    step = bench.step(step_id)
    assert (step["state"], step["lease_generation"], step["releases"]) == ("available", 1, 1)
    assert report(bench)["released"][0]["proof"] == "not started"


def test_a_database_that_does_not_answer_holds_up_no_shutdown(bench: Bench, start_worker: Start) -> None:
    """R-310, R-311, R-314: what is not answered is told, and the root deadline, 2 s away here, holds.

    Where that is far away, the settlement timeout caps the wait.
    """
    with proxy(bench.database.server.server.socket) as network:
        hurried = start_worker(shutdown_timeout=0, host=network.folder, concurrency=1)
        told = begun(bench, "finishes_when_stopped")["finishes_when_stopped"]
        patient = start_worker(
            shutdown_timeout=4 * LIMIT, settlement_timeout=1, host=network.folder, concurrency=1
        )
        drained = begun(bench, "wait")["wait"]
        network.cut()
        began = time.monotonic()
        hurried.send()
        patient.send()
        bench.open("gate")
        assert hurried.wait() == 0, hurried.output
        assert time.monotonic() - began < 10
        assert patient.wait() == 0, patient.output
    for worker, step_id in ((hurried, told), (patient, drained)):
        assert "leaving: 0 settled, 0 released, 1 abandoned" in worker.output
        assert "the database did not answer its report: complete" in worker.output
        assert "the shutdown report could not be stored" in worker.output
        assert bench.step(step_id)["state"] == "running"
