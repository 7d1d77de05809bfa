"""`tenure migrate` and `tenure verify` as a DBA calls them."""

from __future__ import annotations

from tenure.migrate import migrate
from tests.client.test_cli import NOWHERE, tenure
from tests.install.test_migrate import psql
from tests.support.repository import PREVIOUS, VERSION
from tests.support.servers import Database
from tests.upgrade.facts import facts

PLAN_TO_INSTALL = f"""\
found: no engine; this package brings {VERSION}
1. install {VERSION}, in one transaction
   Locks: nothing that is in use.
   Time: about a second.
nothing was changed
"""


def test_a_dry_run_shows_the_plan(empty_database: Database) -> None:
    """R-210: the plan names each step, what it locks and how long it takes; nothing is changed."""
    done = tenure("migrate", "--dry-run", "--dsn", empty_database.dsn())
    assert (done.returncode, done.stdout, done.stderr) == (0, PLAN_TO_INSTALL, "")
    assert empty_database.connect().execute("select to_regnamespace('tenure')").fetchone() == (None,)


def test_a_dry_run_shows_the_plan_of_an_upgrade(old_database: Database) -> None:
    """R-210: one step for each release on the way."""
    conn = old_database.connect()
    before = facts(conn)
    done = tenure("migrate", "--dry-run", "--dsn", old_database.dsn())
    lines = done.stdout.splitlines()
    assert lines[0] == f"found: {PREVIOUS}; this package brings {VERSION}"
    assert lines[1] == f"1. upgrade {PREVIOUS} to {VERSION}, in one transaction"
    assert [line.split()[0] for line in lines[2:4]] == ["Locks:", "Time:"]
    assert lines[-1] == "nothing was changed"
    assert facts(conn) == before


def test_a_dry_run_with_nothing_to_do(database: Database) -> None:
    """R-210: it says so."""
    done = tenure("migrate", "--dry-run", "--dsn", database.dsn())
    assert (
        done.stdout
        == f"found: {VERSION}; this package brings {VERSION}\nnothing to do\nnothing was changed\n"
    )


def test_the_printed_sql_does_what_migrate_does(old_database: Database, database: Database) -> None:
    """R-211: what --sql prints, psql runs, and the engine is the same."""
    printed = tenure("migrate", "--sql", "--dsn", old_database.dsn())
    conn = old_database.connect()
    assert conn.execute("select tenure.schema_version()").fetchone() == (PREVIOUS,)
    done = psql(old_database, "-v", "ON_ERROR_STOP=1", input=printed.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert facts(conn) == facts(database.connect())
    assert tenure("migrate", "--sql", "--dsn", old_database.dsn()).stdout == ""


def test_migrate_says_what_it_did(old_database: Database) -> None:
    """R-209: it upgrades once."""
    for said in (f"upgraded {PREVIOUS} to {VERSION}\n", f"already at {VERSION}\n"):
        done = tenure("migrate", "--dsn", old_database.dsn())
        assert (done.returncode, done.stdout, done.stderr) == (0, said, "")


def test_dry_run_and_sql_are_one_too_many() -> None:
    """A call that asks for two things is told so."""
    done = tenure("migrate", "--dry-run", "--sql", "--dsn", NOWHERE)
    assert done.returncode == 2
    assert "give one of them" in done.stderr


def test_verify(database: Database) -> None:
    """R-212: it exits with 0 where all is as installed, else shows each difference and exits with 1."""
    clean = tenure("verify", "--dsn", database.dsn())
    assert (clean.returncode, clean.stdout, clean.stderr) == (
        0,
        f"version {VERSION} is as it was installed\n",
        "",
    )
    database.connect().execute("alter function tenure.cancel(bigint, text) reset search_path")
    altered = tenure("verify", "--dsn", database.dsn(), COLUMNS="200")
    assert altered.returncode == 1
    assert "function tenure.cancel(bigint,text)" in altered.stdout
    assert "search_path=pg_catalog, pg_temp" in altered.stdout
    assert altered.stderr == f"version {VERSION} differs in 1 ways from what was installed\n"


# What whoever may make things in a database can lay out for the superuser who migrates it.
PLANTED = """
create schema planted;
create function planted.trap() returns void language plpgsql as $$ begin raise 'planted'; end $$;
create function planted.to_regnamespace(text) returns regnamespace
language sql as $$ select planted.trap(); select null::regnamespace $$;
create function planted.schema_version() returns text
language sql as $$ select planted.trap(); select null::text $$;
create function planted.alike(oid, regnamespace) returns boolean
language sql as $$ select planted.trap(); select true $$;
create operator planted.= (leftarg = oid, rightarg = regnamespace, function = planted.alike);
create domain planted.text as pg_catalog.text check (planted.trap() is not null);
"""


def test_nothing_that_was_planted_is_called(old_database: Database) -> None:
    """R-243: whatever the database's search_path is, names and operators are those of pg_catalog."""
    conn = old_database.connect()
    conn.execute(PLANTED.encode())
    conn.execute(f"alter database {old_database.name} set search_path = planted, pg_catalog, public".encode())
    reader = old_database.connect(autocommit=False)
    reader.execute("select * from tenure.step_status")
    blocked = tenure("migrate", "--patience", "0", "--dsn", old_database.dsn())
    assert f"(pid {reader.info.backend_pid} (postgres" in blocked.stderr
    reader.rollback()
    for command in (["migrate", "--dry-run"], ["migrate"], ["verify"], ["uninstall"]):
        done = tenure(*command, "--dsn", old_database.dsn())
        assert (done.returncode, done.stderr) == (0, ""), command


def test_migrate_gives_the_search_path_back(database: Database) -> None:
    """R-243: a transaction of the caller's goes on with its own."""
    conn = database.connect(autocommit=False)
    conn.execute("set local search_path = somewhere, public")
    assert not migrate(conn).installed
    assert conn.execute("show search_path").fetchone() == ("somewhere, public",)


def test_verify_without_an_engine(empty_database: Database) -> None:
    """It is told in a sentence."""
    done = tenure("verify", "--dsn", empty_database.dsn())
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: database '{empty_database.name}' at ")
    assert " does not hold the engine's functions (" in done.stderr
