"""docs/dba.md and its neighbours: every statement and command that they show, and what they say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tenure import embedded
from tenure.migrate import migrate
from tests.docs.blocks import blocks, table
from tests.support.debian import pg_prove_command
from tests.support.repository import INSTALL, ROOT
from tests.support.servers import Database, TestServer
from tests.support.wait import wait_until

DOCS = ROOT / "docs"
DBA = DOCS / "dba.md"
NAMES = ["concepts.md", "dba.md", "reference.md"]
ROLES = ["shop_web", "shop_worker", "shop_dba", "shop_monitoring", "payments_worker"]

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
    statements = [block.text for block in blocks(DBA) if block.section == "Watching"]
    queues, workers, unswept, running, failing, quotas, groups, discarded, old, dead = statements
    with shop.connect() as conn:
        for name in ("waits", "fails", "runs"):
            conn.execute("select tenure.enqueue(%s, max_attempts => 1)", (name,))
        conn.execute("select tenure.worker_hello('w1', '{default}', true, '{\"app\": \"shop:app\"}')")
        for name in ("fails", "runs"):
            conn.execute("select tenure.claim('{default}', 'w1', names => %s)", ([name],))
        conn.execute("""select tenure.fail(2, 'w1', 1, '{"message": "no paper"}')""")
        assert psql(shop, unswept) == "0|\n"
        conn.execute("select tenure_private.expire_lease(3)")
        conn.execute("select tenure.set_quota('http', 1)")
        conn.execute("select tenure.set_quota('sms', 1)")
        conn.execute("select tenure.define_step('fetch', quota => 'http')")
        conn.execute("""
            select tenure.define_workflow('import', '{"nodes": [
                {"name": "fetch", "provides": ["page"]},
                {"name": "approve"},
                {"name": "store", "requires": ["page"]}
            ]}')
        """)
        conn.execute("select tenure.start('import')")
        conn.execute("select tenure.claim('{default}', 'w1', 9, names => '{fetch,approve}')")
        conn.execute("select tenure.wait_signal(6, 'w1', 1, 'approval')")
    assert psql(shop, quotas) == "http|1|1\n"
    assert [line.split("|")[:2] + line.split("|")[3:] for line in psql(shop, groups).splitlines()] == [
        ["4", "import", "approve", "waiting_signal", "approval", "1"],
        ["4", "import", "fetch", "running", "", "1"],
        ["4", "import", "store", "pending", "", "1"],
    ]
    assert psql(shop, queues).startswith("default||1|1|")
    assert "|shop:app" in psql(shop, workers)
    assert psql(shop, unswept).startswith("1|2")
    assert psql(shop, running).startswith("3|runs|w1|1|")
    assert "no paper" in psql(shop, failing)
    assert "no paper" in psql(shop, discarded)
    with shop.connect(autocommit=False, name="forgotten") as conn:
        conn.execute("select tenure.enqueue('t')")
        assert "|forgotten|idle in transaction|" in psql(shop, old)
        conn.execute("select pg_stat_force_next_flush()")
        conn.rollback()
        conn.execute("select 1")
        wait_until(
            lambda: "step|" in psql(shop, dead), what="the step that was rolled back is counted as dead"
        )


def test_sizes(conn: psycopg.Connection[Any]) -> None:
    """The sizes are those of the settings, and no setting is left out."""
    units = {"kB": 1024, "MB": 1024**2}
    listed = {}
    for _, limit, setting in table(DBA, "What"):
        if setting:
            number, unit = limit.split()
            listed[setting.strip("`")] = int(number) * units[unit]
    found = conn.execute("select name, bytes from tenure_private.setting").fetchall()
    assert listed == dict(found)


def test_storage_settings(conn: psycopg.Connection[Any]) -> None:
    """fillfactor and autovacuum are as the page says, and nothing else is set."""
    found = conn.execute(
        "select relname, unnest(reloptions) from pg_class"
        " where relnamespace = 'tenure_private'::regnamespace and relkind = 'r'"
    ).fetchall()
    listed = [(name.strip("`"), line.strip("`").replace(" ", "")) for name, line, _ in table(DBA, "Table")]
    assert sorted(listed) == sorted(found)


def test_what_is_installed(conn: psycopg.Connection[Any]) -> None:
    """The page counts what is there."""
    found = conn.execute("""
        select (select count(*) from pg_proc where pronamespace = 'tenure'::regnamespace),
            count(*) filter (where relkind = 'v' and relnamespace = 'tenure'::regnamespace),
            count(*) filter (where relkind = 'r' and relnamespace = 'tenure_private'::regnamespace)
        from pg_class""").fetchone()
    text = " ".join(DBA.read_text().split())
    told = re.search(
        r"holds (\d+) functions to call and (\d+) views to read, `tenure_private` (\d+) tables", text
    )
    assert told is not None
    assert tuple(map(int, told.groups())) == found


def test_every_upgrade_has_its_locks_and_time() -> None:
    """The page has a line for each migration, newest first, and names this release's files."""
    releases = [path.stem.partition("--")[2] for path in (ROOT / "sql" / "migrations").glob("*.sql")]
    assert [line[0] for line in table(DBA, "Release")] == sorted(releases, reverse=True)
    assert set(re.findall(r"tenure--[\d.]+\d\.sql", DBA.read_text())) == {INSTALL}
    for name in re.findall(r"dist/[\w./-]*\w", DBA.read_text()):
        assert (ROOT / name).exists(), name


def test_from_the_first_command_to_the_last(extension_server: TestServer, tmp_path: Path) -> None:
    """Somebody who has only psql installs, upgrades, dumps, restores and removes it as the page says."""
    commands = [block.text for block in blocks(DBA) if block.language == "sh"]
    cells = [re.findall(r"`(psql [^`]+)`", cell) for line in table(DBA, "Tool") for cell in line]
    install = next(command for cell in cells for command in cell)
    upgrade = re.search(r"`(psql -d shop -f dist/tenure--([\d.]+)--[\d.]+sql)`", DBA.read_text())
    assert upgrade is not None
    with embedded.start(bin_folder=extension_server.server.bin, in_memory=True) as fresh:
        command, variables = pg_prove_command()
        prove = tmp_path / "pg_prove"
        prove.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        prove.chmod(0o755)
        environment = {
            **os.environ,
            **variables,
            "PATH": os.pathsep.join([str(tmp_path), str(fresh.bin), os.environ["PATH"]]),
            "PGHOST": str(fresh.socket),
            "PGUSER": "postgres",
        }

        def sh(text: str) -> None:
            lines = text.replace("shop.sql", str(tmp_path / "shop.sql"))
            done = subprocess.run(
                ["bash", "-e", "-c", lines],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"

        checks, restore, move, remove, force = commands
        with psycopg.connect(fresh.dsn(), autocommit=True) as admin:
            admin.execute("create database shop")
            admin.execute("create database restored")
            admin.execute("create database moved")
        sh(f"psql -q -d shop -f sql/releases/tenure--{upgrade[2]}.sql")
        sh(upgrade[1])
        sh(checks)
        sh("""psql -q -d shop -c "select tenure.cancel(tenure.enqueue('t'))" """)
        sh("""psql -q -d shop -c "create table ledger (paid int)" -c "insert into ledger values (7)" """)
        sh(restore)
        sh(move)
        sh(remove)
        sh(install)
        sh("""psql -q -d shop -c "select tenure.enqueue('t')" """)
        sh(force)
        with psycopg.connect(fresh.dsn("shop")) as conn:
            assert conn.execute("select to_regnamespace('tenure')").fetchone() == (None,)
        for name in ("restored", "moved"):
            with psycopg.connect(fresh.dsn(name)) as conn:
                assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
                assert conn.execute("select state from tenure.run_status").fetchall() == [("cancelled",)]
                assert conn.execute("select tenure.enqueue('t')").fetchone() == (2,)


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
