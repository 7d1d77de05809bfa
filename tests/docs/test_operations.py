"""docs/operations.md and its neighbours: what they say of installing, and every statement that they show."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tenure import embedded
from tenure.migrate import migrate
from tests.docs.blocks import blocks, table
from tests.support.repository import ROOT
from tests.support.servers import Database, TestServer

DOCS = ROOT / "docs"
OPERATIONS = DOCS / "operations.md"
NAMES = ["concepts.md", "operations.md", "reference.md"]
ROLES = ["shop_web", "shop_worker", "shop_dba", "shop_monitoring"]

# pg_cron as far as the document uses it; it runs the command at once.
CRON = """
create schema cron;
create function cron.schedule(job_name text, schedule text, command text) returns bigint
language plpgsql as $$ begin execute command; return 1; end $$;
"""


@pytest.fixture
def shop(database: Database) -> Iterator[Database]:
    """A database for a document's statements; the roles that they make go again."""
    with database.connect() as conn:
        conn.execute(CRON)
        yield database
        for role in ROLES:
            conn.execute(f"drop role if exists {role}")


def psql(database: Database, script: str) -> str:
    """Run a script up to its first error, and return what it prints."""
    server = database.server.server
    target = {"PGHOST": str(server.socket), "PGUSER": "postgres", "PGDATABASE": database.name}
    command = [str(server.bin / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    done = subprocess.run(
        command, env={**os.environ, **target}, input=script, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{script}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_every_statement_runs(shop: Database, name: str) -> None:
    """What a document shows runs as it stands there, from the first to the last."""
    statements = [block for block in blocks(DOCS / name) if block.language == "sql"]
    assert statements
    for block in statements:
        psql(shop, block.text)


def test_watching(shop: Database) -> None:
    """Each of the monitoring queries shows what it is meant to show."""
    statements = [block.text for block in blocks(OPERATIONS) if block.section == "Watching"]
    queues, workers, unswept, running, failing, discarded = statements
    with shop.connect() as conn:
        for name in ("waits", "fails", "runs"):
            conn.execute("select tenure.enqueue(%s, max_attempts => 1)", (name,))
        conn.execute("select tenure.worker_hello('w1', '{default}', true, '{\"app\": \"shop:app\"}')")
        for name in ("fails", "runs"):
            conn.execute("select tenure.claim('{default}', 'w1', names => %s)", ([name],))
        conn.execute("""select tenure.fail(2, 'w1', 1, '{"message": "no paper"}')""")
        assert psql(shop, unswept) == "0|\n"
        conn.execute("select tenure_private.expire_lease(3)")
    assert psql(shop, queues).startswith("default||1|1|")
    assert "|shop:app" in psql(shop, workers)
    assert psql(shop, unswept).startswith("1|2")
    assert psql(shop, running).startswith("3|runs|w1|1|")
    assert "no paper" in psql(shop, failing)
    assert "no paper" in psql(shop, discarded)


def test_sizes(conn: psycopg.Connection[Any]) -> None:
    """The sizes are those of the settings, and no setting is left out."""
    units = {"kB": 1024, "MB": 1024**2}
    listed = {}
    for _, limit, setting in table(OPERATIONS, "What"):
        if setting:
            number, unit = limit.split()
            listed[setting.strip("`")] = int(number) * units[unit]
    found = conn.execute("select name, bytes from tenure_private.setting").fetchall()
    assert listed == dict(found)


def test_storage_settings(conn: psycopg.Connection[Any]) -> None:
    """fillfactor and autovacuum are as the document says."""
    found = conn.execute(
        "select reloptions from pg_class where oid = 'tenure_private.step'::regclass"
    ).fetchone()
    assert found is not None
    assert {"fillfactor=60", "autovacuum_vacuum_scale_factor=0.02"} <= set(found[0])
    text = OPERATIONS.read_text()
    assert "`fillfactor = 60`" in text
    assert "at 2 % dead rows" in text


def test_a_createrole_owner_installs_where_no_role_is_there(server: TestServer) -> None:
    """No superuser is needed: whoever owns the database and may create roles can install."""
    # A cluster of its own: on the shared one the five roles are there already.
    with embedded.start(bin_folder=server.server.bin, in_memory=True) as fresh:
        with psycopg.connect(fresh.dsn(), autocommit=True) as admin:
            admin.execute("create role dba login createrole")
            admin.execute("create database shop owner dba")
        with psycopg.connect(fresh.dsn("shop", user="dba"), autocommit=True) as conn:
            assert migrate(conn).installed
            assert conn.execute("select tenure.enqueue('mail')").fetchone() == (1,)
            assert conn.execute("select * from tenure.verify_schema()").fetchall() == []


def test_a_dump_restores(shop: Database, tmp_path: Path) -> None:
    """A dump holds all of it: restored, the schema is as it was installed, and the jobs go on."""
    with shop.connect() as conn:
        conn.execute("select tenure.enqueue('mail')")
    server = shop.server.server
    file = tmp_path / "dump.sql"
    subprocess.run(
        [str(server.bin / "pg_dump"), "-f", str(file), "-n", "tenure*", shop.dsn()], check=True, cwd="/"
    )
    with shop.server.database(template="template0") as other:
        psql(other, file.read_text())
        with other.connect() as conn:
            assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
            claimed = conn.execute("select step_id from tenure.claim('{default}', 'w1')").fetchall()
            assert claimed == [(1,)]
