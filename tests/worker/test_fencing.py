"""A worker that cannot reach the database stops its handlers before somebody else gets their steps."""

from __future__ import annotations

import signal
from collections.abc import Callable

from tenure.worker._groups import living
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.proxy import proxy

Start = Callable[..., WorkerProcess]

APP = "tests.worker.bodies:app"


def test_a_handler_is_told_before_the_database_can_hand_its_step_on(
    bench: Bench, start_worker: Start
) -> None:
    """R-302: of each kind. The handlers reach the database by a way of their own, to tell.

    One that does not stop is dead about when its lease ends, though nobody would sweep for long.
    """
    with proxy(bench.database.server.server.socket) as network:
        start_worker(app=APP, lease_ttl=6, host=network.folder)
        steps = [bench.enqueue(name, "never") for name in ("waits", "listens", "works")]
        stubborn = bench.enqueue("ignores", "never")
        for step_id in (*steps, stubborn):
            bench.traced(step_id, "started")
        pid = bench.traces(stubborn, "started")[0].pid
        network.cut()
        for step_id in steps:
            assert bench.traced(step_id, "stopped")[0].value == "lease_lost"
            told_at = "select max(at) from trace where step_id = %s and event = 'stopped'"
            # It has not moved: nobody sweeps, and the lease had not ended either.
            assert bench.value(told_at, step_id) < bench.step(step_id)["lease_expiry"]
            assert bench.step(step_id)["state"] == "running"
        wait_until(lambda: not living(pid), what="the process that does not stop is gone")
        late = bench.value("select clock_timestamp()") - bench.step(stubborn)["lease_expiry"]
        assert late.total_seconds() < 3
        network.mend()
        for step_id in (*steps, stubborn):
            bench.traced(step_id, "started", 2)
            assert bench.step(step_id)["reclaims"] == 1


def test_handlers_are_told_while_their_supervisor_stands_still(bench: Bench, start_worker: Start) -> None:
    """R-302: of each kind, by their own process; one that does not stop dies by the end of its lease."""
    worker = start_worker(app=APP, lease_ttl=6)
    steps = [bench.enqueue(name, "never") for name in ("waits", "listens", "works")]
    stubborn = bench.enqueue("ignores", "never")
    pids = {step_id: bench.traced(step_id, "started")[0].pid for step_id in (*steps, stubborn)}
    worker.send(signal.SIGSTOP)
    for step_id in steps:
        assert bench.traced(step_id, "stopped")[0].value == "lease_lost"
        told_at = "select max(at) from trace where step_id = %s and event = 'stopped'"
        assert bench.value(told_at, step_id) < bench.step(step_id)["lease_expiry"]
    wait_until(lambda: not living(pids[stubborn]), what="the process that does not stop is gone")
    worker.send(signal.SIGCONT)
    for step_id in (*steps, stubborn):
        bench.traced(step_id, "started", 2)
        assert (bench.step(step_id)["reclaims"], len(bench.traces(step_id, "stopped"))) in {(1, 1), (1, 0)}


def test_a_lease_that_is_renewed_is_not_fenced_though_its_process_hears_of_it_late(
    bench: Bench, start_worker: Start
) -> None:
    """R-331, R-302: its interpreter is held for longer than a lease; what was said is heard first."""
    worker = start_worker(app=APP, lease_ttl=2)
    held = bench.enqueue("holds_in_thread", 5)
    assert bench.ended(held)["output"] == "held"
    assert (bench.step(held)["lease_generation"], bench.step(held)["reclaims"]) == (1, 0)
    assert "no heartbeat has succeeded" not in worker.output


def test_a_report_of_a_handler_that_has_ended_is_sent_until_it_is_answered(
    bench: Bench, start_worker: Start
) -> None:
    """R-303: its lease has run out meanwhile, nobody has taken the step, and the work counts."""
    with proxy(bench.database.server.server.socket) as network:
        # Its own sweep would take the step otherwise.
        start_worker(app=APP, lease_ttl=4, poll_interval=600, host=network.folder)
        step_id = bench.enqueue("waits", "gate")
        bench.traced(step_id, "started")
        network.cut()
        bench.open("gate")
        wait_until(lambda: bench.step(step_id)["lease_expiry"] < bench.value("select clock_timestamp()"))
        network.mend()
        step = bench.ended(step_id)
        assert (step["output"], step["lease_generation"], step["reclaims"]) == ("passed", 1, 0)


def test_a_handler_whose_own_transaction_holds_its_report_is_not_fenced(
    bench: Bench, start_worker: Start
) -> None:
    """R-303: no heartbeat gets through its row's lock, and no sweep either."""
    worker = start_worker(lease_ttl=1)
    with bench.slow_commit_of("completed") as waits:
        step_id = bench.enqueue("books", "")
        wait_until(waits, what="the completion is about to commit")
        wait_until(
            lambda: bench.value("select clock_timestamp() > lease_expiry + '1 s' from tenure.lease_status")
        )
    step = bench.ended(step_id)
    assert (step["state"], step["lease_generation"], step["reclaims"]) == ("completed", 1, 0)
    assert "no heartbeat has succeeded" not in worker.output
    assert bench.value("select count(*) from booking") == 1
