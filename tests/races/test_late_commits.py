"""Whoever makes a step available and commits late is found by the very next claim.

Claims start to read at a head that other claims raise (see raise_head in the engine's SQL). Each test commits
a step behind the place where the head would have got without it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import psycopg
import pytest

from tests.races.stage import (
    Conn,
    Lease,
    Stage,
    claim,
    complete,
    enqueue,
    enqueue_batch,
    expire,
    fail,
    make_due,
    pause,
    release,
    resume,
    retry,
    rows,
    send_signal,
    start,
    sweep,
    value,
    wait_signal,
)
from tests.support.clock import move_clock, reset_clock
from tests.support.wait import wait_until

_MARKS_AGE = """
select coalesce(min(tenure_private.clock() - h.mark_at) > '20 milliseconds', true)
from tenure_private.head as h
where h.track_id > 0 and h.seq in (select max(n.seq) from tenure_private.head as n group by n.track_id)
"""

_FLOORS_AGE = """
select coalesce(max(h.mark_at) < tenure_private.clock() - interval '20 milliseconds', true)
from tenure_private.head as h
where h.track_id = 0
"""


def traffic(conn: Conn, claims: int = 3, name: str = "job") -> None:
    """Let a few steps pass, each claimed when the track's mark is old enough to be followed."""
    for _ in range(claims):
        wait_until(lambda: value(conn, _MARKS_AGE), what="the mark is 20 ms old")
        step_id = enqueue(conn, name)
        [lease] = claim(conn, "traffic", names=[name])
        assert lease.step_id == step_id
        assert complete(conn, lease) == "completed"


def head_is_raised(conn: Conn) -> bool:
    """Tell whether claims start anywhere but at the beginning."""
    return bool(
        value(conn, "select exists (select from tenure_private.head where isfinite(head) and track_id > 0)")
    )


def claimed_next(conn: Conn) -> int:
    """Return the one step that the next claim finds."""
    [lease] = claim(conn, "late", 10)
    return lease.step_id


def make_enqueued(conn: Conn, late: Conn) -> int:
    return enqueue(late)


def make_enqueued_in_a_batch(conn: Conn, late: Conn) -> int:
    [step_id] = enqueue_batch(late, 1)
    return step_id


def make_enqueued_in_a_savepoint(conn: Conn, late: Conn) -> int:
    late.execute("select pg_current_xact_id()")
    with late.transaction(force_rollback=True):
        enqueue(late)
    with late.transaction():
        return enqueue(late)


def make_enqueued_with_a_key(conn: Conn, late: Conn) -> int:
    return enqueue(late, idempotency_key="key")


def make_enqueued_for_soon(conn: Conn, late: Conn) -> int:
    return enqueue(late, delay="1 millisecond")


def make_enqueued_for_the_past(conn: Conn, late: Conn) -> int:
    return enqueue(late, scheduled_at="2001-01-01T00:00:00Z")


def make_released(conn: Conn, late: Conn) -> int:
    lease = start(conn)
    late.execute("select pg_current_xact_id()")
    assert release(late, lease) == "released"
    return lease.step_id


def make_failed(conn: Conn, late: Conn) -> int:
    lease = start(conn)
    assert fail(late, lease, retry_after="0") == "retrying"
    return lease.step_id


def make_failed_for_soon(conn: Conn, late: Conn) -> int:
    lease = start(conn)
    assert fail(late, lease, retry_after="1 millisecond") == "retrying"
    return lease.step_id


def make_retried(conn: Conn, late: Conn) -> int:
    lease = start(conn)
    assert fail(conn, lease, "permanent") == "discarded"
    assert retry(late, lease.step_id) == "available"
    return lease.step_id


def make_resumed(conn: Conn, late: Conn) -> int:
    step_id = enqueue(conn)
    assert pause(conn, step_id) == 1
    assert resume(late, step_id) == 1
    return step_id


def make_signalled(conn: Conn, late: Conn) -> int:
    lease = start(conn)
    assert wait_signal(conn, lease) == "waiting"
    assert send_signal(late, lease.step_id) == "delivered"
    return lease.step_id


def make_found_signalled(conn: Conn, late: Conn) -> int:
    lease = start(conn)
    assert send_signal(conn, lease.step_id) == "kept"
    assert wait_signal(late, lease) == "waiting"
    return lease.step_id


def make_woken(conn: Conn, late: Conn) -> int:
    lease = start(conn)
    assert wait_signal(conn, lease, timeout="1 hour") == "waiting"
    make_due(conn, lease.step_id)
    assert sweep(late) == (0, 0, 0, 1)
    return lease.step_id


def make_reclaimed(conn: Conn, late: Conn) -> int:
    lease = start(conn)
    expire(conn, lease.step_id)
    assert sweep(late) == (1, 0, 0, 0)
    return lease.step_id


Make = Callable[[Conn, Conn], int]
MAKERS: list[Make] = [
    make_enqueued, make_enqueued_in_a_batch, make_enqueued_in_a_savepoint, make_enqueued_with_a_key,
    make_enqueued_for_soon, make_enqueued_for_the_past, make_released, make_failed, make_failed_for_soon,
    make_retried, make_resumed, make_signalled, make_found_signalled, make_woken, make_reclaimed,
]  # fmt: skip


def name_of(make: Make) -> str:
    """Name a case after what it makes."""
    return make.__name__.removeprefix("make_")


@pytest.mark.parametrize("make", MAKERS, ids=name_of)
def test_traffic_before_the_commit(stage: Stage, make: Make) -> None:
    """R-039: a step made available under traffic, and committed after it, is claimed by the next claim."""
    conn, late = stage.session(), stage.holding()
    traffic(conn)
    assert head_is_raised(conn)
    step_id = make(conn, late)
    traffic(conn)
    late.commit()
    assert claimed_next(conn) == step_id


@pytest.mark.parametrize("make", MAKERS, ids=name_of)
def test_a_mark_in_an_open_transaction(stage: Stage, make: Make) -> None:
    """R-039: a mark that is set and not committed is not seen; what it leads to must not pass the step."""
    conn, late, marking = stage.session(), stage.holding(), stage.holding()
    other = enqueue(conn, priority=50)
    lease = start(conn)
    assert complete(conn, lease) == "completed"
    marking.execute("select pg_current_xact_id()")
    wait_until(lambda: value(conn, _MARKS_AGE), what="the mark is 20 ms old")
    enqueue(marking)
    assert len(claim(marking, "marking")) == 1
    step_id = make(conn, late)
    marking.commit()
    traffic(conn)
    late.commit()
    assert [step.step_id for step in claim(conn, "late", 10)] == [step_id, other]


@pytest.mark.parametrize("make", MAKERS, ids=name_of)
def test_a_sweep_in_between(stage: Stage, make: Make) -> None:
    """R-039: notes of other steps are folded, and heads raised anew, while the step is still open."""
    conn, late = stage.session(), stage.holding()
    traffic(conn)
    enqueue(conn, scheduled_at="2002-01-01T00:00:00Z")
    [old] = claim(conn)
    step_id = make(conn, late)
    assert release(conn, old) == "released"
    sweep(conn)
    assert [step.step_id for step in claim(conn)] == [old.step_id]
    traffic(conn)
    sweep(conn)
    traffic(conn)
    late.commit()
    assert claimed_next(conn) == step_id


@pytest.mark.parametrize("make", [make_enqueued_for_the_past, make_released, make_reclaimed], ids=name_of)
def test_rolled_back(stage: Stage, make: Make) -> None:
    """R-126: a step whose transaction is rolled back is as it was, and the head goes on without it."""
    conn, late = stage.session(), stage.holding()
    traffic(conn)
    make(conn, late)
    traffic(conn)
    late.rollback()
    before = value(conn, "select count(*) from tenure.step_status where state = 'available'")
    assert len(claim(conn, "late", 10)) == before


def test_the_head_follows(stage: Stage) -> None:
    """R-166: once the open transactions of its mark have ended, a head passes what was taken."""
    conn, late = stage.session(), stage.holding()
    enqueue(late, "other")
    traffic(conn)
    assert not head_is_raised(conn)
    late.commit()
    traffic(conn)
    assert head_is_raised(conn)


def test_a_claim_that_is_rolled_back_raises_nothing(stage: Stage) -> None:
    """R-005: with a claim goes the head that it raised, and what it took is found again."""
    conn, undone = stage.session(), stage.holding()
    traffic(conn)
    steps = enqueue_batch(conn, 3)
    for _ in range(3):
        wait_until(lambda: value(conn, _MARKS_AGE), what="the mark is 20 ms old")
        assert len(claim(undone)) == 1
    undone.rollback()
    traffic_owner = claim(conn, "late", 10)
    assert traffic_owner == [Lease(step_id, 1, "late") for step_id in steps]


def test_claims_undone_by_savepoints(stage: Stage) -> None:
    """R-005: a claim undone by its savepoint is found again after the head was raised."""
    conn, claimer = stage.session(), stage.holding()
    traffic(conn)
    one, two, three = enqueue_batch(conn, 3)
    assert [lease.step_id for lease in claim(claimer)] == [one]
    with claimer.transaction(force_rollback=True):
        wait_until(lambda: value(conn, _MARKS_AGE), what="the mark is 20 ms old")
        assert [lease.step_id for lease in claim(claimer)] == [two]
    wait_until(lambda: value(conn, _MARKS_AGE), what="the mark is 20 ms old")
    assert [lease.step_id for lease in claim(claimer, max_steps=1)] == [two]
    with claimer.transaction(force_rollback=True):
        wait_until(lambda: value(conn, _MARKS_AGE), what="the mark is 20 ms old")
        assert [lease.step_id for lease in claim(claimer)] == [three]
    claimer.commit()
    traffic_free = claim(conn, "late", 10)
    assert [lease.step_id for lease in traffic_free] == [three]


def test_strict_sweeps(stage: Stage) -> None:
    """A sweep that reads by an old snapshot neither folds nor raises heads: it does not see the newest."""
    conn, old = stage.session(), stage.holding()
    old.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    traffic(conn)
    enqueue(conn, scheduled_at="2002-01-01T00:00:00Z")
    old.execute("select from tenure_private.head")
    [lease] = claim(conn)
    traffic(conn)
    sweep(conn)
    assert release(conn, lease) == "released"
    sweep(conn)
    with suppress(psycopg.errors.SerializationFailure):
        sweep(old)
    old.rollback()
    assert claimed_next(conn) == lease.step_id


def test_a_late_alarm(stage: Stage) -> None:
    """R-064, R-167: a limit that passes before its step is committed rings all the same."""
    conn, late = stage.session(), stage.holding()
    step_id = enqueue(late, "late", deadline="1 millisecond")
    for _ in range(3):
        wait_until(lambda: value(conn, _FLOORS_AGE), what="the floor's mark is 20 ms old")
        enqueue(conn, "other", deadline="0")
        assert sweep(conn) == (0, 0, 1, 0)
    late.commit()
    assert sweep(conn) == (0, 0, 1, 0)
    assert rows(conn, "select error_kind from tenure.step_status where step_id = %s", step_id) == [
        ("deadline",)
    ]


def test_a_clock_set_forth_and_back(stage: Stage) -> None:
    """R-092: heads that a clock ahead of time has raised do not hide what is due by the clock set back."""
    conn = stage.session()
    traffic(conn)
    move_clock(conn, timedelta(hours=2))
    traffic(conn)
    sweep(conn)
    lease = start(conn)
    future = enqueue(conn)
    reset_clock(conn)
    step_id = enqueue(conn)
    assert claimed_next(conn) == step_id
    traffic(conn)
    sweep(conn)
    assert claimed_next(conn) == future
    assert release(conn, lease) == "released"
    assert claimed_next(conn) == lease.step_id


def test_a_clock_set_back_by_less_than_is_noticed(stage: Stage) -> None:
    """R-092: under a clock that went back by half a second claims find what is due, before it and after."""
    conn = stage.session()
    traffic(conn)
    move_clock(conn, timedelta(milliseconds=-500))
    steps = enqueue_batch(conn, 2)
    assert [lease.step_id for lease in claim(conn)] == steps[:1]
    reset_clock(conn)
    assert claimed_next(conn) == steps[1]
