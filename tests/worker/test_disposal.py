"""Resources in real workers: left in reverse on every path, by handlers of every kind."""

from __future__ import annotations

import pytest

from tests.worker.bench import Bench

KINDS = ["uses_async", "uses_thread", "uses_process"]


def left(bench: Bench, step_id: int) -> list[tuple[str, str]]:
    """What happened after the start, in order."""
    bench.traced(step_id, "put away")
    rows = bench.conn.execute(
        "select event, value from trace where step_id = %s and event <> 'started' order by id", (step_id,)
    ).fetchall()
    return [(event, value) for event, value in rows]


@pytest.mark.parametrize("handler", KINDS)
def test_a_resource_is_left_when_its_handler_has_returned(served: Bench, handler: str) -> None:
    """R-370."""
    step_id = served.enqueue(handler, f"{handler} returns")
    served.traced(step_id, "started")
    served.open(f"{handler} returns")
    assert served.ended(step_id)["output"] == "tool"
    assert left(served, step_id) == [("ended", "None"), ("put away", "None")]


@pytest.mark.parametrize("handler", KINDS)
def test_a_resource_is_left_when_the_run_is_cancelled(served: Bench, handler: str) -> None:
    """R-366, R-370: after the handler's own `finally`."""
    step_id = served.enqueue(handler, "never")
    served.traced(step_id, "started")
    assert served.value("select tenure.cancel(%s, null)", step_id) == 1
    assert left(served, step_id) == [("ended", "None"), ("put away", "CancelledError")]


@pytest.mark.parametrize("handler", KINDS)
def test_a_resource_is_left_at_the_limit_and_the_attempt_is_spent(served: Bench, handler: str) -> None:
    """R-342, R-366."""
    step_id = served.enqueue(handler, "never", timeout=4.0, max_attempts=1)
    step = served.ended(step_id)
    assert (step["state"], step["error_kind"]) == ("discarded", "timeout")
    assert left(served, step_id) == [("ended", "None"), ("put away", "CancelledError")]
