"""Others who hold locks, other migrators, and an end half-way."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import psycopg
import pytest

from tenure import migrate as module
from tenure.errors import UpgradeBlocked
from tenure.migrate import migrate
from tests.client.test_cli import finish, start
from tests.support.locks import wait_for_lock
from tests.support.repository import PREVIOUS, TEXTS, VERSION
from tests.support.servers import Database
from tests.support.wait import wait_until
from tests.upgrade.facts import facts
from tests.upgrade.stop import STOP, stopped

Background = Callable[..., Future[Any]]


def reader(database: Database) -> psycopg.Connection[Any]:
    """Open a transaction that has looked at everything, and sits there."""
    conn = database.connect(autocommit=False, name="report")
    conn.execute("select * from tenure.step_status, tenure.queue_status, tenure_private.definition")
    return conn


def test_a_reader_in_the_way(
    old_database: Database,
    background: Background,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """R-217: an upgrade gives way and tries again; claims wait for no more than that."""
    conn = old_database.connect()
    conn.execute("select tenure.enqueue('t') from generate_series(1, 100)")
    # The worst case: a migration that shuts claims out, and so has them queue behind it while it waits.
    sitting = old_database.connect(autocommit=False, name="report")
    sitting.execute("select from tenure_private.step")
    lock = "lock table tenure_private.step in access exclusive mode;\n"
    scripts = {
        versions: text.replace("-- sql/migrations/", f"{lock}-- sql/migrations/", 1)
        for versions, text in module._packaged().items()
    }
    monkeypatch.setattr(module, "_packaged", lambda: scripts)
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.1)
    caplog.set_level(logging.WARNING)
    upgrade = background(migrate, old_database.connect())
    claimed = 0
    while len(caplog.records) < 2:
        claimed += len(conn.execute("select * from tenure.claim('{default}', 'w')").fetchall())
    assert claimed > 0
    assert not upgrade.done()
    assert "(postgres, report, idle in transaction)" in caplog.records[0].getMessage()
    sitting.rollback()
    assert upgrade.result().version == VERSION


def test_who_is_in_the_way_is_named(old_database: Database) -> None:
    """R-218: when patience ends, the error names the sessions, and nothing was changed."""
    sitting = reader(old_database)
    conn = old_database.connect()
    before = facts(conn)
    with pytest.raises(UpgradeBlocked, match=f"cannot upgrade {PREVIOUS} to {VERSION}") as blocked:
        migrate(conn, patience=0)
    detail = str(blocked.value.detail)
    assert f"pid {sitting.info.backend_pid} (postgres, report, idle in transaction) since 2" in detail
    assert detail.endswith(
        ": select * from tenure.step_status, tenure.queue_status, tenure_private.definition"
    )
    assert facts(conn) == before


def test_an_ordinary_owner_is_told_what_it_may_see(old_database: Database) -> None:
    """R-218: of sessions of other roles, who they are, and that the rest is hidden."""
    sitting = reader(old_database)
    admin = old_database.connect()
    admin.execute("create role installer login; grant tenure_owner to installer")
    try:
        admin.execute(f"alter database {old_database.name} owner to installer".encode())
        with pytest.raises(UpgradeBlocked) as blocked:
            migrate(old_database.connect(role="installer"), patience=0)
        assert blocked.value.detail == (
            f"pid {sitting.info.backend_pid} (postgres, report); what it does is hidden from installer"
        )
    finally:
        admin.execute(f"alter database {old_database.name} owner to postgres".encode())
        admin.execute("drop role installer")


def test_who_holds_the_lock_of_migrators_is_named(old_database: Database) -> None:
    """R-218: any login can take it; the script names who has, and so does tenure migrate."""
    holder = old_database.connect(name="wedged", role="tenure_reader")
    holder.execute("select pg_advisory_lock(hashtextextended('tenure.install', 0))")
    conn = old_database.connect()
    named = f"pid {holder.info.backend_pid} (postgres, wedged)"
    for name in (f"tenure--{PREVIOUS}--{VERSION}.sql", f"tenure--{VERSION}.sql", "uninstall.sql"):
        with pytest.raises(psycopg.errors.LockNotAvailable) as refused:
            conn.execute((TEXTS / name).read_bytes())
        assert refused.value.diag.message_detail == named
    with pytest.raises(UpgradeBlocked) as blocked:
        migrate(conn, patience=0)
    assert blocked.value.detail == named


def test_the_command_names_them_too(old_database: Database) -> None:
    """R-218: in one line, and exits with 1."""
    reader(old_database)
    done = finish(start("migrate", "--patience", "0", "--dsn", old_database.dsn()))
    assert done.returncode == 1
    error, hint = done.stderr.splitlines()
    assert error.startswith(
        f"error: cannot upgrade {PREVIOUS} to {VERSION}: others hold a lock that it needs (pid "
    )
    assert hint.startswith("hint: Nothing was changed.")


def test_two_at_once(old_database: Database, background: Background) -> None:
    """R-209: one upgrades, the other waits for it and then finds that there is nothing to do."""
    first, second = old_database.connect(autocommit=False), old_database.connect()
    first.execute("select 1")  # opens a transaction, which the upgrade joins
    assert migrate(first).found == PREVIOUS
    racing = background(migrate, second)
    assert wait_for_lock(old_database.connect(), second, blocker=first).locktype == "advisory"
    first.commit()
    assert str(racing.result()) == f"already at {VERSION}"


def test_two_commands_at_once(old_database: Database) -> None:
    """R-209: as two deployments would."""
    both = [start("migrate", "--dsn", old_database.dsn()) for _ in range(2)]
    assert sorted(finish(one).stdout for one in both) == [
        f"already at {VERSION}\n",
        f"upgraded {PREVIOUS} to {VERSION}\n",
    ]


def test_a_backend_that_ends_half_way(old_database: Database, background: Background) -> None:
    """R-213: what was there before is there, whole, and the upgrade can be run again."""
    conn = old_database.connect()
    before = facts(conn)
    conn.execute(STOP)
    upgrade = background(migrate, old_database.connect())
    conn.execute("select pg_terminate_backend(%s)", (stopped(conn),))
    with pytest.raises(psycopg.OperationalError):
        upgrade.result()
    assert facts(conn) == before
    conn.execute("insert into public.go default values")
    assert migrate(conn).found == PREVIOUS
    assert conn.execute("select * from tenure.verify_schema()").fetchall() == []


def test_a_migrator_that_is_killed_half_way(old_database: Database) -> None:
    """R-213: as above, with the program gone instead of its backend."""
    conn = old_database.connect()
    before = facts(conn)
    conn.execute(STOP)
    program = start("migrate", "--dsn", old_database.dsn())
    backend = stopped(conn)
    os.kill(program.pid, signal.SIGKILL)
    program.communicate()
    conn.execute("insert into public.go default values")
    gone = "select not exists (select from pg_stat_activity where pid = %s)"
    wait_until(lambda: conn.execute(gone, (backend,)).fetchone() == (True,), what="its backend has ended")
    assert facts(conn) == before
    assert migrate(conn).found == PREVIOUS
