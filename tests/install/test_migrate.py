"""`migrate()` and the psql script install the same engine, once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import psycopg
import pytest

from tenure.errors import AlreadyInstalled, SchemaMismatch, translate
from tenure.migrate import installed_version, migrate
from tests.lint.api import render
from tests.support.locks import wait_for_lock
from tests.support.repository import INSTALL, SCRIPTS, TEXTS
from tests.support.servers import Database


def psql(database: Database, *arguments: str, input: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run psql as a DBA would."""
    server = database.server.server
    target = {"PGHOST": str(server.socket), "PGUSER": "postgres", "PGDATABASE": database.name}
    command = [str(server.bin / "psql"), "--no-psqlrc", "--quiet", *arguments]
    return subprocess.run(
        command, env={**os.environ, **target}, input=input, capture_output=True, text=True, check=False
    )


def test_installs_once(empty_database: Database) -> None:
    """The first call installs, the second does nothing and says so."""
    conn = empty_database.connect()
    assert installed_version(conn) is None
    first = migrate(conn)
    assert (first.installed, str(first)) == (True, f"installed {first.version}")
    before = conn.execute("select max(oid) from pg_proc").fetchone()
    second = migrate(conn)
    assert (second.installed, str(second)) == (False, f"already at {first.version}")
    assert conn.execute("select max(oid) from pg_proc").fetchone() == before
    assert installed_version(conn) == first.version


def test_another_version_is_refused(conn: psycopg.Connection[Any]) -> None:
    """A database with another version is left alone, and the sentence names both."""
    conn.execute(
        "create or replace function tenure.schema_version() returns text"
        " language sql immutable parallel safe as $$ select '99.0.0'::text $$"
    )
    with pytest.raises(SchemaMismatch, match=r"holds Tenure 99\.0\.0, and this package brings \d"):
        migrate(conn)


def test_a_foreign_schema_of_the_name_is_refused(empty_database: Database) -> None:
    """Nothing is installed into, or over, somebody else's schema."""
    conn = empty_database.connect()
    conn.execute("create schema tenure")
    with pytest.raises(SchemaMismatch, match="not the engine's"):
        migrate(conn)
    assert conn.execute("select to_regnamespace('tenure_private')").fetchone() == (None,)


def test_a_failed_install_leaves_nothing(empty_database: Database) -> None:
    """One transaction: what fails late undoes all."""
    conn = empty_database.connect()
    conn.execute("create schema tenure_private")  # the install makes this one after `tenure`
    with pytest.raises(psycopg.errors.DuplicateSchema):
        migrate(conn)
    assert conn.execute("select to_regnamespace('tenure')").fetchone() == (None,)


def test_two_racing_installs(empty_database: Database, background: Callable[..., Future[Any]]) -> None:
    """The second waits for the first and then finds that there is nothing to do."""
    first, second, observer = (empty_database.connect(autocommit=auto) for auto in (False, True, True))
    first.execute("select 1")  # opens a transaction, which the install joins
    assert migrate(first).installed
    racing = background(migrate, second)
    assert wait_for_lock(observer, second, blocker=first).locktype == "advisory"
    first.commit()
    assert not racing.result().installed


def test_psql_script(empty_database: Database, database: Database) -> None:
    """The script for psql installs what `migrate()` installs, and refuses a second time."""
    done = psql(empty_database, "-f", str(SCRIPTS / INSTALL))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert render(empty_database.connect()) == render(database.connect())
    again = psql(empty_database, "-f", str(SCRIPTS / INSTALL))
    assert again.returncode != 0
    assert "Tenure is already installed in this database" in again.stderr


def test_refusal_has_its_class(conn: psycopg.Connection[Any]) -> None:
    """The script's own guard raises the SQLSTATE of `AlreadyInstalled`."""
    text = (TEXTS / INSTALL).read_bytes()
    with pytest.raises(psycopg.Error) as refused:
        conn.execute(text)
    assert isinstance(translate(refused.value, conn), AlreadyInstalled)


def test_owner_without_superuser(server: Any, empty_database: Database) -> None:
    """A role with CREATEROLE that owns the database can install, where the five roles are there already."""
    admin = empty_database.connect()
    admin.execute("create role installer login createrole")
    try:
        admin.execute(f"alter database {empty_database.name} owner to installer")
        admin.execute("grant tenure_owner to installer")
        assert migrate(empty_database.connect(role="installer")).installed
    finally:
        empty_database.close()
        with server.connect(empty_database.name) as cleaner:
            cleaner.execute(
                "reassign owned by installer to postgres; drop owned by installer; drop role installer"
            )
