"""Sleeping and waiting without a worker, and what survives it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


def test_a_handler_sleeps_without_a_slot_and_goes_on_in_the_same_attempt(
    bench: Bench, start_worker: Start
) -> None:
    start_worker(concurrency=1)
    step_id = bench.enqueue("naps", 1.0)
    bench.in_state(step_id, "waiting_timer")
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
    step = bench.ended(step_id)
    assert step["output"] == [1, 3]
    assert [trace.generation for trace in bench.traces(step_id, "slept")] == [2, 3]
    assert (step["attempt"], step["reclaims"], step["releases"]) == (1, 0, 0)


def test_a_sleep_stands_though_the_handler_swallows_it(served: Bench) -> None:
    step = served.ended(served.enqueue("swallows_sleep", 0.2))
    assert (step["output"], step["lease_generation"]) == ("returned", 2)
    assert served.traces(step["step_id"], "swallowed")[0].value == "Suspended"


def test_a_sleep_in_a_task_group_is_a_sleep(served: Bench) -> None:
    step = served.ended(served.enqueue("sleeps_in_group", 0.2))
    assert (step["state"], step["output"]) == ("completed", 2)


def test_signals_come_in_order_and_a_timeout_is_recorded_once(served: Bench) -> None:
    """Null is a payload like another, and one sent before anyone waits is kept."""
    step_id = served.enqueue("listens")
    served.in_state(step_id, "waiting_signal")
    assert served.value("select tenure.signal(%s, 'go', '{\"n\": 1}')", step_id) == "delivered"
    wait_until(lambda: served.step(step_id)["lease_generation"] >= 2)
    served.value("select tenure.signal(%s, 'go', 'null')", step_id)
    step = served.ended(step_id)
    assert step["output"] == [{"n": 1}, None, "timed out"]
    assert step["attempt"] == 1


def test_checkpoints_survive_attempts(served: Bench) -> None:
    step_id = served.enqueue("checkpoints", backoff={"kind": "fixed", "base": 0.05, "jitter": 0})
    step = served.ended(step_id)
    assert (step["state"], step["attempt"]) == ("completed", 2)
    # Computed by the first attempt; null was recorded too, so it was not computed again.
    assert step["output"] == [1, None, 1, [1]]
    assert len(served.traces(step_id, "computed")) == 1
    assert len(served.traces(step_id, "computed null")) == 1


def test_a_checkpoint_without_the_lease_is_refused(bench: Bench, start_worker: Start) -> None:
    start_worker(poll_interval=300, lease_ttl=300)
    step_id = bench.enqueue("late_checkpoint", "gate")
    bench.traced(step_id, "started")
    bench.lose(step_id)
    bench.open("gate")
    assert bench.traced(step_id, "refused")[0].value == "StaleLease"


@pytest.mark.parametrize("handler", ["remembers_thread", "remembers_process"])
def test_a_synchronous_handler_sleeps_waits_and_remembers(served: Bench, handler: str) -> None:
    """R-348, R-350: by the same methods, not awaited."""
    step_id = served.enqueue(handler, 0.1)
    served.in_state(step_id, "waiting_signal")
    served.value("select tenure.signal(%s, 'go', '7')", step_id)
    step = served.ended(step_id)
    assert step["output"] == [1, 7, 3, 1]
