"""The helpers that other tests lean on do what they say."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.clock import move_clock, read_clock, reset_clock, set_clock
from tests.support.debian import MissingToolError, tool
from tests.support.locks import lock_waits, wait_for_lock
from tests.support.wait import wait_until

Connect = Callable[..., psycopg.Connection[Any]]


def test_clock(conn: psycopg.Connection[Any]) -> None:
    """The engine's clock stops, runs beside the true time, and comes back."""
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    set_clock(conn, moment)
    assert read_clock(conn) == moment
    move_clock(conn, timedelta(days=-2))
    assert timedelta(hours=47) < datetime.now(UTC) - read_clock(conn) < timedelta(hours=49)
    reset_clock(conn)
    assert abs(datetime.now(UTC) - read_clock(conn)) < timedelta(hours=1)


def test_moved_clock_keeps_its_owner(conn: psycopg.Connection[Any]) -> None:
    """A test's clock is as private as the engine's."""
    query = (
        "select proowner, proacl, prosecdef from pg_proc where oid = 'tenure_private.clock()'::regprocedure"
    )
    before = conn.execute(query).fetchone()
    move_clock(conn, timedelta(hours=1))
    assert conn.execute(query).fetchone() == before


def test_role(connect: Connect) -> None:
    """A connection acts as the role that it was asked for."""
    assert connect(role="tenure_worker").execute("select current_user").fetchone() == ("tenure_worker",)


def test_lock_waits(connect: Connect, background: Callable[..., Future[Any]]) -> None:
    """A wait is seen with the lock and the holder that it is about, and not when there is none."""
    holder, waiter, observer = connect(autocommit=False), connect(), connect()
    holder.execute("create table held (a int)")
    holder.commit()
    assert lock_waits(observer) == []
    holder.execute("lock table held")
    waiting = background(waiter.execute, "select from held")
    wait = wait_for_lock(observer, waiter, blocker=holder)
    assert (wait.locktype, wait.mode, wait.relation) == ("relation", "AccessShareLock", "held")
    holder.commit()
    waiting.result()


def test_no_wait_is_a_failure(connect: Connect) -> None:
    """A race's test that saw no wait fails."""
    with pytest.raises(AssertionError, match="waits for a lock"):
        wait_for_lock(connect(), connect(), limit=0.1)


def test_wait_until_gives_up() -> None:
    """A condition that never holds fails with what it was about."""
    with pytest.raises(AssertionError, match="pigs fly"):
        wait_until(lambda: False, limit=0.05, what="pigs fly")


def test_a_missing_tool_names_its_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A tool that is neither here nor to be had fails with the command that installs it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"missing .* Install it: apt-get install -y no-such-package"):
        tool("usr/bin/no-such-tool", "no-such-package")
