"""The checks for production: on a database at work they change nothing, and they find what is unsafe."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tenure.migrate import migrate
from tests.support.debian import pg_prove_command
from tests.support.repository import SCRIPTS
from tests.support.servers import Database, TestServer
from tests.upgrade.facts import facts

CHECKS = SCRIPTS / "checks"
TABLES = """
select c.relname from pg_class as c
where c.relnamespace = 'tenure_private'::regnamespace and c.relkind in ('r', 'S')
"""


@pytest.fixture
def shop(extension_server: TestServer) -> Iterator[Database]:
    """A database with the engine, and without pgTAP, which can be had there."""
    with extension_server.database(template="template0") as made:
        migrate(made.connect())
        yield made


def prove(database: Database, name: str = "*", *, user: str = "postgres") -> subprocess.CompletedProcess[str]:
    """Run the checks as their page says."""
    command, environment = pg_prove_command()
    server = database.server.server
    target = {"PGHOST": str(server.socket), "PGUSER": user, "PGDATABASE": database.name}
    files = [str(path) for path in sorted(CHECKS.glob(f"{name}.sql"))]
    assert files
    return subprocess.run(
        [*command, "--psql-bin", str(server.bin / "psql"), *files],
        env={**os.environ, **environment, **target},
        capture_output=True,
        text=True,
        check=False,
    )


def contents(conn: psycopg.Connection[Any]) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table and sequence."""
    names = [name for (name,) in conn.execute(TABLES).fetchall()]
    return {
        name: sorted(
            conn.execute(
                sql.SQL("select row(t.*)::text from tenure_private.{} as t").format(sql.Identifier(name))
            ).fetchall(),
            key=str,
        )
        for name in names
    }


def test_they_change_nothing(shop: Database) -> None:
    """R-241: with work in hand and a transaction open all pass at once, and nothing is other than before."""
    conn = shop.connect()
    conn.execute("select tenure.create_queue('mail'), tenure.grant_queue('mail', 'tenure_worker')")
    conn.execute("select tenure.enqueue('t', idempotency_key => n::text) from generate_series(1, 6) as n")
    conn.execute("select tenure.worker_hello('w', '{default}', false)")
    conn.execute("select tenure.claim('{default}', 'w', 5, '1 h')")
    conn.execute("select tenure.complete(1, 'w', 1), tenure.fail(2, 'w', 1, '1', kind => 'permanent')")
    conn.execute("select tenure.sleep(3, 'w', 1, '1 h'), tenure.fail(4, 'w', 1, '1')")
    before = (facts(conn), contents(conn))
    open_work = shop.connect(autocommit=False)
    open_work.execute("select tenure.complete(5, 'w', 1)")
    done = prove(shop)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "Result: PASS" in done.stdout
    assert (facts(conn), contents(conn)) == before
    open_work.rollback()


def test_they_bring_pgtap_along(shop: Database) -> None:
    """R-241: where pgTAP is not there it is for the check alone."""
    conn = shop.connect()
    done = prove(shop)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert conn.execute("select count(*) from pg_proc where proname = 'plan'").fetchone() == (0,)
    assert conn.execute("select to_regnamespace('tenure_checks')").fetchone() == (None,)


# As a superuser runs the checks, whatever they call runs as a superuser.
PLANTED = """
create schema planted;
create function planted.plan(int) returns text language plpgsql as $$ begin raise 'planted'; end $$;
create function planted.to_regprocedure(text) returns regprocedure
language plpgsql as $$ begin raise 'planted'; end $$;
create function planted.equal(text, text) returns boolean
language plpgsql as $$ begin raise 'planted'; end $$;
create operator planted.= (leftarg = text, rightarg = text, function = planted.equal);
"""


@pytest.mark.parametrize("schema", ["", "schema planted", "schema quiet"])
def test_they_run_nothing_that_was_planted(shop: Database, schema: str) -> None:
    """R-241: what others have put where names are looked for is not called, or nothing is."""
    conn = shop.connect()
    conn.execute(PLANTED.encode())
    conn.execute(f"alter database {shop.name} set search_path = planted, pg_catalog".encode())
    if schema == "schema planted":
        # Beside pgTAP, by somebody else.
        conn.execute("drop function planted.plan(int)")
        conn.execute("alter function planted.equal(text, text) owner to tenure_reader")
    if schema:
        conn.execute("create schema quiet")
        conn.execute(f"create extension pgtap {schema}".encode())
    if schema == "schema quiet":
        # Where pgTAP keeps its results, with a trap in it.
        conn.execute("create table quiet.__tcache__ (x int)")
    done = prove(shop)
    if schema == "schema planted":
        assert done.returncode != 0
        assert "others have put functions beside pgTAP" in done.stderr
    else:
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_a_member_of_the_owner_runs_them(shop: Database) -> None:
    """R-241: no superuser is needed where pgTAP is there, in whatever schema, and none may be made in."""
    conn = shop.connect()
    conn.execute(
        "create schema quiet; create extension pgtap schema quiet; grant usage on schema quiet to public"
    )
    conn.execute("create role checker login; grant tenure_owner to checker")
    try:
        done = prove(shop, user="checker")
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    finally:
        conn.execute("drop role checker")


CHANGES = {
    "an open function": ("rights", "grant execute on function tenure.claim to public"),
    "a function too many": ("rights", "grant execute on function tenure.purge to tenure_worker"),
    "a right to grant on": (
        "rights",
        "grant execute on function tenure.claim to tenure_worker with grant option",
    ),
    "a lost pin": ("rights", "alter function tenure.claim reset search_path"),
    "an invoker's function": ("rights", "alter function tenure.claim security invoker"),
    "an open table": ("rights", "grant select on tenure_private.step to tenure_reader"),
    "an open column": ("rights", "grant select (input) on tenure_private.step to tenure_reader"),
    "an open schema": ("rights", "grant usage on schema tenure_private to tenure_worker"),
    "a view for workers": ("rights", "grant select on tenure.step_status to tenure_worker"),
    "another owner": ("rights", "alter function tenure.claim owner to postgres"),
    "default privileges": (
        "rights",
        "alter default privileges for role tenure_owner grant execute on functions to tenure_reader",
    ),
    "a role that is gone": ("rights", "insert into tenure_private.queue_grant values (1, 'nobody at all')"),
    "a changed body": (
        "schema",
        "create or replace function tenure_private.head_lock() returns int language sql as 'select 1'",
    ),
    "a missing index": ("schema", "drop index tenure_private.step_alarm_at_idx"),
    "an invalid index": (
        "schema",
        "update pg_index set indisvalid = false where indexrelid = 'tenure_private.step_pkey'::regclass",
    ),
    "a trigger": (
        "schema",
        (
            "create trigger t before update on tenure_private.step for each row"
            " execute function suppress_redundant_updates_trigger()"
        ),
    ),
    "a foreign key": ("schema", "create table t (x bigint references tenure_private.step)"),
    "an unlogged table": ("schema", "alter table tenure_private.attempt set unlogged"),
    "no autovacuum": ("schema", "alter table tenure_private.step set (autovacuum_enabled = false)"),
    "full pages": ("schema", "alter table tenure_private.step set (fillfactor = 100)"),
    "no sweep": ("work", "select tenure.enqueue('t', deadline => '1 s')"),
    "a lost worker": ("work", "select tenure.claim('{default}', 'w', 1, '1 h')"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_they_find_what_is_unsafe(shop: Database, name: str) -> None:
    """R-241: each change that leaves a hole fails the file that is about it."""
    check, change = CHANGES[name]
    conn = shop.connect()
    conn.execute("select tenure.enqueue('t'), tenure.worker_hello('w', '{default}', false)")
    conn.execute(change.encode())
    # As time goes by.
    conn.execute(
        "update tenure_private.step"
        " set alarm_at = alarm_at - interval '1 h', lease_expiry = lease_expiry - interval '2 h'"
    )
    conn.execute("update tenure_private.worker set expires_at = hello_at")
    done = prove(shop, check)
    assert done.returncode != 0
    assert "Result: FAIL" in done.stdout
    assert "Failed test" in done.stdout, done.stderr
