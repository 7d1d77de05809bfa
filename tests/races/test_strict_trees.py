"""Callers under stricter levels than READ COMMITTED: 40001 or the truth, in workflows too (R-458)."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import IsolationLevel

from tests.races.stage import (
    Conn,
    Lease,
    Stage,
    cancel,
    complete,
    fail,
    pause,
    retry,
    rows,
    send_signal,
    state,
    wait_signal,
)
from tests.races.test_trees import start_late, two
from tests.races.trees import broken

LEVELS = [IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE]


def strict(stage: Stage, level: IsolationLevel) -> Conn:
    """Open a session whose transaction has its snapshot."""
    conn = stage.holding()
    conn.isolation_level = level
    rows(conn, "select count(*) from tenure.run_status")
    return conn


def refused(call: Callable[[], object]) -> None:
    """See that PostgreSQL refuses a call whose snapshot is too old."""
    with pytest.raises(psycopg.errors.SerializationFailure):
        call()


@pytest.mark.parametrize("level", LEVELS)
def test_a_child_that_was_started_since(stage: Stage, level: IsolationLevel) -> None:
    """R-458: cancel, pause and a failure do not pass over a child that they cannot see."""
    conn = stage.session()
    run_id, a, b = two(conn)
    late = [strict(stage, level) for _ in range(3)]
    start_late(conn, a)
    refused(lambda: cancel(late[0], run_id))
    refused(lambda: pause(late[1], run_id))
    refused(lambda: fail(late[2], b, "permanent"))
    for each in late:
        each.rollback()
    assert cancel(conn, run_id) == 5
    assert broken(conn) == []


@pytest.mark.parametrize("level", LEVELS)
def test_a_wait_that_began_since(stage: Stage, level: IsolationLevel) -> None:
    """R-458: a signal does not miss it."""
    conn = stage.session()
    run_id, a, _ = two(conn)
    late = strict(stage, level)
    assert wait_signal(conn, a) == "waiting"
    refused(lambda: send_signal(late, run_id))
    late.rollback()
    assert send_signal(late, run_id) == "delivered"
    late.commit()
    assert state(conn, a.step_id) == "available"


@pytest.mark.parametrize("level", LEVELS)
def test_a_signal_that_was_sent_since(stage: Stage, level: IsolationLevel) -> None:
    """R-458: a wait does not miss it."""
    conn = stage.session()
    run_id, a, _ = two(conn)
    late = strict(stage, level)
    assert send_signal(conn, run_id) == "kept"
    refused(lambda: wait_signal(late, a))
    late.rollback()
    assert wait_signal(late, a) == "waiting"
    late.commit()
    assert state(conn, a.step_id) == "available"


@pytest.mark.parametrize("level", LEVELS)
def test_a_sibling_that_ended_since(stage: Stage, level: IsolationLevel) -> None:
    """R-458: joins and retries are 40001 or right."""
    conn = stage.session()
    run_id, a, b = two(conn)
    late = strict(stage, level)
    assert complete(conn, a) == "completed"
    refused(lambda: complete(late, b))
    late.rollback()
    assert complete(late, b) == "completed"
    late.commit()
    assert rows(conn, "select s.node from tenure.step_status as s where s.state = 'available'") == [("c",)]
    [c] = [Lease(step_id, generation, "w1") for step_id, generation in rows(conn, CLAIM)]
    late = strict(stage, level)
    assert fail(conn, c, "permanent") == "discarded"
    with pytest.raises(psycopg.DatabaseError):
        retry(late, run_id)
    late.rollback()
    assert retry(late, run_id) == "waiting_steps"
    late.commit()
    assert broken(conn) == []


CLAIM = "select step_id, generation from tenure.claim('{default}', 'w1')"
