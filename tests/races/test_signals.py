"""A signal against the wait for it, and against the time-out of that wait."""

from __future__ import annotations

from datetime import timedelta

from tests.races.stage import (
    Lease,
    Stage,
    cancel,
    claim,
    make_due,
    rows,
    send_signal,
    start,
    state,
    sweep,
    value,
    wait_signal,
)
from tests.support.clock import move_clock


def claimed_signal(stage: Stage, lease: Lease) -> object:
    """Claim the step again and return what ended its wait."""
    [(step_id, generation, signal)] = rows(
        stage.session(), "select c.step_id, c.generation, c.signal from tenure.claim('{default}', 'w2') as c"
    )
    assert (step_id, generation) == (lease.step_id, lease.generation + 1)
    return signal


ARRIVED = {"key": "signal:go:1", "kind": "signal", "signal": "go", "outcome": "arrived", "payload": "now"}


def test_wait_then_signal(stage: Stage) -> None:
    """R-122: a signal waits for the run's row until the wait is parked, and ends it."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert wait_signal(first, lease) == "waiting"
    late = stage.start(send_signal, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "delivered"
    assert claimed_signal(stage, lease) == ARRIVED


def test_signal_then_wait(stage: Stage) -> None:
    """R-123: a wait that begins while the signal is being sent waits for the run's row, and finds it."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert send_signal(first, lease.step_id) == "kept"
    late = stage.start(wait_signal, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "waiting"
    assert claimed_signal(stage, lease) == ARRIVED
    assert rows(second, "select from tenure_private.signal") == []


def test_signal_rolled_back_then_wait(stage: Stage) -> None:
    """A signal that is rolled back was never sent: the wait is parked."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert send_signal(first, lease.step_id) == "kept"
    late = stage.start(wait_signal, second, lease)
    stage.waits_for_step(second, first, lease.step_id)
    first.rollback()
    assert late.result() == "waiting"
    assert state(second, lease.step_id) == "waiting_signal"
    assert send_signal(second, lease.step_id) == "delivered"


def test_two_signals(stage: Stage) -> None:
    """R-122: two signals race for one wait: one is delivered, the other kept for the next wait."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert wait_signal(second, lease) == "waiting"
    assert send_signal(first, lease.step_id) == "delivered"
    late = stage.start(send_signal, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "kept"
    assert value(second, "select count(*) from tenure_private.signal") == 1


def test_sweep_then_signal(stage: Stage) -> None:
    """R-125: a signal that waits for a wait being timed out is kept; the wait ended once, timed out."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert wait_signal(second, lease, timeout="1 hour") == "waiting"
    make_due(second, lease.step_id)
    assert sweep(first) == (0, 0, 0, 1)
    late = stage.start(send_signal, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "kept"
    assert claimed_signal(stage, lease) == {
        "key": "signal:go:1", "kind": "signal", "signal": "go", "outcome": "timed_out", "payload": None
    }  # fmt: skip


def test_signal_then_sweep(stage: Stage) -> None:
    """R-125: the sweep passes over a wait that a signal is ending, and it has arrived, not timed out."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert wait_signal(second, lease, timeout="1 hour") == "waiting"
    assert send_signal(first, lease.step_id) == "delivered"
    move_clock(second, timedelta(hours=2))  # the signal was in time, and its transaction is still open
    assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
    first.commit()
    assert sweep(second) == (0, 0, 0, 0)
    assert claimed_signal(stage, lease) == ARRIVED


def test_signal_then_cancel(stage: Stage) -> None:
    """R-100: a cancel that waits for a delivery ends the step that the signal has woken."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert wait_signal(second, lease) == "waiting"
    assert send_signal(first, lease.step_id) == "delivered"
    late = stage.start(cancel, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == 1
    assert claim(second) == []


def test_cancel_then_signal(stage: Stage) -> None:
    """R-124: a signal that waits for a cancel finds the run over."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert wait_signal(second, lease) == "waiting"
    assert cancel(first, lease.step_id) == 1
    late = stage.start(send_signal, second, lease.step_id)
    stage.waits_for_step(second, first, lease.step_id)
    first.commit()
    assert late.result() == "over"
