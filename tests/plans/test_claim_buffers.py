"""A claim's cost does not depend on the steps that it does not want."""

from __future__ import annotations

from collections.abc import Callable
from typing import LiteralString

import pytest

from tests.plans.buffers import buffers, load
from tests.races.stage import Conn, claim, enqueue, rows, value
from tests.support.wait import wait_until

MANY = 20_000
BOUND = 200
SWEEP_BOUND = 400

CLAIM: LiteralString = "select * from tenure.claim('{default, paused}', 'w', 1, '30 s', '{job}')"
CLAIM_ANY: LiteralString = "select * from tenure.claim('{default, paused}', 'w', 1)"
SWEEP: LiteralString = "select * from tenure.sweep()"

FINISH = """
update tenure_private.step set state = 'completed', finished_at = tenure_private.clock(), alarm_at = null
where state in ('available', 'running')
"""
PAUSE = """
update tenure_private.step
set state = 'paused', paused_state = 'available', paused_at = tenure_private.clock()
"""


def future(conn: Conn) -> None:
    """Steps of the same name that are not due."""
    load(conn, MANY, "job", delay="1 hour")


def finished(conn: Conn) -> None:
    """Steps that have ended."""
    load(conn, MANY, "job", deadline="1 hour")
    conn.execute(FINISH)


def others(conn: Conn) -> None:
    """Due steps of a name that is not asked for."""
    load(conn, MANY, "other")


def elsewhere(conn: Conn) -> None:
    """Due steps of a paused queue."""
    load(conn, MANY, "job", queue="paused")


def paused(conn: Conn) -> None:
    """Steps of paused runs."""
    load(conn, MANY, "job")
    conn.execute(PAUSE)


def running(conn: Conn) -> None:
    """Steps that run, and that the head has passed: one claim after them pays for that, once."""
    load(conn, MANY, "job")
    latest = value(conn, "select max(scheduled_at) from tenure_private.step")
    while claim(conn, max_steps=1000, ttl="1 hour"):
        pass

    def passed() -> bool:
        enqueue(conn)
        claim(conn)
        return bool(value(conn, "select max(head) > %s from tenure_private.head where track_id > 0", latest))

    wait_until(passed, limit=10, what="the head is past them")


CROWDS: list[Callable[[Conn], None]] = [future, finished, others, elsewhere, paused, running]


@pytest.fixture
def bare(conn: Conn) -> Conn:
    """A session on a database whose statistics stay those of an almost empty table."""
    conn.execute("alter table tenure_private.step set (autovacuum_enabled = off)")
    conn.execute("select tenure.create_queue('paused')")
    conn.execute("select tenure.pause_queue('paused')")
    enqueue(conn)
    claim(conn)
    conn.execute("analyze")
    return conn


@pytest.mark.parametrize("crowd", CROWDS, ids=lambda crowd: crowd.__name__)
def test_claim_beside_a_crowd(bare: Conn, crowd: Callable[[Conn], None]) -> None:
    """R-166, R-167: one due step beside 20,000 unwanted ones costs under 200 pages."""
    crowd(bare)
    enqueue(bare)
    call = CLAIM if crowd is others else CLAIM_ANY
    for settings in ("set plan_cache_mode = auto", "vacuum analyze tenure_private.step"):
        bare.execute(settings)
        assert buffers(bare, call) < BOUND
        assert buffers(bare, SWEEP) < SWEEP_BOUND
    [row] = rows(bare, call)
    assert value(bare, "select state from tenure.step_status where step_id = %s", row[0]) == "running"


def test_claim_beside_expired_steps(bare: Conn) -> None:
    """R-033, R-166: steps whose start_within has passed cost only the first claims, swept or not."""
    load(bare, MANY, "job", start_within="0")

    def passed() -> bool:
        enqueue(bare)
        assert len(claim(bare)) == 1
        enqueue(bare)
        return buffers(bare, CLAIM_ANY) < BOUND

    wait_until(passed, limit=10, what="claims do not look at the expired steps any more")


def test_an_old_snapshot(bare: Conn, connect: Callable[..., Conn]) -> None:
    """R-166, R-167: entries that an old snapshot keeps are not walked over by every claim and sweep."""
    snapshot = connect(autocommit=False)
    snapshot.execute("set transaction isolation level repeatable read")
    snapshot.execute("select from tenure_private.step")
    load(bare, MANY, "job")
    while taken := claim(bare, max_steps=500, ttl="1 second"):
        bare.execute(
            "select from tenure.complete_many(%s, 'w1', %s)",
            ([lease.step_id for lease in taken], [lease.generation for lease in taken]),
        )
        bare.execute(SWEEP)
    enqueue(bare)
    assert buffers(bare, CLAIM) < BOUND

    def passed() -> bool:
        bare.execute(SWEEP)
        return buffers(bare, SWEEP) < BOUND

    wait_until(passed, limit=10, what="sweeps do not look at the leases that have ended any more")
    snapshot.rollback()
