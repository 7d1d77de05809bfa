"""What heartbeats and sweeps write, and whom an enqueue wakes."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import psycopg
import pytest

from tests.plans.buffers import load
from tests.races.stage import Conn, cancel, claim, enqueue, enqueue_batch, rows, start, sweep, value

LEASES = 1000
WAVES = 10
UPDATES = """
select n_tup_upd, n_tup_hot_upd
from pg_stat_user_tables
where relid = 'tenure_private.step'::regclass
"""


def updates(conn: Conn) -> tuple[int, int]:
    """Return how many rows of step were updated so far, and how many of them on their page."""
    conn.execute("select pg_stat_force_next_flush()")
    [(all_of_them, hot)] = rows(conn, UPDATES)
    return all_of_them, hot


@pytest.mark.parametrize("size", [2, 1000], ids=["small inputs", "inputs of 1 kB"])
def test_heartbeats_stay_on_their_page(conn: Conn, size: int) -> None:
    """R-168: at least 95 % of ten waves of heartbeats are heap-only updates."""
    load(conn, LEASES, "job", input="x" * size)
    leases = claim(conn, max_steps=LEASES)
    before = updates(conn)
    for _ in range(WAVES):
        verdicts = rows(
            conn,
            "select distinct verdict from tenure.heartbeat_many(%s, 'w1', %s)",
            [lease.step_id for lease in leases],
            [lease.generation for lease in leases],
        )
        assert verdicts == [("renewed",)]
    after = updates(conn)
    count, hot = (new - old for old, new in zip(before, after, strict=True))
    assert count == LEASES * WAVES
    assert hot / count >= 0.95


def test_renewed_leases_count_nothing(conn: Conn) -> None:
    """R-087: alarms of renewed leases are set anew, all in one pass, and count as nothing moved."""
    enqueue_batch(conn, LEASES)
    assert len(claim(conn, max_steps=LEASES)) == LEASES
    conn.execute("update tenure_private.step set alarm_at = tenure_private.clock()")
    assert sweep(conn, 1) == (0, 0, 0, 0)
    early = "select count(*) from tenure_private.step where alarm_at is distinct from lease_expiry"
    assert value(conn, early) == 0
    late = start(conn)
    conn.execute("select tenure_private.expire_lease(%s)", (late.step_id,))
    conn.execute(
        "update tenure_private.step set alarm_at = tenure_private.clock() where step_id <> %s",
        (late.step_id,),
    )
    assert sweep(conn, 1) == (1, 0, 0, 0)


class Listener:
    """A worker's LISTEN session."""

    def __init__(self, connect: Callable[..., Conn], owner: str) -> None:
        """Say hello, idle, and listen."""
        self.owner = owner
        self.conn = connect()
        self.channel = self.hello()
        self.conn.execute(psycopg.sql.SQL("listen {}").format(psycopg.sql.Identifier(self.channel)))
        self.conn.execute("listen probe")

    def hello(self) -> str:
        """Ask for one notification."""
        return str(value(self.conn, "select tenure.worker_hello(%s, '{default}', true)", self.owner))

    def heard(self, conn: Conn) -> list[str]:
        """Return what this listener was told by all that was committed before."""
        probe = secrets.token_hex(8)
        conn.execute("select pg_notify('probe', %s)", (probe,))
        told: list[str] = []
        for notice in self.conn.notifies(timeout=30):
            if notice.payload == probe:
                return told
            if notice.channel != "probe":
                told.append(notice.payload)
        raise AssertionError("the probe was not heard")


def test_nobody_waits(conn: Conn, connect: Callable[..., Conn]) -> None:
    """R-135: an enqueue notifies nobody when nobody waits, or waits for another queue."""
    busy = Listener(connect, "busy")
    conn.execute("select tenure.worker_hello('busy', '{default}', false)")
    conn.execute("select tenure.create_queue('other')")
    enqueue(conn)
    enqueue_batch(conn, 100)
    assert busy.heard(conn) == []
    busy.hello()
    enqueue(conn, queue="other")
    enqueue(conn, delay="1 hour")
    assert busy.heard(conn) == []


def test_one_waits(conn: Conn, connect: Callable[..., Conn]) -> None:
    """R-135, R-136: one hello buys one notification, however much is enqueued."""
    idle = Listener(connect, "idle")
    enqueue_batch(conn, 100)
    enqueue(conn)
    assert idle.heard(conn) == ["work"]
    enqueue(conn)
    assert idle.heard(conn) == []
    idle.hello()
    with conn.transaction():
        for _ in range(10):
            enqueue(conn)
    assert idle.heard(conn) == ["work"]


def test_rolled_back(conn: Conn, connect: Callable[..., Conn]) -> None:
    """R-126, R-135: an enqueue that is rolled back wakes nobody, and leaves the waiter to the next."""
    idle = Listener(connect, "idle")
    with conn.transaction(force_rollback=True):
        enqueue(conn)
    assert idle.heard(conn) == []
    enqueue(conn)
    assert idle.heard(conn) == ["work"]


def test_two_wait(conn: Conn, connect: Callable[..., Conn]) -> None:
    """R-135: two enqueues at a time wake two workers, and neither waits for the other."""
    one, two = Listener(connect, "one"), Listener(connect, "two")
    opened = connect(autocommit=False)
    enqueue(opened)
    enqueue(conn)
    first = one.heard(conn) + two.heard(conn)
    assert first == ["work"]
    opened.commit()
    assert one.heard(conn) + two.heard(conn) == ["work"]


def test_cancel_wakes_the_owner(conn: Conn, connect: Callable[..., Conn]) -> None:
    """R-137: cancel tells the worker that runs the step to beat, and nobody else."""
    owner, other = Listener(connect, "w1"), Listener(connect, "w2")
    for listener in (owner, other):
        conn.execute("select tenure.worker_hello(%s, '{default}', false)", (listener.owner,))
    lease = start(conn)
    assert cancel(conn, lease.step_id) == 1
    assert owner.heard(conn) == ["beat"]
    assert other.heard(conn) == []
    assert cancel(conn, enqueue(conn)) == 1
    assert owner.heard(conn) == []
