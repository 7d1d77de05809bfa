"""Roles as a DBA makes them: logins without any special right, and a database that an ordinary role owns."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from tenure import embedded
from tenure.errors import InstallRefused
from tenure.migrate import migrate, uninstall
from tests.support.repository import INSTALL, SCRIPTS
from tests.support.servers import Database, TestServer
from tests.support.wait import wait_until
from tests.worker.processes import WorkerProcess

ROLES = ["tenure_owner", "tenure_client", "tenure_worker", "tenure_operator", "tenure_reader"]


@contextmanager
def logins(database: Database, **grants: list[str]) -> Iterator[None]:
    """Make login roles that are members of these; they go with the block."""
    with database.server.connect(database.name) as admin:
        for login, roles in grants.items():
            name = sql.Identifier(login)
            admin.execute(sql.SQL("create role {} login").format(name))
            for role in roles:
                admin.execute(sql.SQL("grant {} to {}").format(sql.Identifier(role), name))
        try:
            yield
        finally:
            database.close()
            for login in grants:
                admin.execute(sql.SQL("drop role {}").format(sql.Identifier(login)))


def login(database: Database, user: str) -> psycopg.Connection[Any]:
    """Connect as this login role."""
    return psycopg.connect(database.server.server.dsn(database.name, user=quote(user)), autocommit=True)


def value(conn: psycopg.Connection[Any], query: str, *arguments: object) -> Any:
    """Return the one value of a query."""
    row = conn.execute(query.encode(), arguments).fetchone()
    assert row is not None
    return row[0]


def a_day(
    dba: psycopg.Connection[Any], web: psycopg.Connection[Any], worker: psycopg.Connection[Any]
) -> None:
    """What everybody does of an ordinary day, each with the rights of the own role."""
    step_id = value(web, "select tenure.enqueue('mail')")
    assert value(worker, "select step_id from tenure.claim('{default}', 'w')") == step_id
    assert value(worker, "select (tenure.heartbeat(%s, 'w', 1)).verdict", step_id) == "renewed"
    assert value(worker, "select tenure.complete(%s, 'w', 1, '1')", step_id) == "completed"
    assert value(web, "select tenure.result(%s)", step_id) == 1
    assert value(worker, "select reclaimed from tenure.sweep()") == 0
    assert value(dba, "select count(*) from tenure.verify_schema()") == 0
    assert value(dba, "select count(*) from tenure.run_status") == 1
    for other in (web, worker):
        for statement in ("table tenure.run_status", "select tenure.purge('0')", "table tenure_private.step"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                other.execute(statement)


@pytest.mark.parametrize("createrole", [True, False], ids=["createrole", "roles made by others"])
def test_without_a_superuser(server: TestServer, createrole: bool) -> None:
    """R-242: as on managed services; the roles are made, or found as somebody else made them."""
    with embedded.start(bin_folder=server.server.bin, in_memory=True) as fresh:
        with psycopg.connect(fresh.dsn(), autocommit=True) as admin:
            admin.execute(f"create role dba login {'createrole' if createrole else ''}".encode())
            admin.execute("create role web login; create role worker login")
            admin.execute("create database shop owner dba")
            if not createrole:
                for role in ROLES:
                    admin.execute(f"create role {role} nologin".encode())
                admin.execute("grant tenure_owner to dba")
        script = [
            str(fresh.bin / "psql"),
            "-X",
            "-q",
            "-f",
            str(SCRIPTS / INSTALL),
            fresh.dsn("shop", user="dba"),
        ]
        done = subprocess.run(script, env=os.environ, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        # Whoever made the roles grants them.
        grantor = fresh.dsn("shop", user="dba" if createrole else "postgres")
        with psycopg.connect(grantor, autocommit=True) as conn:
            conn.execute(
                "grant tenure_client to web; grant tenure_worker to worker; grant tenure_operator to dba"
            )
        with (
            psycopg.connect(fresh.dsn("shop", user="dba"), autocommit=True) as dba,
            psycopg.connect(fresh.dsn("shop", user="web"), autocommit=True) as web,
            psycopg.connect(fresh.dsn("shop", user="worker"), autocommit=True) as worker,
        ):
            assert not value(dba, "select bool_or(rolsuper) from pg_roles where rolname = current_user")
            a_day(dba, web, worker)
            assert not migrate(dba).installed
            uninstall(dba)
            assert value(dba, "select to_regnamespace('tenure')") is None


def test_who_may_not_install_is_told_what_to_ask_for(server: TestServer) -> None:
    """R-242: without CREATEROLE and without membership, with what is missing and who can give it."""
    with (
        embedded.start(bin_folder=server.server.bin, in_memory=True) as fresh,
        psycopg.connect(fresh.dsn(), autocommit=True) as admin,
    ):
        admin.execute("create role dba login")
        admin.execute("create database shop owner dba")
        with psycopg.connect(fresh.dsn("shop", user="dba"), autocommit=True) as dba:
            with pytest.raises(InstallRefused, match="may not make the five roles") as refused:
                migrate(dba)
            assert str(refused.value.hint).endswith("grant tenure_owner to dba.")
            for role in ROLES:
                admin.execute(f"create role {role} nologin".encode())
            with pytest.raises(InstallRefused, match="or not become tenure_owner") as refused:
                migrate(dba)
            assert str(refused.value.hint).endswith("grant tenure_owner to dba.")
            assert value(dba, "select to_regnamespace('tenure')") is None


def test_queue_grants_by_login(database: Database) -> None:
    """R-230, R-235: workers with logins of their own meet in no queue, and share nothing."""
    with database.connect() as conn:
        conn.execute("select tenure.create_queue('q1'), tenure.create_queue('q2')")
    both = ["tenure_client", "tenure_worker"]
    with logins(database, team=[], w1=["team", *both], w2=both):
        with database.connect() as conn:
            conn.execute("select tenure.grant_queue('q1', 'team'), tenure.grant_queue('q2', 'w2')")
        with login(database, "w1") as one, login(database, "w2") as two:
            step_id = value(one, "select tenure.enqueue('t', '{\"card\": 4711}', queue => 'q1')")
            assert value(one, "select generation from tenure.claim('{q1}', 'w')") == 1
            for call in ("complete(%s, 'w', 1)", "fail(%s, 'w', 1, '1')", "release(%s, 'w', 1)"):
                assert value(two, f"select tenure.{call}", step_id) == "stale"
            for call in ("status(%s)", "result(%s)", "cancel(%s)", "signal(%s, 'go')"):
                with pytest.raises(psycopg.Error) as refused:
                    two.execute(f"select tenure.{call}".encode(), (step_id,))
                assert refused.value.sqlstate == "TN001"
                assert "4711" not in str(refused.value)
            for call in (
                "claim('{q1}', 'w')",
                "enqueue('t', queue => 'q1')",
                "worker_hello('w', '{q1}', true)",
            ):
                with pytest.raises(psycopg.Error) as refused:
                    two.execute(f"select tenure.{call}".encode())
                assert refused.value.sqlstate == "TN018"
            assert value(one, "select tenure.complete(%s, 'w', 1)", step_id) == "completed"


HIDDEN_CALLS = [
    "heartbeat(1, 'w', 1)",
    "heartbeat_many('{1}', 'w', '{1}')",
    "complete(1, 'w', 1)",
    "complete_many('{1}', 'w', '{1}')",
    "checkpoint(1, 'w', 1, 'key', '1')",
    "status(1)",
    "cancel(1)",
    "signal(1, 'go')",
]


@pytest.mark.parametrize("call", HIDDEN_CALLS)
def test_nobody_waits_for_what_is_hidden(database: Database, call: str) -> None:
    """R-232: an open transaction of a queue's own worker does not show in how long others wait."""
    conn = database.connect()
    conn.execute("select tenure.create_queue('mail'), tenure.grant_queue('mail', 'tenure_reader')")
    conn.execute("select tenure.enqueue('t', queue => 'mail')")
    conn.execute("select tenure.claim('{mail}', 'w')")
    holder = database.connect(autocommit=False)
    holder.execute("select tenure.complete(1, 'w', 1)")
    role = "tenure_client" if call.startswith(("status", "cancel", "signal")) else "tenure_worker"
    stranger = database.connect(role=role)
    stranger.execute("set lock_timeout = '10 ms'")
    try:
        answer = str(stranger.execute(f"select tenure.{call}::text".encode()).fetchone())
    except psycopg.Error as refused:
        answer = str(refused.sqlstate)
    assert answer in {"TN001", "TN014", "('(lost,,)',)", "('(1,lost,,)',)", "('stale',)", "('(1,stale)',)"}
    holder.rollback()


def test_a_worker_of_one_queue(database: Database) -> None:
    """R-230, R-234: it serves its queue, and leaves the steps of another to those whose queue it is."""
    conn = database.connect()
    conn.execute("select tenure.create_queue('own'), tenure.create_queue('other')")
    conn.execute(
        "select tenure.grant_queue('own', 'tenure_worker'), tenure.grant_queue('other', 'tenure_reader')"
    )
    run_id = value(conn, "select tenure.enqueue('allowed', queue => 'own')")
    conn.execute("select tenure.enqueue('forbidden', queue => 'other')")
    worker = WorkerProcess(database.dsn(role="tenure_worker"), "", app="tests.rights.app:app", queue="own")
    try:
        wait_until(
            lambda: (
                value(conn, "select state from tenure.run_status where run_id = %s", run_id) == "completed"
            )
        )
        worker.stop()
    finally:
        worker.end()
    assert value(conn, "select state from tenure.run_status where name = 'forbidden'") == "available"
    assert conn.execute("select name, queue from tenure_private.definition").fetchall() == [
        ("allowed", "own")
    ]


NAMES = ["a b", "Foo", 'a"b', "a'b", "a;drop", "$$", "%I", "--", "a.b", "ünïcödé", "select", "x" * 63, "user"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_roles(database: Database, name: str) -> None:
    """R-159, R-235: a role's name is data, and no name is taken for another."""
    conn = database.connect()
    conn.execute("select tenure.create_queue(%s)", (name,))
    with logins(database, **{name: ["tenure_worker"], name.swapcase()[:62] + "_": ["tenure_worker"]}):
        database.connect().execute("select tenure.grant_queue(%s, %s)", (name, name))
        with login(database, name) as granted:
            assert granted.execute("select from tenure.claim(%s, 'w')", ([name],)).fetchall() == []
        with login(database, name.swapcase()[:62] + "_") as other, pytest.raises(psycopg.Error) as refused:
            other.execute("select from tenure.claim(%s, 'w')", ([name],))
        assert refused.value.sqlstate == "TN018"
        shown = (
            database.connect().execute("select queue, role, role_exists from tenure.queue_grants").fetchall()
        )
        assert shown == [(name, name, True)]
