"""Quotas beside racing claimers, open reports, changes of capacity and crashes."""

from __future__ import annotations

from functools import partial

from tests.races.hammer import Ledger, run_threads
from tests.races.stage import (
    Conn,
    Lease,
    Stage,
    claim,
    complete,
    enqueue,
    enqueue_batch,
    expire,
    rows,
    sweep,
    value,
)
from tests.support.wait import wait_until

QUOTAS = 10
CAPACITY = 3
CLAIMERS = 8
STEPS = 60  # under each quota

IN_USE = """
select coalesce(max(g.units), 0)
from (
    select u.quota_id, sum(t.quota_units) as units
    from tenure_private.step as s
    join tenure_private.track as t on t.track_id = s.track_id
    cross join unnest(t.quota_ids) as u (quota_id)
    where s.state = 'running'
    group by u.quota_id
) as g
"""


def set_quota(conn: Conn, name: str, capacity: int) -> None:
    """Make a quota, or change its capacity."""
    conn.execute("select tenure.set_quota(%s, %s)", (name, capacity))


def define(conn: Conn, name: str, quota: str, units: int = 1) -> None:
    """Put the steps of a name under a quota."""
    conn.execute("select tenure.define_step(%s, quota => %s, quota_units => %s)", (name, quota, units))


def guarded(stage: Stage, capacity: int = 1) -> Conn:
    """Return a session; steps of the name job are under the quota http."""
    conn = stage.session()
    set_quota(conn, "http", capacity)
    define(conn, "job", "http")
    return conn


def test_two_claimers_at_once(stage: Stage) -> None:
    """R-463, R-467: beside an open claim a second one waits for nobody and exceeds no quota."""
    first, second = stage.holding(), guarded(stage)
    one, two = enqueue_batch(second, 2)
    [plain] = enqueue_batch(second, 1, "plain")
    assert claim(first, "w1") == [Lease(one, 1, "w1")]
    assert stage.passes_by(first, claim, second, "w2", 10) == [Lease(plain, 1, "w2")]
    first.commit()
    assert claim(second, "w2", 10) == []
    assert complete(first, Lease(one, 1, "w1")) == "completed"
    first.commit()
    assert claim(second, "w2", 10) == [Lease(two, 1, "w2")]


def test_two_claimers_with_room_for_both(stage: Stage) -> None:
    """R-467: a claimer passes over a quota that another claim has locked, though there would be room."""
    first, second = stage.holding(), guarded(stage, 2)
    one, two = enqueue_batch(second, 2)
    assert claim(first, "w1") == [Lease(one, 1, "w1")]
    assert stage.passes_by(first, claim, second, "w2") == []
    first.commit()
    assert claim(second, "w2") == [Lease(two, 1, "w2")]


def test_a_claim_is_rolled_back(stage: Stage) -> None:
    """R-463, R-464: a claim that is rolled back holds nothing, nor does one whose session is killed."""
    first, killed, second = stage.holding(), stage.holding(), guarded(stage)
    step_id = enqueue(second)
    assert claim(first, "w1") == [Lease(step_id, 1, "w1")]
    first.rollback()
    assert claim(killed, "w2") == [Lease(step_id, 1, "w2")]
    stage.observer.execute("select pg_terminate_backend(%s)", (killed.info.backend_pid,))
    wait_until(lambda: claim(second, "w3") == [Lease(step_id, 1, "w3")], what="the quota is free again")


def test_a_claim_is_rolled_back_to_a_savepoint(stage: Stage) -> None:
    """R-463: what a transaction's first claim holds counts for its second, what it undid does not."""
    first, second = stage.holding(), guarded(stage, 2)
    one, two, _ = enqueue_batch(second, 3)
    assert claim(first, "w1") == [Lease(one, 1, "w1")]
    with first.transaction(force_rollback=True):
        assert claim(first, "w1", 10) == [Lease(two, 1, "w1")]
    assert claim(first, "w1", 10) == [Lease(two, 1, "w1")]
    assert claim(first, "w1", 10) == []


def test_an_open_report(stage: Stage) -> None:
    """R-464, R-469: a report that is open holds up no claim, and its units count until it has committed."""
    first, second = stage.holding(), guarded(stage)
    one, two = enqueue_batch(second, 2)
    assert claim(second, "w1") == [Lease(one, 1, "w1")]
    assert complete(first, Lease(one, 1, "w1")) == "completed"
    assert stage.passes_by(first, claim, second, "w2") == []
    first.commit()
    assert claim(second, "w2") == [Lease(two, 1, "w2")]


def test_a_locked_quota(stage: Stage) -> None:
    """R-469: a report does not ask for the quota's row, so a claim that is open holds up no report."""
    first, second = stage.holding(), guarded(stage)
    step_id = enqueue(second)
    [lease] = claim(second)
    first.execute("select from tenure_private.quota for update")
    first.execute("lock table tenure_private.quota_hold in exclusive mode")
    assert stage.passes_by(first, complete, second, lease) == "completed"
    assert lease.step_id == step_id


def test_a_change_waits_for_an_open_claim(stage: Stage) -> None:
    """R-468: a change of capacity waits for a claim that is open, and holds for the next."""
    first, second = stage.holding(), guarded(stage, 3)
    enqueue_batch(second, 4)
    assert len(claim(first, "w1", 2)) == 2
    late = stage.start(set_quota, second, "http", 2)
    stage.waits_for_transaction(second, first)
    first.commit()
    late.result()
    assert claim(second, "w2", 10) == []


def test_a_claim_passes_an_open_change_by(stage: Stage) -> None:
    """R-467: a claim does not wait for a change of capacity either."""
    first, second = stage.holding(), guarded(stage, 1)
    enqueue(second)
    set_quota(first, "http", 0)
    assert stage.passes_by(first, claim, second) == []
    first.rollback()
    assert len(claim(second)) == 1


def test_nothing_is_written_in_vain(stage: Stage) -> None:
    """R-473: a claim that finds a quota full, or nothing due under it, has no transaction id and no lock."""
    first, second = stage.holding(), guarded(stage)
    xid = "select pg_current_xact_id_if_assigned()"
    enqueue(second, delay="1 hour")
    assert claim(first, "w1") == []
    assert value(first, xid) is None
    first.commit()
    enqueue_batch(second, 2)
    assert len(claim(second)) == 1
    assert claim(first, "w1", 10) == []
    assert value(first, xid) is None


def test_a_crash(stage: Stage) -> None:
    """R-464: after a crash the full throughput is back as soon as the leases are swept."""
    conn = guarded(stage, 2)
    enqueue_batch(conn, 4)
    leases = claim(conn, "w1", 10)
    assert len(leases) == 2
    expire(conn, *(lease.step_id for lease in leases))
    assert claim(conn, "w2", 10) == []
    assert sweep(conn) == (2, 0, 0, 0)
    assert len(claim(conn, "w2", 10)) == 2


def test_a_late_report_gives_nothing_back_twice(stage: Stage) -> None:
    """R-463: ten times over, the old owner's report after a sweep frees no second unit."""
    conn = guarded(stage)
    enqueue_batch(conn, 12)
    [late] = claim(conn, "old")
    for _ in range(10):
        expire(conn, late.step_id)
        assert sweep(conn) == (1, 0, 0, 0)
        [new] = claim(conn, "new", 10)
        assert complete(conn, late) == "stale"
        assert claim(conn, "third", 10) == []
        assert value(conn, IN_USE) == 1
        assert complete(conn, new) == "completed"
        assert complete(conn, new) == "completed"
        [late] = claim(conn, "old", 10)
        assert value(conn, IN_USE) == 1


def look(ledger: Ledger, conn: Conn, used: list[int]) -> None:
    """Sample the fullest quota over and over."""
    while not ledger.stop:
        used.append(int(value(conn, IN_USE)))


def work(ledger: Ledger, conn: Conn, owner: str, used: list[int]) -> None:
    """Claim and complete until every step is done; looks at the quotas inside each claim's transaction."""
    while not ledger.stop:
        leases = claim(conn, owner, 5)
        used.append(int(value(conn, IN_USE)))
        conn.commit()
        for lease in leases:
            assert complete(conn, lease) == "completed"
            conn.commit()
        with ledger.lock:
            ledger.completed.extend(lease.step_id for lease in leases)
            if len(ledger.completed) == QUOTAS * STEPS:
                ledger.stop = True
            ledger.lock.notify_all()


def test_racing_claimers(stage: Stage) -> None:
    """R-463: with eight claimers at ten quotas none is ever exceeded, and every step has its turn."""
    conn = stage.session()
    for number in range(QUOTAS):
        set_quota(conn, f"q{number}", CAPACITY)
        define(conn, f"light{number}", f"q{number}")
        define(conn, f"heavy{number}", f"q{number}", 2)
        enqueue_batch(conn, STEPS // 2, f"light{number}", priority=number % 3)
        enqueue_batch(conn, STEPS // 2, f"heavy{number}")
    ledger, seen, used = Ledger(), [0], [0]
    claimers = [partial(work, ledger, stage.holding(), f"w{number}", used) for number in range(CLAIMERS)]
    run_threads(ledger, [*claimers, partial(look, ledger, stage.session(), seen)], 60)
    assert len(set(ledger.completed)) == len(ledger.completed) == QUOTAS * STEPS
    assert max(seen) <= CAPACITY
    assert max(used) == CAPACITY
    assert rows(conn, "select distinct state from tenure.step_status") == [("completed",)]
