"""A report or a heartbeat against whatever else moves its step."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.races.stage import (
    Stage,
    cancel,
    claim,
    complete,
    enqueue,
    expire,
    fail,
    heartbeat,
    pause,
    purge,
    release,
    retry,
    rows,
    start,
    state,
    sweep,
)


def test_complete_then_cancel(stage: Stage) -> None:
    """R-104, R-164: cancel waits for the row that complete has locked, and finds the run over."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert complete(first, lease) == "completed"
    late = stage.start(cancel, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == 0
    assert state(second, lease.step_id) == "completed"


def test_complete_rolled_back_then_cancel(stage: Stage) -> None:
    """R-052, R-104: a completion that is rolled back has not been; the waiting cancel wins."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert complete(first, lease) == "completed"
    late = stage.start(cancel, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.rollback()
    assert late.result() == 1
    assert complete(first, lease) == "cancelled"


def test_cancel_then_complete(stage: Stage) -> None:
    """R-103, R-104: complete waits for the row that cancel has locked, and is told."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert cancel(first, lease.step_id) == 1
    late = stage.start(complete, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "cancelled"
    assert heartbeat(second, lease) == "cancelled"
    assert state(second, lease.step_id) == "cancelled"


def test_heartbeat_then_sweep(stage: Stage) -> None:
    """R-043, R-090: the sweep passes over a lease that is being renewed, and leaves it alone after."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    expire(second, lease.step_id)
    assert heartbeat(first, lease) == "renewed"
    assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
    first.commit()
    assert sweep(second) == (0, 0, 0, 0)
    assert complete(second, lease) == "completed"


def test_sweep_then_heartbeat(stage: Stage) -> None:
    """R-041, R-070: a heartbeat waits for the row that the sweep has locked, and has lost."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    expire(second, lease.step_id)
    assert sweep(first) == (1, 0, 0, 0)
    late = stage.start(heartbeat, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "lost"
    assert state(second, lease.step_id) == "available"


def test_complete_then_sweep(stage: Stage) -> None:
    """R-082, R-164: the sweep passes over a step that is being completed, expired lease or not."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    expire(second, lease.step_id)
    assert complete(first, lease) == "completed"
    assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
    first.commit()
    assert sweep(second) == (0, 0, 0, 0)
    assert state(second, lease.step_id) == "completed"


def test_sweep_then_complete(stage: Stage) -> None:
    """R-049: complete waits for the row that the sweep has locked, and is stale."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    expire(second, lease.step_id)
    assert sweep(first) == (1, 0, 0, 0)
    late = stage.start(complete, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "stale"
    [again] = claim(second, "w2")
    assert (again.step_id, again.generation) == (lease.step_id, lease.generation + 1)


def test_sweep_rolled_back_then_complete(stage: Stage) -> None:
    """R-082: a sweep that is rolled back has moved nothing, and the waiting completion lands."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    expire(second, lease.step_id)
    assert sweep(first) == (1, 0, 0, 0)
    late = stage.start(complete, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.rollback()
    assert late.result() == "completed"


def test_retry_then_late_report(stage: Stage) -> None:
    """R-110: the old worker's report waits for the row that retry has locked, and is stale."""
    first, second = stage.holding(), stage.session()
    lease = start(second, timeout="0", max_attempts=1)
    assert sweep(second) == (0, 1, 1, 0)
    assert retry(first, lease.step_id) == "available"
    late = stage.start(complete, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "stale"
    assert state(second, lease.step_id) == "available"


def test_late_report_then_retry(stage: Stage) -> None:
    """R-098, R-105: retry waits for the row of a report that comes too late, and reopens the step."""
    first, second = stage.holding(), stage.session()
    lease = start(second, timeout="0", max_attempts=1)
    assert sweep(second) == (0, 1, 1, 0)
    assert complete(first, lease) == "stale"
    late = stage.start(retry, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "available"
    second.execute("update tenure_private.step set timeout = null")
    [again] = claim(second, "w2")
    assert again.generation == lease.generation + 1
    assert complete(second, lease) == "stale"
    assert complete(second, again) == "completed"


def test_release_then_cancel(stage: Stage) -> None:
    """R-100: cancel waits for the row that release has locked, and ends the available step."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert release(first, lease) == "released"
    late = stage.start(cancel, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == 1
    assert claim(second) == []
    assert state(second, lease.step_id) == "cancelled"


def test_cancel_then_release(stage: Stage) -> None:
    """R-103: release waits for the row that cancel has locked, and does not bring the step back."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert cancel(first, lease.step_id) == 1
    late = stage.start(release, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "cancelled"
    assert claim(second) == []


def test_complete_then_pause(stage: Stage) -> None:
    """R-112: pause waits for the row that complete has locked, and finds nothing to pause."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert complete(first, lease) == "completed"
    late = stage.start(pause, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == 0
    assert state(second, lease.step_id) == "completed"


@pytest.mark.parametrize(
    ("report", "verdict", "after"),
    [(complete, "completed", "completed"), (release, "released", "paused"), (fail, "retrying", "paused")],
)
def test_pause_then_report(stage: Stage, report: Callable[..., str], verdict: str, after: str) -> None:
    """R-113: a report waits for the row that pause has locked; an unfinished step is paused then."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert pause(first, lease.step_id) == 0
    late = stage.start(report, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == verdict
    assert state(second, lease.step_id) == after
    assert claim(second) == []


def test_purge_then_late_report(stage: Stage) -> None:
    """R-141: a late report waits for the row that purge has locked, and is stale when it has gone."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert cancel(second, lease.step_id) == 1
    second.execute("update tenure_private.step set lease_expiry = tenure_private.clock()")
    assert purge(first) == 2  # its row, and that of its attempt
    late = stage.start(complete, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "stale"
    assert rows(second, "select from tenure.run_status") == []


def test_late_report_then_purge(stage: Stage) -> None:
    """R-141: purge passes over a run whose row a late report has locked, and takes it the next time."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert cancel(second, lease.step_id) == 1
    second.execute("update tenure_private.step set lease_expiry = tenure_private.clock()")
    assert complete(first, lease) == "cancelled"
    assert stage.passes_by(first, purge, second) == 0
    first.commit()
    assert purge(second) == 2
    assert complete(second, lease) == "stale"


def test_report_in_an_enqueuing_transaction(stage: Stage) -> None:
    """R-052, R-126: a completion and the step it enqueues commit together; until then neither is seen."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    enqueue(first, name="next")
    assert complete(first, lease) == "completed"
    assert stage.passes_by(first, claim, second) == []
    assert state(second, lease.step_id) == "running"
    first.commit()
    assert state(second, lease.step_id) == "completed"
    assert len(claim(second)) == 1
