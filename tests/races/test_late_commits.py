"""Whoever makes a step available and commits late is found by the very next claim.

Claims start to read at a head that other claims raise (see raise_head in the engine's SQL). Each test commits
a step behind the place where the head would have got without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

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
    state,
    sweep,
    value,
    wait_signal,
)
from tests.support.clock import move_clock, reset_clock
from tests.support.locks import wait_for_lock
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
        wait_for_the_mark(conn)
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


@dataclass(frozen=True, slots=True)
class Case:
    """One way of making a step available: what is prepared, and what an open transaction does then."""

    name: str
    act: Callable[[Conn, Any], object]
    prepare: Callable[[Conn], Any] = lambda _conn: None

    def step_id(self, prepared: Any, made: object) -> int:
        """Return the step in question, which was prepared or made."""
        found = made if prepared is None else prepared
        return found.step_id if isinstance(found, Lease) else int(str(found))


def enqueue_beside_savepoints(late: Conn, _prepared: None) -> int:
    """Enqueue in a savepoint, after one that is undone."""
    late.execute("select pg_current_xact_id()")
    with late.transaction(force_rollback=True):
        enqueue(late)
    with late.transaction():
        return enqueue(late)


def discarded(conn: Conn) -> int:
    """Return a discarded step."""
    lease = start(conn)
    assert fail(conn, lease, "permanent") == "discarded"
    return lease.step_id


def paused(conn: Conn) -> int:
    """Return a step of a paused run."""
    step_id = enqueue(conn)
    assert pause(conn, step_id) == 1
    return step_id


def waiting(conn: Conn) -> int:
    """Return a step that waits for a signal."""
    lease = start(conn)
    assert wait_signal(conn, lease, timeout="1 hour") == "waiting"
    return lease.step_id


def waited_enough(conn: Conn) -> int:
    """Return a step whose signal wait has timed out."""
    step_id = waiting(conn)
    make_due(conn, step_id)
    return step_id


def sent_a_signal(conn: Conn) -> Lease:
    """Return the lease of a running step for which a signal is kept."""
    lease = start(conn)
    assert send_signal(conn, lease.step_id) == "kept"
    return lease


def expired(conn: Conn) -> int:
    """Return a running step whose lease is over."""
    lease = start(conn)
    expire(conn, lease.step_id)
    return lease.step_id


CASES = [
    Case("enqueued", lambda late, _: enqueue(late)),
    Case("enqueued in a batch", lambda late, _: enqueue_batch(late, 1)[0]),
    Case("enqueued beside savepoints", enqueue_beside_savepoints),
    Case("enqueued with a key", lambda late, _: enqueue(late, idempotency_key="key")),
    Case("enqueued for soon", lambda late, _: enqueue(late, delay="1 millisecond")),
    Case("enqueued for the past", lambda late, _: enqueue(late, scheduled_at="2001-01-01T00:00:00Z")),
    Case("released", release, start),
    Case("failed", lambda late, lease: fail(late, lease, retry_after="0"), start),
    Case("failed for soon", lambda late, lease: fail(late, lease, retry_after="1 millisecond"), start),
    Case("retried", retry, discarded),
    Case("resumed", resume, paused),
    Case("signalled", send_signal, waiting),
    Case("signalled before", wait_signal, sent_a_signal),
    Case("timed out", lambda late, _: sweep(late), waited_enough),
    Case("reclaimed", lambda late, _: sweep(late), expired),
]


def name_of(case: Case) -> str:
    """Name a test's case."""
    return case.name


every_case = pytest.mark.parametrize("case", CASES, ids=name_of)


def wait_for_the_mark(conn: Conn) -> None:
    """Wait until the next claim may follow the mark that stands."""
    wait_until(lambda: value(conn, _MARKS_AGE), what="the mark is 20 ms old")


@every_case
def test_traffic_before_the_commit(stage: Stage, case: Case) -> None:
    """R-039: a step made available under traffic, and committed after it, is claimed by the next claim."""
    conn, late = stage.session(), stage.holding()
    prepared = case.prepare(conn)
    traffic(conn)
    assert head_is_raised(conn)
    step_id = case.step_id(prepared, case.act(late, prepared))
    traffic(conn)
    late.commit()
    assert claimed_next(conn) == step_id


@every_case
def test_nothing_ends_before_the_mark(stage: Stage, case: Case) -> None:
    """R-039: a mark waits for the open transaction though no transaction begun later has ended by then."""
    conn, late = stage.session(), stage.holding()
    prepared = case.prepare(conn)
    other = enqueue(conn)
    step_id = case.step_id(prepared, case.act(late, prepared))
    wait_for_the_mark(conn)
    assert claimed_next(conn) == other
    wait_for_the_mark(conn)
    assert claim(conn) == []
    late.commit()
    assert claimed_next(conn) == step_id


@every_case
def test_a_mark_that_is_not_seen(stage: Stage, case: Case) -> None:
    """R-039: a mark that is set and not committed is not seen; what it leads to must not pass the step."""
    conn, late, marking = stage.session(), stage.holding(), stage.holding()
    traffic(conn)
    prepared = case.prepare(conn)
    wait_for_the_mark(conn)
    enqueue(marking)
    assert len(claim(marking)) == 1
    step_id = case.step_id(prepared, case.act(late, prepared))
    marking.commit()
    traffic(conn)
    late.commit()
    assert claimed_next(conn) == step_id


@every_case
def test_a_fold_in_between(stage: Stage, case: Case) -> None:
    """R-039: notes of other steps are folded, and heads raised anew, while the step is still open."""
    conn, late = stage.session(), stage.holding()
    traffic(conn)
    enqueue(conn, scheduled_at="2000-01-01T00:00:00Z")
    [old] = claim(conn)
    prepared = case.prepare(conn)
    assert release(conn, old) == "released"
    step_id = case.step_id(prepared, case.act(late, prepared))
    sweep(conn)
    assert [lease.step_id for lease in claim(conn)] == [old.step_id]
    traffic(conn)
    sweep(conn)
    traffic(conn)
    late.commit()
    assert claimed_next(conn) == step_id


@every_case
def test_rolled_back(stage: Stage, case: Case) -> None:
    """R-126: a step whose transaction is rolled back is as it was, and the next claims go on without it."""
    conn, late = stage.session(), stage.holding()
    prepared = case.prepare(conn)
    case.act(late, prepared)
    late.rollback()
    traffic(conn)
    assert claim(conn, "late", 10) == []
    if prepared is not None:
        step_id = case.step_id(prepared, case.act(conn, prepared))
        assert claimed_next(conn) == step_id


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
        wait_for_the_mark(conn)
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
        wait_for_the_mark(conn)
        assert [lease.step_id for lease in claim(claimer)] == [two]
    wait_for_the_mark(conn)
    assert [lease.step_id for lease in claim(claimer, max_steps=1)] == [two]
    with claimer.transaction(force_rollback=True):
        wait_for_the_mark(conn)
        assert [lease.step_id for lease in claim(claimer)] == [three]
    claimer.commit()
    traffic_free = claim(conn, "late", 10)
    assert [lease.step_id for lease in traffic_free] == [three]


def test_an_old_snapshot_raises_nothing(stage: Stage) -> None:
    """R-039: a sweep that reads by an old snapshot leaves the heads alone: it does not see the newest."""
    conn, old = stage.session(), stage.holding()
    old.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    enqueue(conn, scheduled_at="2002-01-01T00:00:00Z")
    [lease] = claim(conn)
    traffic(conn)
    wait_for_the_mark(conn)
    old.execute("select from tenure_private.head")
    assert release(conn, lease) == "released"
    sweep(conn)
    raise_head: LiteralString = "select tenure_private.raise_head(track_id, tenure_private.clock(), true)"
    old.execute(raise_head + " from tenure_private.track")
    old.commit()
    assert claimed_next(conn) == lease.step_id


# Stops whoever gives a new step its id at the gate: behind the reading of the clock, before the first write.
_GATED_IDS = """
create or replace function tenure_private.new_step_id() returns bigint language plpgsql volatile as $id$
begin
    if pg_catalog.pg_backend_pid() = {pid} then
        perform pg_catalog.pg_advisory_xact_lock_shared({gate});
    end if;
    return pg_catalog.nextval('tenure_private.step_id_seq');
end
$id$
"""
GATE = 4711


@pytest.mark.parametrize("call", [enqueue, lambda conn: enqueue_batch(conn, 1)[0]], ids=["one", "batch"])
def test_an_enqueue_held_up_half_way(stage: Stage, call: Callable[[Conn], int]) -> None:
    """R-039: an enqueue that read the clock long before it wrote a row is one that a mark waits for."""
    conn, late, gate = stage.session(), stage.session(), stage.session()
    traffic(conn)
    stage.observer.execute(
        sql.SQL(_GATED_IDS).format(pid=sql.Literal(late.info.backend_pid), gate=sql.Literal(GATE))
    )
    gate.execute("select pg_advisory_lock(%s)", (GATE,))
    held_up = stage.start(call, late)
    assert wait_for_lock(stage.observer, late, blocker=gate).locktype == "advisory"
    traffic(conn)
    gate.execute("select pg_advisory_unlock(%s)", (GATE,))
    step_id = held_up.result()
    assert claimed_next(conn) == step_id


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


def test_no_transaction_ends_before_the_floor(stage: Stage) -> None:
    """R-064, R-167: the sweep's floor waits for an open transaction though none begun later has ended."""
    conn, late = stage.session(), stage.holding()
    enqueue(conn, "other", deadline="0")
    step_id = enqueue(late, "late", deadline="1 millisecond")
    assert sweep(conn) == (0, 0, 1, 0)
    wait_until(lambda: value(conn, _FLOORS_AGE), what="the floor's mark is 20 ms old")
    assert sweep(conn) == (0, 0, 0, 0)
    late.commit()
    assert sweep(conn) == (0, 0, 1, 0)
    assert rows(conn, "select error_kind from tenure.step_status where step_id = %s", step_id) == [
        ("deadline",)
    ]


def sweep_alone(conn: Conn) -> list[tuple[int, ...]]:
    """Do what the sweep does for steps, without its housekeeping."""
    return rows(
        conn, "select r.reclaimed, r.timed_out, r.discarded, r.woken from tenure_private.ring(100) as r"
    )


def test_the_belt(stage: Stage) -> None:
    """R-039: were a step or an alarm ever hidden behind a head, a slow look at all would bring it back."""
    conn = stage.session()
    step_id, limited = enqueue(conn, "job"), enqueue(conn, "limited", deadline="0")
    conn.execute(
        "insert into tenure_private.head (track_id, head)"
        " select t.track_id, tenure_private.clock() from tenure_private.track as t"
        " union all select 0, tenure_private.clock()"
    )
    assert claim(conn, max_steps=10) == []
    assert sweep_alone(conn) == [(0, 0, 0, 0)]
    conn.execute("select tenure_private.look_behind(tenure_private.clock())")
    assert claimed_next(conn) == step_id
    assert sweep(conn) == (0, 0, 1, 0)
    assert state(conn, limited) == "discarded"


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
