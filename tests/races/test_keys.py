"""Two enqueues of one idempotency key at a time."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import IsolationLevel

from tests.races.stage import Conn, Stage, enqueue, rows

STRICT = [IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE]


def keyed(conn: Conn) -> int:
    """Enqueue with the key that all race for."""
    return enqueue(conn, idempotency_key="one")


def runs(conn: Conn) -> list[int]:
    """Return the ids of all runs."""
    return [run_id for (run_id,) in rows(conn, "select run_id from tenure.run_status order by run_id")]


def test_winner_commits(stage: Stage) -> None:
    """R-130: the second enqueue waits for the first one's transaction and returns its run."""
    first, second = stage.holding(), stage.session()
    winner = keyed(first)
    late = stage.start(keyed, second)
    stage.waits_for_transaction(second, first)
    first.commit()
    assert late.result() == winner
    assert runs(second) == [winner]


def test_winner_rolls_back(stage: Stage) -> None:
    """R-130: when the winner rolls back the waiter inserts: somebody's job exists."""
    first, second = stage.holding(), stage.session()
    winner = keyed(first)
    late = stage.start(keyed, second)
    stage.waits_for_transaction(second, first)
    first.rollback()
    assert late.result() != winner
    assert runs(second) == [late.result()]


def test_winner_rolls_back_to_a_savepoint(stage: Stage) -> None:
    """The waiter goes on once the winner's savepoint is undone, though its transaction stays open."""
    first, second = stage.holding(), stage.session()
    first.execute("select 1")
    with first.transaction(force_rollback=True):
        keyed(first)
        late = stage.start(keyed, second)
        stage.waits_for_transaction(second, first)
    assert runs(second) == [late.result(timeout=30)]
    assert first.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
    assert stage.passes_by(first, keyed, second) == late.result()


@pytest.mark.parametrize("level", STRICT)
def test_winner_commits_under_a_stricter_level(stage: Stage, level: IsolationLevel) -> None:
    """A waiter that may not see the winner's row gets 40001, never a run that is not there."""
    first, second = stage.holding(), stage.holding()
    second.isolation_level = level
    winner = keyed(first)
    late = stage.start(keyed, second)
    stage.waits_for_transaction(second, first)
    first.commit()
    assert isinstance(late.exception(), psycopg.errors.SerializationFailure)
    second.rollback()
    assert keyed(second) == winner


@pytest.mark.parametrize("level", STRICT)
def test_winner_rolls_back_under_a_stricter_level(stage: Stage, level: IsolationLevel) -> None:
    """When the winner rolls back a waiter of any level inserts."""
    first, second = stage.holding(), stage.holding()
    second.isolation_level = level
    keyed(first)
    late = stage.start(keyed, second)
    stage.waits_for_transaction(second, first)
    first.rollback()
    late.result()
    second.commit()
    assert runs(second) == [late.result()]


@pytest.mark.parametrize("level", STRICT)
def test_winner_is_newer_than_the_snapshot(stage: Stage, level: IsolationLevel) -> None:
    """A key that was taken after the snapshot is a serialization failure too."""
    first, second = stage.session(), stage.holding()
    second.isolation_level = level
    second.execute("select from tenure.run_status")
    keyed(first)
    with pytest.raises(psycopg.errors.SerializationFailure):
        keyed(second)


def test_batches_in_opposite_order(stage: Stage) -> None:
    """R-130, R-163: two batches that share their keys in opposite order wait for each other one way only."""
    first, second = stage.holding(), stage.session()
    batch = "select * from tenure.enqueue_many(%s)"
    forth = '[{"name": "job", "idempotency_key": "a"}, {"name": "job", "idempotency_key": "b"}]'
    back = '[{"name": "job", "idempotency_key": "b"}, {"name": "job", "idempotency_key": "a"}]'
    mine = [step_id for (step_id,) in rows(first, batch, forth)]
    late = stage.start(rows, second, batch, back)
    stage.waits_for_transaction(second, first)
    first.commit()
    assert [step_id for (step_id,) in late.result()] == mine[::-1]
