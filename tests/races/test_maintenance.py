"""Sweepers and purgers beside each other, and beside those who work."""

from __future__ import annotations

from tests.races.stage import (
    Stage,
    cancel,
    claim,
    complete,
    enqueue,
    enqueue_batch,
    expire,
    purge,
    rows,
    start,
    sweep,
    value,
)


def test_two_sweepers(stage: Stage) -> None:
    """R-090, R-093: a second sweeper waits for nobody, moves what the first has left, and nothing twice."""
    first, second = stage.holding(), stage.session()
    ids = enqueue_batch(second, 20)
    assert len(claim(second, max_steps=20)) == 20
    expire(second, *ids)
    assert sweep(first, 15) == (15, 0, 0, 0)
    assert stage.passes_by(first, sweep, second) == (5, 0, 0, 0)
    assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
    first.commit()
    assert sweep(second) == (0, 0, 0, 0)
    assert rows(second, "select distinct reclaims, state from tenure.step_status") == [(1, "available")]


def test_a_sweeper_that_rolls_back(stage: Stage) -> None:
    """R-093: what a sweeper has moved and rolled back is moved by the next, once."""
    first, second = stage.holding(), stage.session()
    ids = enqueue_batch(second, 5)
    assert len(claim(second, max_steps=5)) == 5
    expire(second, *ids)
    assert sweep(first) == (5, 0, 0, 0)
    first.rollback()
    assert sweep(second) == (5, 0, 0, 0)
    assert len(claim(second, max_steps=10)) == 5


def test_a_locked_run_hides_no_other(stage: Stage) -> None:
    """R-090: with older alarms than fit in a pass all locked, the sweep still finds the newest."""
    first, second = stage.holding(), stage.session()
    ids = enqueue_batch(second, 30)
    assert len(claim(second, max_steps=30)) == 30
    expire(second, *ids)
    lease = start(second)
    expire(second, lease.step_id)
    first.execute("select from tenure_private.step where step_id = any(%s) for update", (ids,))
    assert stage.passes_by(first, sweep, second, 10) == (1, 0, 0, 0)
    first.commit()
    assert sweep(second, 10) == (10, 0, 0, 0)


def test_two_purgers(stage: Stage) -> None:
    """R-141: a second purger waits for nobody and removes what the first has left."""
    first, second = stage.holding(), stage.session()
    ids = enqueue_batch(second, 20)
    for step_id in ids:
        assert cancel(second, step_id) == 1
    assert purge(first, 15) == 15
    assert stage.passes_by(first, purge, second, 100) == 5
    first.commit()
    assert purge(second) == 0
    assert value(second, "select count(*) from tenure_private.step") == 0


def test_purge_beside_a_large_run(stage: Stage) -> None:
    """R-142: a run of many rows that one purger is at work on is passed over by others and hidden after."""
    first, second = stage.holding(), stage.session()
    large = start(second)
    for number in range(20):
        second.execute("select tenure.checkpoint(%s, 'w1', 1, %s, 'true')", (large.step_id, f"k{number}"))
    assert complete(second, large) == "completed"
    assert purge(first, 10) == 10
    assert stage.passes_by(first, purge, second, 10) == 0
    first.commit()
    assert rows(second, "select from tenure.run_status") == []
    assert purge(second, 100) == 11
    assert value(second, "select count(*) from tenure_private.step") == 0


def test_sweep_beside_an_open_enqueue(stage: Stage) -> None:
    """R-126: an open transaction's steps are not there for the sweep, and it waits for none of them."""
    first, second = stage.holding(), stage.session()
    enqueue(first, deadline="0")
    assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
    first.commit()
    assert sweep(second) == (0, 0, 1, 0)
