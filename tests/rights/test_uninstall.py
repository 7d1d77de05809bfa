"""The engine leaves nothing behind but the roles, and takes nothing along unasked."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tenure.errors import SchemaMismatch, UninstallRefused
from tenure.migrate import migrate, uninstall
from tests.client.test_cli import tenure
from tests.install.test_migrate import psql
from tests.support.repository import SCRIPTS
from tests.support.servers import Database

SCHEMAS = "select nspname from pg_namespace where nspname like 'tenure%' order by 1"
BOTH = [("tenure",), ("tenure_private",)]
ROLES = "select count(*) from pg_roles where rolname ~ '^tenure_(owner|client|worker|operator|reader)$'"
OBJECTS = """
select pg_describe_object(classid, objid, objsubid) from pg_depend
where refclassid = 'pg_namespace'::regclass and classid <> 'pg_default_acl'::regclass
"""
FORCED = "set tenure.uninstall = 'force'"


def schemas(conn: psycopg.Connection[Any]) -> list[tuple[str]]:
    """Return the engine's schemas that are there."""
    return conn.execute(SCHEMAS).fetchall()


def test_it_leaves_the_database_as_it_was(empty_database: Database) -> None:
    """R-240: what was there before is there after, and the roles stay."""
    conn = empty_database.connect()
    before = conn.execute(OBJECTS).fetchall()
    migrate(conn)
    conn.execute("select tenure.cancel(tenure.enqueue('t'))")
    uninstall(conn)
    assert schemas(conn) == []
    assert set(conn.execute(OBJECTS)) == set(before)
    assert conn.execute(ROLES).fetchone() == (5,)
    assert migrate(conn).installed


def test_unfinished_steps(conn: psycopg.Connection[Any]) -> None:
    """R-239: they are counted by state, and nothing is removed."""
    conn.execute("select tenure.enqueue('t') from generate_series(1, 3)")
    conn.execute("select tenure.claim('{default}', 'w')")
    with pytest.raises(UninstallRefused, match="unfinished steps") as refused:
        uninstall(conn)
    assert refused.value.detail == "2 available, 1 running."
    assert schemas(conn) == BOTH
    uninstall(conn, force=True)
    assert schemas(conn) == []


DEPENDENTS = {
    "a view": ("create view v as select * from tenure.run_status", "rule _RETURN on view public.v"),
    "a column": ("create table t (x int, v tenure.verdict)", "column v of table public.t"),
    "a default": (
        "create table t (x bigint default tenure.enqueue('t'))",
        "default value for column x of table public.t",
    ),
    "a key": (
        "create table t (x bigint references tenure_private.step)",
        "constraint t_x_fkey on table public.t",
    ),
    "a function": (
        "create function f() returns bigint language sql begin atomic select tenure.enqueue('t'); end",
        "function public.f()",
    ),
    "an heir": ("create table t () inherits (tenure_private.signal)", "table public.t"),
    "a function of somebody's in the schema": (
        "create function tenure.f() returns int language sql as 'select 1'",
        "function tenure.f()",
    ),
    "an operator in the schema": (
        "create operator tenure.=== (leftarg = int, rightarg = int, function = int4eq)",
        "operator tenure.===(integer,integer)",
    ),
}


@pytest.mark.parametrize("name", DEPENDENTS)
def test_what_depends_on_it(conn: psycopg.Connection[Any], name: str) -> None:
    """R-239: objects of others that would go too are named, and nothing is removed."""
    statement, shown = DEPENDENTS[name]
    conn.execute(statement.encode())
    with pytest.raises(UninstallRefused, match="something of others depends on Tenure") as refused:
        uninstall(conn)
    assert refused.value.detail == f"{shown}."
    assert schemas(conn) == BOTH
    uninstall(conn, force=True)
    assert schemas(conn) == []


def test_where_it_is_not(empty_database: Database) -> None:
    """There must be something to remove, and somebody else's schema is not it."""
    conn = empty_database.connect()
    conn.execute("create schema tenure")
    with pytest.raises(SchemaMismatch, match="not installed"):
        uninstall(conn)
    assert schemas(conn) == [("tenure",)]


def test_by_psql(database: Database) -> None:
    """R-239: the script refuses, and obeys a session that has said so."""
    conn = database.connect()
    conn.execute("select tenure.enqueue('t')")
    script = str(SCRIPTS / "uninstall.sql")
    refused = psql(database, "-f", script)
    assert refused.returncode != 0
    assert "there are unfinished steps" in refused.stderr
    assert schemas(conn) == BOTH
    done = psql(database, "-c", FORCED, "-f", script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert schemas(conn) == []


def test_by_command(database: Database) -> None:
    """R-239: the command does what the script does."""
    conn = database.connect()
    conn.execute("select tenure.enqueue('t')")
    refused = tenure("uninstall", "--dsn", database.dsn())
    assert refused.returncode != 0
    assert "there are unfinished steps" in refused.stderr
    assert schemas(conn) == BOTH
    done = tenure("uninstall", "--force", "--dsn", database.dsn())
    assert (done.returncode, done.stdout) == (0, "uninstalled; the five roles are still there\n")
    assert schemas(conn) == []


def test_the_callers_settings_stay(conn: psycopg.Connection[Any]) -> None:
    """What the caller adds to the transaction runs as the caller."""
    shown = "select current_user, current_setting('search_path'), current_setting('client_min_messages')"
    before = conn.execute(shown).fetchone()
    with conn.transaction():
        uninstall(conn)
        assert conn.execute(shown).fetchone() == before
