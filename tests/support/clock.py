"""Moving the engine's time: only the owner can replace the one function that reads the clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg import sql

# `create or replace` keeps the owner and the grants of the function it replaces.
_REPLACE = """
create or replace function tenure_private.clock() returns timestamptz
language sql volatile parallel unsafe
as {}
"""


def set_clock(conn: psycopg.Connection[Any], at: datetime) -> None:
    """Stop the engine's clock at this moment."""
    _replace(conn, sql.SQL("select {}::timestamptz").format(at))


def move_clock(conn: psycopg.Connection[Any], by: timedelta) -> None:
    """Let the engine's clock run, this far from the true time (negative: behind it)."""
    _replace(conn, sql.SQL("select pg_catalog.clock_timestamp() + {}::interval").format(by))


def reset_clock(conn: psycopg.Connection[Any]) -> None:
    """Let the engine's clock tell the true time again."""
    _replace(conn, sql.SQL("select pg_catalog.clock_timestamp()"))


def read_clock(conn: psycopg.Connection[Any]) -> datetime:
    """Return the engine's time."""
    row = conn.execute("select tenure_private.clock()").fetchone()
    assert row is not None
    moment: datetime = row[0]
    return moment


def _replace(conn: psycopg.Connection[Any], body: sql.Composable) -> None:
    conn.execute(sql.SQL(_REPLACE).format(sql.Literal(body.as_string(conn))))
