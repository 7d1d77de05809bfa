"""Who holds a lease, until when, and what becomes of those who no longer do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import psycopg
import pytest
from psycopg import sql

from tests.races.stage import (
    Conn,
    Lease,
    Stage,
    cancel,
    claim,
    complete,
    enqueue,
    enqueue_batch,
    expire,
    fail,
    heartbeat,
    release,
    rows,
    sleep,
    start,
    state,
    sweep,
    value,
    wait_signal,
)
from tests.support.clock import move_clock
from tests.support.locks import wait_for_lock
from tests.support.wait import wait_until

Verb = Callable[[Conn, Lease], object]

GATE = 4711
SOON = timedelta(milliseconds=300)

# Lets one session stop at the gate when it reads the clock with rows of step locked: after it has chosen what
# to do, and before it does it.
_GATED_CLOCK = """
create or replace function tenure_private.clock() returns timestamptz language plpgsql volatile as $clock$
begin
    if pg_catalog.pg_backend_pid() = {pid} and exists (
        select from pg_catalog.pg_locks as l
        where l.pid = {pid} and l.relation = 'tenure_private.step'::regclass and l.mode = 'RowShareLock'
    ) then
        perform pg_catalog.pg_advisory_xact_lock_shared({gate});
    end if;
    return pg_catalog.clock_timestamp();
end
$clock$
"""


def release_and_claim(conn: Conn, lease: Lease) -> None:
    """Hand the step back and let another worker have it."""
    assert release(conn, lease) == "released"
    [again] = claim(conn, "w2")
    assert again == Lease(lease.step_id, lease.generation + 1, "w2")


@pytest.mark.parametrize(
    ("change", "becomes"),
    [
        (complete, "completed"),
        (lambda conn, lease: cancel(conn, lease.step_id), "cancelled"),
        (release_and_claim, "running"),
    ],
    ids=["completed", "cancelled", "claimed anew"],
)
def test_sweep_acts_on_what_is(stage: Stage, change: Verb, becomes: str) -> None:
    """R-082: a step that changes after the sweep has chosen it stays; the other 99 are moved."""
    conn, sweeper, gate = stage.session(), stage.session(), stage.session()
    ids = enqueue_batch(conn, 100)
    leases = claim(conn, max_steps=100)
    expire(conn, *ids)
    conn.execute(
        sql.SQL(_GATED_CLOCK).format(pid=sql.Literal(sweeper.info.backend_pid), gate=sql.Literal(GATE))
    )
    gate.execute("select pg_advisory_lock(%s)", (GATE,))
    sweeping = stage.start(sweep, sweeper)
    wait = wait_for_lock(stage.observer, sweeper, blocker=gate)
    assert wait.locktype == "advisory"
    change(conn, leases[50])
    everything = "select to_jsonb(s) from tenure_private.step as s where s.step_id = %s"
    before = rows(conn, everything, ids[50])
    gate.execute("select pg_advisory_unlock(%s)", (GATE,))
    assert sweeping.result() == (99, 0, 0, 0)
    assert rows(conn, everything, ids[50]) == before
    assert state(conn, ids[50]) == becomes
    assert value(conn, "select count(*) from tenure.step_status where state = 'available'") == 99


def test_one_execution_ends_once(stage: Stage) -> None:
    """The sweep and a late worker end an execution once between them, and nothing is counted twice."""
    first, second = stage.holding(), stage.session()
    in_flight = "select in_flight from tenure.queue_status"
    for _ in range(5):
        lease = start(second, max_reclaims=0)
        expire(second, lease.step_id)
        assert sweep(first) == (0, 0, 1, 0)
        late = stage.start(complete, second, lease)
        stage.waits_for_step(second, first, lease.step_id)
        first.commit()
        assert late.result() == "stale"
        assert (state(second, lease.step_id), value(second, in_flight)) == ("discarded", 0)
        lease = start(second, max_reclaims=0)
        expire(second, lease.step_id)
        assert complete(first, lease) == "completed"
        assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
        assert value(second, in_flight) == 1
        first.commit()
        assert (state(second, lease.step_id), value(second, in_flight)) == ("completed", 0)


VERBS: dict[str, tuple[Verb, object]] = {
    "complete": (complete, "stale"),
    "complete_many": (
        lambda conn, lease: value(
            conn, "select verdict from tenure.complete_many(array[%s], %s, array[%s])",
            lease.step_id, lease.owner, lease.generation,
        ),
        "stale",
    ),
    "skip": (
        lambda conn, lease: value(
            conn, "select tenure.skip(%s, %s, %s, 'why')", lease.step_id, lease.owner, lease.generation
        ),
        "stale",
    ),
    "fail": (fail, "stale"),
    "fail permanent": (lambda conn, lease: fail(conn, lease, "permanent"), "stale"),
    "fail uncertain": (lambda conn, lease: fail(conn, lease, "uncertain"), "stale"),
    "fail timeout": (lambda conn, lease: fail(conn, lease, "timeout"), "stale"),
    "release": (release, "stale"),
    "sleep": (lambda conn, lease: sleep(conn, lease, "1 second"), "stale"),
    "wait_signal": (wait_signal, "stale"),
    "heartbeat": (heartbeat, "lost"),
    "progress": (
        lambda conn, lease: value(
            conn, "select (tenure.heartbeat(%s, %s, %s, '1')).verdict",
            lease.step_id, lease.owner, lease.generation,
        ),
        "lost",
    ),
    "heartbeat_many": (
        lambda conn, lease: value(
            conn, "select verdict from tenure.heartbeat_many(array[%s], %s, array[%s])",
            lease.step_id, lease.owner, lease.generation,
        ),
        "lost",
    ),
}  # fmt: skip


@pytest.mark.parametrize("owner", ["w2", "w1"], ids=["another worker", "the same name"])
def test_no_verb_of_an_old_worker(stage: Stage, owner: str) -> None:
    """R-048: no verb of an old generation changes the step, not even under the same owner."""
    conn = stage.session()
    old = start(conn)
    expire(conn, old.step_id)
    assert sweep(conn) == (1, 0, 0, 0)
    [new] = claim(conn, owner)
    everything = "select to_jsonb(s) from tenure_private.step as s"
    before = rows(conn, everything)
    for verb, (call, verdict) in VERBS.items():
        assert call(conn, old) == verdict, verb
    with pytest.raises(psycopg.errors.DatabaseError) as refused:
        conn.execute(
            "select tenure.checkpoint(%s, %s, %s, 'k', '1')", (old.step_id, old.owner, old.generation)
        )
    assert refused.value.sqlstate == "TN014"
    assert rows(conn, everything) == before
    assert claim(conn, "w3") == []
    assert complete(conn, new) == "completed"


def test_a_beating_worker_is_left_alone(stage: Stage) -> None:
    """R-085: a step runs for as long as its lease is renewed, however long that is."""
    conn = stage.session()
    lease = start(conn, timeout="1 hour")
    for seconds in range(0, 600, 20):
        move_clock(conn, timedelta(seconds=seconds))
        assert sweep(conn) == (0, 0, 0, 0)
        assert heartbeat(conn, lease) == "renewed"
    assert complete(conn, lease) == "completed"


def test_a_new_process_under_the_old_name(stage: Stage) -> None:
    """A new worker of the same name that beats and says hello keeps no dead worker's step alive."""
    conn = stage.session()
    dead = start(conn)
    mine = start(conn)
    expire(conn, dead.step_id)
    conn.execute("select tenure.worker_hello('w1', '{default}', true)")
    assert heartbeat(conn, mine) == "renewed"
    assert sweep(conn) == (1, 0, 0, 0)
    assert state(conn, dead.step_id) == "available"
    assert heartbeat(conn, dead) == "lost"


def test_a_worker_nobody_knows(stage: Stage) -> None:
    """The lease decides, whether the worker's row has gone or never was."""
    conn = stage.session()
    conn.execute("select tenure.worker_hello('w1', '{default}', false)")
    gone, unknown = start(conn), enqueue(conn)
    assert claim(conn, "never heard of") == [Lease(unknown, 1, "never heard of")]
    conn.execute("delete from tenure_private.worker")
    expire(conn, gone.step_id, unknown)
    assert sweep(conn) == (2, 0, 0, 0)


def wait_for_clock(conn: Conn, until: datetime) -> datetime:
    """Wait until the server's clock has passed an instant, and return the clock."""

    def passed() -> datetime | None:
        now: datetime = value(conn, "select clock_timestamp()")
        return now if now > until else None

    found = wait_until(passed)
    assert found is not None
    return found


def started_at(conn: Conn, step_id: int) -> datetime:
    """Return when a step's execution began."""
    found: datetime = value(conn, "select started_at from tenure.step_status where step_id = %s", step_id)
    return found


def test_a_heartbeat_that_waited(stage: Stage) -> None:
    """R-013: a lease renewed after a wait counts from the end of the wait."""
    holder, conn = stage.holding(), stage.session()
    lease = start(conn)
    holder.execute("select from tenure_private.step for update")
    late = stage.start(heartbeat, conn, lease)
    stage.waits_for_step(conn, holder, lease.step_id)
    released = wait_for_clock(stage.observer, started_at(stage.observer, lease.step_id) + SOON)
    holder.commit()
    assert late.result() == "renewed"
    expiry: datetime = value(conn, "select lease_expiry from tenure.lease_status")
    assert expiry - timedelta(seconds=30) >= released


@pytest.mark.parametrize(
    ("call", "verdict", "after"),
    [
        (complete, "timed_out", "available"),
        (heartbeat, "timed_out", "running"),
        (release, "timed_out", "available"),
    ],
)
def test_a_report_that_waited(stage: Stage, call: Verb, verdict: str, after: str) -> None:
    """R-013, R-078: a report that waited for its row past the limit is late, though sent in time."""
    holder, conn = stage.holding(), stage.session()
    lease = start(conn, timeout=SOON)
    holder.execute("select from tenure_private.step for update")
    late = stage.start(call, conn, lease)
    stage.waits_for_step(conn, holder, lease.step_id)
    wait_for_clock(stage.observer, started_at(stage.observer, lease.step_id) + SOON)
    holder.commit()
    assert late.result() == verdict
    assert state(conn, lease.step_id) == after


def test_an_old_transaction(stage: Stage) -> None:
    """R-013: whoever decides in a transaction begun long ago goes by the clock."""
    old, conn = stage.holding(), stage.session()
    begun: datetime = value(old, "select now()")
    enqueue(conn, "limited", timeout=SOON)
    enqueue(conn)
    until = wait_for_clock(conn, begun + SOON)
    [lease] = claim(old, names=["job"])
    expiry: datetime = value(old, "select lease_expiry from tenure.lease_status")
    assert expiry - timedelta(seconds=30) >= until
    [late] = claim(old, names=["limited"])
    assert heartbeat(old, late) == "renewed"
    wait_for_clock(old, started_at(old, late.step_id) + SOON)
    assert complete(old, late) == "timed_out"
    assert complete(old, lease) == "completed"
    old.commit()
