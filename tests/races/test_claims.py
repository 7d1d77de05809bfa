"""Claims beside each other, and beside what ends or holds a step."""

from __future__ import annotations

import psycopg
import pytest

from tests.races.stage import (
    Lease,
    Stage,
    cancel,
    claim,
    complete,
    enqueue,
    enqueue_batch,
    heartbeat,
    rows,
    state,
    sweep,
)


def test_two_claimers(stage: Stage) -> None:
    """R-036: the second claimer waits for nobody and gets the other step."""
    first, second = stage.holding(), stage.session()
    one, two = enqueue_batch(second, 2)
    assert claim(first, "w1") == [Lease(one, 1, "w1")]
    assert stage.passes_by(first, claim, second, "w2") == [Lease(two, 1, "w2")]
    assert stage.passes_by(first, claim, second, "w2") == []
    first.commit()
    assert claim(second, "w2") == []


def test_a_claim_is_rolled_back(stage: Stage) -> None:
    """R-005, R-036: a claim that is rolled back gives step and generation to the next claimer."""
    first, second = stage.holding(), stage.session()
    step_id = enqueue(second)
    assert claim(first, "w1") == [Lease(step_id, 1, "w1")]
    assert stage.passes_by(first, claim, second, "w2") == []
    first.rollback()
    assert claim(second, "w2") == [Lease(step_id, 1, "w2")]
    assert complete(first, Lease(step_id, 1, "w1")) == "stale"


def test_a_claim_is_rolled_back_to_a_savepoint(stage: Stage) -> None:
    """R-005: a claim undone by its savepoint gives the step back, and the rest of the transaction stands."""
    first, second = stage.holding(), stage.session()
    one, two = enqueue_batch(second, 2)
    assert claim(first, "w1") == [Lease(one, 1, "w1")]
    with first.transaction(force_rollback=True):
        assert claim(first, "w1") == [Lease(two, 1, "w1")]
    assert stage.passes_by(first, claim, second, "w2", 10) == [Lease(two, 1, "w2")]
    first.commit()
    assert claim(second, "w2") == []
    assert complete(second, Lease(one, 1, "w1")) == "completed"


def test_many_claimers_of_a_batch(stage: Stage) -> None:
    """R-036, R-037: claimers that hold their claims open share a queue out among them, no step twice."""
    opener = stage.session()
    ids = enqueue_batch(opener, 50)
    holders = [stage.holding() for _ in range(5)]
    taken = [lease.step_id for holder in holders for lease in claim(holder, max_steps=10)]
    assert sorted(taken) == ids
    for holder in holders:
        holder.rollback()
    assert [lease.step_id for lease in claim(opener, max_steps=100)] == ids


def test_claim_then_cancel(stage: Stage) -> None:
    """R-100: cancel waits for the row that claim has locked, and the claimer hears of it by its heartbeat."""
    first, second = stage.holding(), stage.session()
    step_id = enqueue(second)
    [lease] = claim(first)
    late = stage.start(cancel, second, step_id)
    stage.waits_for_step(second, first, step_id)
    first.commit()
    assert late.result() == 1
    assert heartbeat(second, lease) == "cancelled"


def test_cancel_then_claim(stage: Stage) -> None:
    """R-090, R-100: a claim passes over a step that is being cancelled, and never gets it."""
    first, second = stage.holding(), stage.session()
    step_id = enqueue(second)
    assert cancel(first, step_id) == 1
    assert stage.passes_by(first, claim, second) == []
    first.commit()
    assert claim(second) == []
    assert state(second, step_id) == "cancelled"


def test_a_reader_of_the_row(stage: Stage) -> None:
    """A row that someone has locked FOR KEY SHARE stays visible to claim, sweep and cancel."""
    reader, other = stage.holding(), stage.session()
    one, two, three = enqueue(other), enqueue(other, delay="1 hour"), enqueue(other, deadline="0")
    reader.execute("select from tenure_private.step for key share")
    [lease] = stage.passes_by(reader, claim, other)
    assert lease.step_id == one
    assert stage.passes_by(reader, sweep, other) == (0, 0, 1, 0)
    assert state(other, three) == "discarded"
    assert stage.passes_by(reader, cancel, other, two) == 1
    assert stage.passes_by(reader, heartbeat, other, lease) == "renewed"
    assert stage.passes_by(reader, complete, other, lease) == "completed"
    reader.commit()


def test_a_foreign_key(stage: Stage) -> None:
    """An open transaction that inserted a row with a foreign key to a step holds up nobody."""
    referring, other = stage.holding(), stage.session()
    other.execute("create table note (step_id bigint references tenure_private.step)")
    one, two, three = enqueue(other), enqueue(other, delay="1 hour"), enqueue(other, deadline="0")
    for step_id in (one, two, three):
        referring.execute("insert into note values (%s)", (step_id,))
    [lease] = stage.passes_by(referring, claim, other)
    assert lease.step_id == one
    assert stage.passes_by(referring, sweep, other) == (0, 0, 1, 0)
    assert stage.passes_by(referring, cancel, other, two) == 1
    assert stage.passes_by(referring, complete, other, lease) == "completed"
    referring.commit()


def test_stricter_isolation(stage: Stage) -> None:
    """R-038: an old snapshot would hide committed steps, so claim refuses to read by one."""
    strict = stage.holding()
    strict.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    with pytest.raises(psycopg.errors.DatabaseError) as refused:
        claim(strict)
    assert refused.value.sqlstate == "TN016"


JOINS_OFF = "set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off"


@pytest.mark.parametrize("settings", ["", JOINS_OFF, "set plan_cache_mode = force_generic_plan"])
def test_limits_with_stale_statistics(stage: Stage, settings: str) -> None:
    """R-037, R-086, R-142: claim, sweep and purge keep to their limit whatever the planner believes."""
    session = stage.session()
    session.execute("alter table tenure_private.step set (autovacuum_enabled = off)")
    enqueue(session, name="other")
    session.execute("analyze")
    if settings:
        session.execute(settings)
    ids = enqueue_batch(session, 40)
    for limit in (2, 3, 1):
        assert len(claim(session, max_steps=limit, names=["job"])) == limit
    assert len(claim(session, max_steps=34, names=["job"])) == 34
    session.execute(
        "select tenure_private.expire_lease(s.step_id) from tenure.step_status as s where s.state = 'running'"
    )
    for limit in (2, 3, 1):
        assert sweep(session, limit) == (limit, 0, 0, 0)
    assert sweep(session) == (34, 0, 0, 0)
    for step_id in ids:
        assert cancel(session, step_id) == 1
    assert rows(session, "select count(*) from tenure.step_status where state = 'cancelled'") == [(40,)]
    # Of all tables: each run has a row for the attempt that the cancel ended.
    count = (
        "select (select count(*) from tenure_private.step) + (select count(*) from tenure_private.attempt)"
    )
    for limit in (2, 3, 1):
        before = rows(session, count)[0][0]
        session.execute("select tenure.purge('0', %s)", (limit,))
        assert before - rows(session, count)[0][0] == limit
