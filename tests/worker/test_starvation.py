"""Handlers that misbehave cost nobody a lease: heartbeats come from a process that runs none."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


def test_a_blocked_loop_loses_no_lease(bench: Bench, start_worker: Start) -> None:
    """Several leases long, with others that sweep beside it."""
    start_worker(lease_ttl=1.2)
    start_worker(lease_ttl=1.2, concurrency=1, queue="elsewhere")
    neighbour = bench.enqueue("wait", "gate")
    bench.traced(neighbour, "started")
    step_id = bench.enqueue("blocks", 5)
    bench.open("gate")
    for waiting in (step_id, neighbour):
        step = bench.ended(waiting)
        assert (step["state"], step["reclaims"], step["lease_generation"]) == ("completed", 0, 1)


def test_heartbeats_follow_the_lease_and_not_the_poll_interval(bench: Bench, start_worker: Start) -> None:
    """R-393: at which intervals shows tests/worker/test_beats.py, on a clock of its own."""
    start_worker(lease_ttl=0.9, poll_interval=600)
    step_id = bench.enqueue("wait", "gate")
    bench.traced(step_id, "started")
    beats = {bench.step(step_id)["heartbeat_at"]}

    def ten() -> bool:
        beats.add(bench.step(step_id)["heartbeat_at"])
        return len(beats) > 10

    wait_until(ten, what="ten heartbeats long before the next poll")
    bench.open("gate")


def test_a_worker_claims_no_more_than_it_can_start(bench: Bench, start_worker: Start) -> None:
    start_worker(concurrency=3)
    steps = [bench.enqueue("wait", "gate") for _ in range(10)]
    wait_until(lambda: bench.value("select count(*) from trace where event = 'started'") == 3)
    wait_until(lambda: not bench.value("select bool_or(idle) from tenure.worker_status"))
    assert bench.value("select count(*) from tenure.step_status where state = 'running'") == 3
    bench.open("gate")
    assert {bench.ended(step_id)["lease_generation"] for step_id in steps} == {1}


def test_a_worker_whose_loop_is_blocked_leaves_new_steps_to_others(bench: Bench, start_worker: Start) -> None:
    """R-335: their time would run while nobody runs them."""
    start_worker(app="tests.worker.bodies:app", poll_interval=0.2, concurrency=1000)
    bench.traced(bench.enqueue("blocks_loop", 600), "started")
    bench.open("gate")
    steps = [bench.enqueue("waits", "gate")]
    old = (
        "select state = 'available' and created_at < clock_timestamp() - interval '2 seconds'"
        " from tenure.step_status where step_id = %s"
    )

    def left_alone() -> int:
        if bench.step(steps[-1])["state"] != "available":
            steps.append(bench.enqueue("waits", "gate"))
        assert len(steps) < 500, "it claims them all"
        return steps[-1] if bench.value(old, steps[-1]) else 0

    step_id = wait_until(left_alone, what="nobody claims one for ten polls")
    start_worker(app="tests.worker.bodies:app")
    step = bench.ended(step_id)
    assert (step["state"], step["attempt"], step["lease_generation"]) == ("completed", 1, 1)
