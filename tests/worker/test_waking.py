"""An idle worker hears of new work at once, and looks for itself when it hears nothing."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]

NEVER = 600
"""A poll interval, in seconds, that no test waits for."""


def test_an_enqueue_wakes_an_idle_worker_again_and_again(bench: Bench, start_worker: Start) -> None:
    start_worker(poll_interval=NEVER)
    for _ in range(3):
        bench.listening()
        assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"


def test_one_of_two_idle_workers_is_woken_and_the_other_by_the_next(
    bench: Bench, start_worker: Start
) -> None:
    for _ in range(2):
        start_worker(poll_interval=NEVER, concurrency=1)
    bench.listening(2)
    first, second = bench.enqueue("wait", "gate"), bench.enqueue("wait", "gate")
    pids = {bench.traced(step_id, "started")[0].pid for step_id in (first, second)}
    assert len(pids) == 2
    bench.open("gate")
    assert bench.ended(first)["state"] == bench.ended(second)["state"] == "completed"


def test_a_free_slot_is_enough_to_be_woken(bench: Bench, start_worker: Start) -> None:
    start_worker(poll_interval=NEVER, concurrency=2)
    busy = bench.enqueue("wait", "gate")
    bench.traced(busy, "started")
    bench.listening()
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
    bench.open("gate")


def test_a_full_worker_asks_for_no_notification(bench: Bench, start_worker: Start) -> None:
    start_worker(poll_interval=NEVER, concurrency=1)
    bench.listening()
    bench.traced(bench.enqueue("wait", "gate"), "started")
    wait_until(lambda: bench.value("select count(*) from tenure.worker_status where idle") == 0)
    waiting = bench.enqueue("nothing")
    bench.open("gate")
    # Nobody told it of this one: it looks when a slot is free.
    assert bench.ended(waiting)["state"] == "completed"


def test_a_listener_that_was_cut_off_listens_again(bench: Bench, start_worker: Start) -> None:
    """And what came meanwhile is found."""
    start_worker(poll_interval=NEVER)
    bench.listening()
    kill = (
        "select count(pg_terminate_backend(pid)) from pg_stat_activity"
        " where datname = current_database() and application_name = 'tenure listener'"
    )
    assert bench.value(kill) == 1
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
    bench.listening()
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"


def test_without_notifications_polling_finds_the_work(bench: Bench, start_worker: Start) -> None:
    start_worker(poll_interval=1)
    bench.listening()
    bench.conn.execute("update tenure_private.waiter set channel = 'nobody'")
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"


def test_a_delayed_step_starts_when_it_is_due(bench: Bench, start_worker: Start) -> None:
    start_worker()
    bench.listening()
    step = bench.ended(bench.enqueue("nothing", delay=1.0))
    assert step["started_at"] >= step["scheduled_at"]
