"""Cancel reaches a handler that runs."""

from __future__ import annotations

from collections.abc import Callable

from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


def test_a_notification_tells_the_handler_long_before_its_next_heartbeat(
    bench: Bench, start_worker: Start
) -> None:
    worker = start_worker(lease_ttl=30_000, poll_interval=30_000)
    bench.listening()
    step_id = bench.enqueue("wait", "never")
    bench.traced(step_id, "started")
    assert bench.value("select tenure.cancel(%s, 'changed our mind')", step_id) == 1
    assert bench.traced(step_id, "stopped")[0].value == "cancelled"
    worker.stop()
    step = bench.step(step_id)
    assert (step["state"], step["attempt"], step["error"]) == ("cancelled", 1, None)
    assert step["cancel_reason"] == "changed our mind"


def test_a_thread_is_told_at_once_though_its_loop_is_blocked(bench: Bench, start_worker: Start) -> None:
    """R-341: the token is set by the thread that reads, and not in the loop."""
    start_worker(app="tests.worker.bodies:app")
    listener = bench.enqueue("listens", "")
    bench.traced(listener, "started")
    bench.traced(bench.enqueue("sits_on_loop", "gate"), "started")
    bench.value("select tenure.cancel(%s, null)", listener)
    assert bench.traced(listener, "stopped")[0].value == "cancelled"
    bench.open("gate")


def test_without_a_notification_the_next_heartbeat_tells(bench: Bench, start_worker: Start) -> None:
    start_worker(lease_ttl=1.5)
    step_id = bench.enqueue("wait", "never")
    bench.traced(step_id, "started")
    # As behind a pooler that drops LISTEN.
    bench.conn.execute("update tenure_private.worker set channel = 'nobody'")
    bench.value("select tenure.cancel(%s, null)", step_id)
    assert bench.traced(step_id, "stopped")[0].value == "cancelled"


def test_a_late_result_of_a_cancelled_step_changes_nothing(bench: Bench, start_worker: Start) -> None:
    worker = start_worker(lease_ttl=300)
    bench.listening()
    step_id = bench.enqueue("deaf", "later")
    bench.traced(step_id, "started")
    bench.value("select tenure.cancel(%s, null)", step_id)
    bench.traced(step_id, "stopped")
    before = bench.step(step_id)
    bench.open("later")
    worker.stop()
    assert bench.step(step_id)["state"] == before["state"] == "cancelled"
    assert bench.step(step_id)["output"] is None


def test_the_slot_of_a_cancelled_step_is_free_again(bench: Bench, start_worker: Start) -> None:
    start_worker(concurrency=1)
    first = bench.enqueue("wait", "never")
    bench.traced(first, "started")
    second = bench.enqueue("nothing")
    bench.value("select tenure.cancel(%s, null)", first)
    assert bench.ended(second)["state"] == "completed"


def test_a_lease_that_was_lost_stops_the_handler(bench: Bench, start_worker: Start) -> None:
    start_worker(lease_ttl=1.5, poll_interval=300)
    step_id = bench.enqueue("wait", "never")
    bench.traced(step_id, "started")
    bench.lose(step_id)
    assert bench.traced(step_id, "stopped")[0].value == "lease_lost"
