"""One connection of the supervisor, which heals by itself and on which no call waits for ever.

A call either gets its answer, or the refusal of the engine, or `UnavailableError`: then nobody knows whether
it took effect, and whoever called asks again once it makes sense. All calls that a worker makes can be asked
again: reports answer a second time as they did the first, and a claim whose answer was lost comes back as
an expired lease.
"""

from __future__ import annotations

import asyncio
import os
import random
import socket
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow, tuple_row

from tenure._calls import Call
from tenure._session import SESSION
from tenure.errors import SchemaMismatch, TenureError, place, translate

T = TypeVar("T")

Connection = psycopg.AsyncConnection[TupleRow]

CALL_LIMIT = 10.0
"""Seconds that a call may take before its connection counts as dead."""

CANCEL_LIMIT = 1.0
"""Seconds for asking the server to stop a call that takes too long, so that it leaves no backend waiting."""

SEVER_LIMIT = 0.1
"""Seconds for whoever waits for a connection to notice that its socket is shut."""

CONNECT_LIMIT = 10.0

_KEEPS_CONNECTION = ("TN", "22", "23", "40", "55")
"""Classes of errors that say nothing against the connection: the statement was refused, or is to be repeated.

Not 25 (read-only after a failover), 57 (the server shuts down) or 08."""


class UnavailableError(Exception):
    """The database gave no answer; whether the call took effect is unknown."""


class BlockedError(UnavailableError):
    """The call would have waited too long for a lock that someone else holds. It did nothing."""


async def connect(dsn: str, purpose: str, limit: float = CONNECT_LIMIT) -> Connection:
    """Open a connection to a server that accepts writes, within the limit."""
    # A standby, or a server turned read-only, is as good as none: libpq then tries the other hosts.
    defaults = {"target_session_attrs": "read-write", "application_name": f"tenure {purpose}"}
    try:
        given = conninfo_to_dict(dsn)
        conninfo = make_conninfo(dsn, **{key: value for key, value in defaults.items() if key not in given})
        async with asyncio.timeout(limit):
            return await psycopg.AsyncConnection.connect(conninfo, **SESSION)
    except (psycopg.Error, OSError, TimeoutError) as error:
        raise UnavailableError(str(error) or f"no connection within {limit:g} s") from error


def sever(conn: psycopg.AsyncConnection[Any] | psycopg.Connection[Any]) -> None:
    """Shut the socket, without a word to the other side: whoever waits for it returns at once."""
    if conn.closed:
        return
    with socket.socket(fileno=os.dup(conn.fileno())) as duplicate:
        try:
            duplicate.shutdown(socket.SHUT_RDWR)
        except OSError:
            # Not connected any more: what was to be reached is reached.
            return


async def limited(
    work: Coroutine[Any, Any, T], conn: psycopg.AsyncConnection[Any], limit: float, *, stop: bool = True
) -> T:
    """Run `work`, which waits for `conn`; past the limit end it, so that psycopg raises.

    First, with `stop`, by asking the server, which takes a while when it is not there any more. To cancel
    the task would not do: psycopg then waits for the server once more, and a half-open socket never answers.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=limit)
        if stop and not task.done():
            await _stop(conn)
            await asyncio.wait({task}, timeout=CANCEL_LIMIT)
    finally:
        if not task.done():
            sever(conn)
            await _end(task)
    if not task.done() or task.cancelled():
        raise psycopg.OperationalError("the connection gave no answer and was given up")
    return task.result()


async def _end(task: asyncio.Future[Any]) -> None:
    """End what the shut socket does not: it may wait for a lock that nobody will let go of."""
    await asyncio.wait({task}, timeout=SEVER_LIMIT)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=SEVER_LIMIT)
    # Should nobody ask for it any more, its error is not to be complained about.
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


async def _stop(conn: psycopg.AsyncConnection[Any]) -> None:
    """Ask the server to cancel what it does."""
    try:
        await conn.cancel_safe(timeout=CANCEL_LIMIT)
    except psycopg.Error:
        # It cannot be asked: the socket is shut next.
        return


class Link:
    """A connection for calls of the engine, one at a time, each in a transaction of its own."""

    def __init__(self, dsn: str, purpose: str, *, stop: bool = True) -> None:
        """`stop`: a call that takes too long is to leave no backend behind that goes on with it."""
        self._dsn = dsn
        self._purpose = purpose
        self._stop = stop
        self._conn: Connection | None = None
        self._turn = asyncio.Lock()
        self.place = ""
        """The database that was reached last, for a sentence."""

    async def call(self, call: Call[T], *, limit: float = CALL_LIMIT, last: bool = False) -> T:
        """Make the call and commit; what it returns is true in the database.

        `last`: nobody waits beyond the limit, not even to ask the server to stop.
        """
        end = time.monotonic() + limit
        async with self._turn:
            conn = self._conn
            if conn is None or conn.closed:
                conn = self._conn = await connect(self._dsn, self._purpose, min(limit, CONNECT_LIMIT))
                self.place = place(conn)
            try:
                left = max(0.0, end - time.monotonic()) if last else limit
                return await limited(_transact(conn, call), conn, left, stop=self._stop and not last)
            except psycopg.Error as error:
                ours = None if conn.closed else translate(error, conn)
                await self._recover(conn, error)
                if ours is not None and not isinstance(ours, SchemaMismatch):
                    raise ours from error
                # Functions that are not there may be so for the moment of an upgrade or a restore.
                if isinstance(error, psycopg.DataError):
                    raise
                if isinstance(error, psycopg.errors.LockNotAvailable):
                    raise BlockedError(str(error)) from error
                raise UnavailableError(_said(error)) from ours or error

    async def close(self) -> None:
        """Leave; a later call would connect again."""
        await self._drop()

    async def _recover(self, conn: Connection, error: psycopg.Error) -> None:
        """Make the connection fit for the next call, or drop it."""
        if conn.closed or not (error.sqlstate or "").startswith(_KEEPS_CONNECTION):
            await self._drop()
        elif conn.info.transaction_status != TransactionStatus.IDLE:
            try:
                await limited(conn.rollback(), conn, CALL_LIMIT)
            except psycopg.Error:
                await self._drop()

    async def _drop(self) -> None:
        conn, self._conn = self._conn, None
        if conn is not None:
            await conn.close()


def _said(error: psycopg.Error) -> str:
    """What an error says, without the statement that PostgreSQL puts beneath it."""
    message = error.diag.message_primary or str(error)
    return message if error.sqlstate is None else f"{error.sqlstate}: {message}"


async def _transact(conn: Connection, call: Call[T]) -> T:
    """Begin, call and commit in one trip: the rows are read only after the commit was confirmed.

    The level is stated because the server's default may be a stricter one, and stated each time because a
    pooler may hand each transaction to another session. Where a row is locked for long, the others behind it
    are not to wait as well.
    """
    async with psycopg.AsyncCursor(conn, row_factory=tuple_row) as cursor:
        async with conn.pipeline():
            await conn.execute("begin isolation level read committed")
            await conn.execute("set local lock_timeout = '1s'")
            await cursor.execute(call.sql, call.params, binary=True)
            await conn.execute("commit")
        rows = await cursor.fetchall()
    return call.read(rows)


REFUSED = (TenureError, psycopg.DataError)
"""What `Link.call` raises when the database will not do it, however often it is asked."""


class Backoff:
    """Growing, jittered pauses between tries; reset by a success."""

    FIRST, LAST = 0.05, 2.0

    def __init__(self) -> None:
        self._next = self.FIRST

    def pause(self) -> float:
        """Seconds to wait before the next try."""
        pause = self._next * random.uniform(0.5, 1.0)  # noqa: S311
        self._next = min(self.LAST, self._next * 2)
        return pause

    def reset(self) -> None:
        """It worked: begin anew."""
        self._next = self.FIRST
