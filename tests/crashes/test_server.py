"""The whole server is killed, and comes back."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import psycopg
import pytest

from tests.races.stage import (
    Conn,
    Lease,
    claim,
    complete,
    enqueue,
    enqueue_batch,
    expire,
    heartbeat,
    rows,
    sweep,
)
from tests.support.servers import TEMPLATE, Database, TestServer, running
from tests.support.wait import wait_until

STEPS = 250


@pytest.fixture(scope="module")
def own_server(server: TestServer) -> Iterator[TestServer]:
    """A server that no other test uses, of the same version."""
    with running(server.major) as started:
        yield started


@pytest.fixture
def own_database(own_server: TestServer) -> Iterator[Database]:
    """A database on it, made through no session that the crash would end."""
    name = f"crash_{secrets.token_hex(4)}"
    with own_server.connect("postgres") as conn:
        conn.execute(f"create database {name} template {TEMPLATE}")
    database = Database(name=name, server=own_server)
    yield database
    database.close()


def crash(database: Database, *sessions: Conn) -> Conn:
    """Kill the server while these sessions are open, start it, and return a new session."""
    database.server.server.restart(crash=True)
    for session in sessions:
        with pytest.raises(psycopg.OperationalError):
            session.execute("select 1")
    return database.connect()


def test_crash_in_a_sweep(own_database: Database) -> None:
    """A server that dies in the middle of a sweep forgets none of a dead worker's steps."""
    conn, sweeper = own_database.connect(), own_database.connect(autocommit=False)
    ids = enqueue_batch(conn, STEPS)
    assert len(claim(conn, "dead", 1000)) == STEPS
    expire(conn, *ids)
    assert sweep(conn, 50) == (50, 0, 0, 0)
    assert sweep(sweeper, 100) == (100, 0, 0, 0)
    conn = crash(own_database, sweeper, conn)
    swept = 50

    def all_swept() -> bool:
        nonlocal swept
        reclaimed, *others = sweep(conn)
        assert others == [0, 0, 0]
        swept += reclaimed
        return reclaimed == 0

    wait_until(all_swept, what="a sweep finds nothing more")
    assert swept == STEPS
    assert rows(conn, "select distinct state, reclaims, attempt from tenure.step_status") == [
        ("available", 1, 1)
    ]
    assert len(claim(conn, "w2", 1000)) == STEPS


def test_crash_beside_work(own_database: Database) -> None:
    """What was answered before a crash is true after it, what was open is not; leases stand."""
    conn, opened = own_database.connect(), own_database.connect(autocommit=False)
    done, doing, claiming = enqueue_batch(conn, 3)
    leases = claim(conn, max_steps=2)
    assert leases == [Lease(done, 1, "w1"), Lease(doing, 1, "w1")]
    assert complete(conn, leases[0]) == "completed"
    assert complete(opened, leases[1]) == "completed"
    assert claim(opened, "w2") == [Lease(claiming, 1, "w2")]
    enqueue(opened, "never")
    conn = crash(own_database, opened, conn)
    assert rows(conn, "select step_id, state from tenure.step_status order by step_id") == [
        (done, "completed"),
        (doing, "running"),
        (claiming, "available"),
    ]
    assert complete(conn, leases[0]) == "completed"
    assert heartbeat(conn, leases[1]) == "renewed"
    assert complete(conn, leases[1]) == "completed"
    assert claim(conn, "w3", 10) == [Lease(claiming, 1, "w3")]


def test_crash_under_traffic(own_database: Database) -> None:
    """R-039: heads and their marks survive a crash: all that was committed is found, each step once."""
    conn, late = own_database.connect(), own_database.connect(autocommit=False)
    enqueue(late, "late")
    found: list[int] = []
    for _ in range(5):
        enqueue_batch(conn, 20)
        found.extend(lease.step_id for lease in claim(conn, max_steps=15))
    conn = crash(own_database, late, conn)
    found.extend(lease.step_id for lease in claim(conn, max_steps=1000))
    assert sorted(found) == [
        step_id for (step_id,) in rows(conn, "select step_id from tenure.step_status order by 1")
    ]
    assert len(found) == 100
