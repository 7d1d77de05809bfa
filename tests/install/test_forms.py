"""Whichever tool brings the engine, and from wherever it comes, the catalogue is the same."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest

from tenure.migrate import migrate
from tests.install.test_migrate import psql
from tests.support.debian import sqitch_command
from tests.support.repository import FIRST, PREVIOUS, ROOT, SCRIPTS, STEPS, TEXTS, VERSION, released
from tests.support.servers import Database
from tests.upgrade.facts import QUERIES, facts

RELEASES = [FIRST, *(new for _, new in STEPS)]


def by_psql(database: Database) -> None:
    """The script."""
    run(database, f"tenure--{VERSION}.sql")


def by_psql_from_the_first(database: Database) -> None:
    """The scripts, one after the other."""
    install_the_first(database)
    for old, new in STEPS:
        run(database, f"tenure--{old}--{new}.sql")


def by_migrate_from_the_first(database: Database) -> None:
    """The command, where the first release is."""
    install_the_first(database)
    assert migrate(database.connect()).found == FIRST


def by_flyway(database: Database) -> None:
    """Flyway's files, by psql in order of version, each in a transaction as Flyway would open it."""
    files = sorted((SCRIPTS / "flyway").glob("V*__*.sql"), key=lambda path: flyway_version(path.name))
    assert [path.name for path in files] == [f"V{name.replace('.', '_')}__tenure.sql" for name in RELEASES]
    for path in files:
        run(database, f"flyway/{path.name}", "--single-transaction")


def by_sqitch(database: Database) -> None:
    """Sqitch, which verifies each change."""
    done = sqitch(database, "deploy")
    assert done.returncode == 0, done.stderr
    deployed = [line.split()[1] for line in done.stdout.splitlines() if " .. ok" in line]
    assert deployed == [f"tenure-{name}" for name in RELEASES]


def by_extension(database: Database) -> None:
    """`create extension`."""
    database.connect().execute("create extension tenure")


def by_extension_from_the_first(database: Database) -> None:
    """`alter extension`, from the first release."""
    database.connect().execute(f"create extension tenure version '{FIRST}'; alter extension tenure update")


def install_the_first(database: Database) -> None:
    """Install the first release."""
    database.connect().execute(released(FIRST))


def run(database: Database, name: str, *options: str) -> None:
    """Run a built script by psql."""
    done = psql(database, "-v", "ON_ERROR_STOP=1", *options, "-f", str(SCRIPTS / name))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def flyway_version(name: str) -> list[int]:
    """Return the version in a file's name."""
    return [int(part) for part in name.removeprefix("V").partition("__")[0].split("_")]


def sqitch(database: Database, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Sqitch on the built project."""
    command, environment = sqitch_command()
    server = database.server.server
    return subprocess.run(
        [*command, *arguments, f"db:pg:{database.name}"],
        cwd=SCRIPTS / "sqitch",
        env={
            **os.environ,
            **environment,
            "PATH": os.pathsep.join([str(server.bin), os.environ["PATH"]]),
            "PGHOST": str(server.socket),
            "PGUSER": "postgres",
            "SQITCH_FULLNAME": "A DBA",
            "SQITCH_EMAIL": "dba@localhost",
        },
        capture_output=True,
        text=True,
        check=False,
    )


FORMS = [
    by_psql,
    by_psql_from_the_first,
    by_migrate_from_the_first,
    by_flyway,
    by_sqitch,
    by_extension,
    by_extension_from_the_first,
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_each_gives_the_same(
    extension_database: Database, database: Database, form: Callable[[Database], None]
) -> None:
    """R-201: the same definitions, rights, indexes and comments as in a fresh install."""
    form(extension_database)
    conn = extension_database.connect()
    assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
    found, fresh = facts(conn), facts(database.connect())
    assert (sorted(found - fresh), sorted(fresh - found)) == ([], [])
    assert {kind for kind, *_ in fresh} == set(QUERIES)


def test_sqitch_verifies_and_does_not_revert(empty_database: Database) -> None:
    """R-223: verify fails on any difference; what cannot be taken back is refused with an explanation."""
    assert sqitch(empty_database, "deploy").returncode == 0
    assert sqitch(empty_database, "verify").returncode == 0
    conn = empty_database.connect()
    conn.execute("alter table tenure_private.step set (fillfactor = 90)")
    altered = sqitch(empty_database, "verify")
    assert altered.returncode != 0
    assert "table tenure_private.step, options" in altered.stderr + altered.stdout
    reverted = sqitch(empty_database, "revert", "-y")
    assert reverted.returncode != 0
    assert "an upgrade of Tenure cannot be reverted" in reverted.stderr
    assert conn.execute("select tenure.schema_version()").fetchone() == (VERSION,)


def test_sqitch_reverts_the_first_by_uninstalling(empty_database: Database) -> None:
    """R-223: as uninstall.sql does, refusals included."""
    assert sqitch(empty_database, "deploy", "--to", f"@v{FIRST}").returncode == 0
    conn = empty_database.connect()
    step = conn.execute("select tenure.enqueue('t')").fetchone()
    refused = sqitch(empty_database, "revert", "-y")
    assert refused.returncode != 0
    assert "unfinished" in refused.stderr
    conn.execute("select tenure.cancel(%s)", step)
    done = sqitch(empty_database, "revert", "-y")
    assert done.returncode == 0, done.stderr
    assert conn.execute("select to_regnamespace('tenure_private')").fetchone() == (None,)


def test_the_plan_of_sqitch_names_each_release() -> None:
    """A release that is not in it would never be deployed."""
    plan = (ROOT / "sql" / "sqitch" / "sqitch.plan").read_text(encoding="utf-8")
    changes = [line.split()[0] for line in plan.splitlines() if line.startswith("tenure-")]
    assert changes == sorted(changes, key=lambda name: [int(part) for part in name[7:].split(".")])
    assert {path.stem for path in (SCRIPTS / "sqitch" / "deploy").iterdir()} == set(changes)


def test_every_form_holds_the_same_text() -> None:
    """R-201: whoever has read one has read them all."""
    upgrade = f"tenure--{PREVIOUS}--{VERSION}.sql"
    neutral = (TEXTS / upgrade).read_text(encoding="utf-8")
    forms = [
        upgrade,
        f"flyway/V{VERSION.replace('.', '_')}__tenure.sql",
        f"sqitch/deploy/tenure-{VERSION}.sql",
        f"extension/{upgrade}",
    ]
    assert all(neutral in (SCRIPTS / name).read_text(encoding="utf-8") for name in forms)
