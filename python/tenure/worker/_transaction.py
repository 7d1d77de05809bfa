"""The handler's transaction, which the worker commits with the completion inside."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow

from tenure import _calls
from tenure._calls import Call
from tenure._session import SESSION
from tenure.worker._leash import LetGo
from tenure.worker._link import CALL_LIMIT, CONNECT_LIMIT, limited, sever
from tenure.worker._threads import Threads

log = logging.getLogger(__name__)

UNDO_LIMIT = 2.0

_OVER = "the execution is over: what is written now could not be committed with it"
_LENT = "ctx.transaction() is open already: an execution has one transaction"
_NONE = "there is no transaction to commit"
_OPTIONS: dict[str, Any] = {
    **SESSION,
    "application_name": "tenure handler",
    "connect_timeout": int(CONNECT_LIMIT),
}
_WATCHED = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A handler's own statement may take as long as its step: so the kernel must notice that nobody is there. The
DSN may say otherwise."""


class Transaction:
    """At most one for an execution, begun when its asynchronous handler first asks for it.

    Its connection is made for it and is none of the worker's own: nothing that a handler leaves behind in a
    session can reach a claim or a heartbeat.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._conn: psycopg.AsyncConnection[TupleRow] | None = None
        self._outer: AbstractAsyncContextManager[Any] | None = None
        self._lent = False
        self._over = False

    @property
    def open(self) -> bool:
        """Whether there is something to commit or to undo."""
        return self._outer is not None

    @asynccontextmanager
    async def block(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """Lend the connection for one block, in a savepoint: a block that fails is undone alone."""
        if self._over:
            raise RuntimeError(_OVER)
        if self._lent:
            raise RuntimeError(_LENT)
        self._lent = True
        try:
            conn = await self._begin()
            async with _savepoint(conn):
                yield conn
        finally:
            self._lent = False

    async def commit(self, completion: Call[str], holds: Callable[[], None]) -> str:
        """Complete the step and commit both; any verdict but `completed` undoes both.

        `holds` is called when the transaction has the completion in it, and the step's row locked.
        """
        if self._conn is None:
            raise RuntimeError(_NONE)
        return await limited(self._settle(self._conn, completion, holds), self._conn, CALL_LIMIT)

    async def undo_and_say(self, completion: Call[str]) -> str:
        """Undo, and say a completion alone that was refused, so that the step fails for what it was refused.

        Should it be accepted now, that is undone as well: without the handler's rows nothing is completed.
        """
        if self._conn is None:
            raise RuntimeError(_NONE)
        return await limited(self._say_alone(self._conn, completion), self._conn, CALL_LIMIT)

    def drop(self) -> None:
        """The handler is dropped: its cancellation ends what it waits for, and it begins nothing more."""
        self._over = True

    async def close(self, left: float | None) -> None:
        """Undo what was not committed and give the connection up; `left`: seconds that a cleanup has yet."""
        self._over = True
        conn, outer = self._conn, self._outer
        self._conn = self._outer = None
        if conn is None:
            return
        try:
            if conn.lock.locked() or conn.info.transaction_status == TransactionStatus.ACTIVE:
                # A handler was let go of in the middle of a call: nothing more can be said on it.
                sever(conn)
            elif outer is not None and not conn.closed:
                # Said aloud: after a mere disconnection the locks would stay until the server noticed.
                undo = psycopg.Rollback()
                await limited(_leave(outer, undo), conn, _limit(left))
        except psycopg.Error as error:
            log.warning("a transaction is undone by closing its connection: %s", error)
        finally:
            await conn.close()

    async def _begin(self) -> psycopg.AsyncConnection[TupleRow]:
        if self._conn is None:
            conn = await psycopg.AsyncConnection.connect(_watched(self._dsn), **_OPTIONS)
            if self._over:
                await conn.close()
                raise RuntimeError(_OVER)
            self._conn = conn
            await self._conn.set_isolation_level(psycopg.IsolationLevel.READ_COMMITTED)
        if self._outer is None:
            outer: AbstractAsyncContextManager[Any] = self._conn.transaction()
            await limited(outer.__aenter__(), self._conn, CALL_LIMIT)
            self._outer = outer
        return self._conn

    async def _settle(
        self, conn: psycopg.AsyncConnection[Any], completion: Call[str], holds: Callable[[], None]
    ) -> str:
        verdict = await _calls.run_async(conn, completion)
        if verdict == "completed" and self._outer is not None:
            holds()
            outer, self._outer = self._outer, None
            await outer.__aexit__(None, None, None)
        return verdict

    async def _say_alone(self, conn: psycopg.AsyncConnection[Any], completion: Call[str]) -> str:
        outer, self._outer = self._outer, None
        if outer is not None:
            await _leave(outer, psycopg.Rollback())
        async with conn.transaction() as alone:
            verdict = await _calls.run_async(conn, completion)
            if verdict == "completed":
                raise psycopg.Rollback(alone)
        return verdict


def _watched(dsn: str) -> str:
    return make_conninfo("", **{**_WATCHED, **conninfo_to_dict(dsn)})


@asynccontextmanager
async def _savepoint(conn: psycopg.AsyncConnection[Any]) -> AsyncIterator[None]:
    """A block of psycopg's, which refuses a commit of the handler's own. What it says is answered in time."""
    block = conn.transaction()
    await limited(block.__aenter__(), conn, CALL_LIMIT)
    try:
        yield
    except (LetGo, GeneratorExit):
        # `close` undoes it all.
        raise
    except BaseException as error:
        if not await limited(block.__aexit__(type(error), error, error.__traceback__), conn, CALL_LIMIT):
            raise
    else:
        await limited(block.__aexit__(None, None, None), conn, CALL_LIMIT)


@contextmanager
def _sync_savepoint(conn: psycopg.Connection[Any]) -> Iterator[None]:
    """The same in a thread."""
    block = conn.transaction()
    with _answered(conn):
        block.__enter__()
    try:
        yield
    except BaseException as error:
        with _answered(conn):
            swallowed = block.__exit__(type(error), error, error.__traceback__)
        if not swallowed:
            raise
    else:
        with _answered(conn):
            block.__exit__(None, None, None)


@contextmanager
def _answered(conn: psycopg.Connection[Any]) -> Iterator[None]:
    """Shut the socket when what is said in the block gets no answer in time: psycopg raises then."""
    watch = threading.Timer(CALL_LIMIT, sever, (conn,))
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _limit(left: float | None) -> float:
    return UNDO_LIMIT if left is None else min(left, UNDO_LIMIT)


async def _leave(outer: AbstractAsyncContextManager[Any], error: BaseException) -> None:
    await outer.__aexit__(type(error), error, None)


class SyncTransaction:
    """The same for a synchronous handler: the connection is used in the delivery's own thread alone."""

    def __init__(self, dsn: str, threads: Threads) -> None:
        self._dsn = dsn
        self._threads = threads
        self._conn: psycopg.Connection[TupleRow] | None = None
        self._outer: AbstractContextManager[Any] | None = None
        self._lent = False
        self._over = False

    @property
    def open(self) -> bool:
        """Whether there is something to commit or to undo."""
        return self._outer is not None

    @contextmanager
    def block(self) -> Iterator[psycopg.Connection[Any]]:
        """Lend the connection for one block, in a savepoint: a block that fails is undone alone."""
        if self._over:
            raise RuntimeError(_OVER)
        if self._lent:
            raise RuntimeError(_LENT)
        self._lent = True
        try:
            conn = self._begin()
            with _sync_savepoint(conn):
                yield conn
        finally:
            self._lent = False

    async def commit(self, completion: Call[str], holds: Callable[[], None]) -> str:
        """Complete the step and commit both; any verdict but `completed` undoes both."""
        return await self._answered(lambda conn: self._settle(conn, completion, holds))

    async def undo_and_say(self, completion: Call[str]) -> str:
        """Undo, and say a completion alone that was refused, so that the step fails for what it was refused.

        Should it be accepted now, that is undone as well: without the handler's rows nothing is completed.
        """
        return await self._answered(lambda conn: self._say_alone(conn, completion))

    async def _answered(self, say: Callable[[psycopg.Connection[Any]], str]) -> str:
        """Say it in the thread, and shut the socket when it gets no answer in time."""
        conn = self._conn
        if conn is None:
            raise RuntimeError(_NONE)
        said = self._threads.run(lambda: say(conn))
        await asyncio.wait({said}, timeout=CALL_LIMIT)
        if not said.done():
            sever(conn)
        return await _heard(said)

    def drop(self) -> None:
        """The handler is dropped: let the server end what it does for it, and the thread that waits for that.

        A thread cannot be stopped, but its transaction can: its locks are not to outlive its time.
        """
        self._over = True
        if (conn := self._conn) is not None:
            self._threads.aside(lambda: _stop(conn))

    async def close(self, left: float | None) -> None:
        """Undo what was not committed and give the connection up, in the thread that used it last.

        Where that thread does not come back, the socket is shut, and the rest is done if it ever does.
        """
        self._over = True
        conn = self._conn
        if conn is None:
            return
        undone = self._threads.run(lambda: self._undo(conn))
        await asyncio.wait({undone}, timeout=_limit(left))
        if not undone.done():
            sever(conn)

    def _begin(self) -> psycopg.Connection[TupleRow]:
        if self._conn is None:
            self._conn = psycopg.Connection.connect(_watched(self._dsn), **_OPTIONS)
            # Now that it is there for all to see: whoever drops the handler has seen it, or is seen.
            if self._over:
                self._conn.close()
                raise RuntimeError(_OVER)
            self._conn.set_isolation_level(psycopg.IsolationLevel.READ_COMMITTED)
        if self._outer is None:
            outer: AbstractContextManager[Any] = self._conn.transaction()
            with _answered(self._conn):
                outer.__enter__()
            self._outer = outer
        return self._conn

    def _settle(self, conn: psycopg.Connection[Any], completion: Call[str], holds: Callable[[], None]) -> str:
        verdict = _calls.run(conn, completion)
        if verdict == "completed" and self._outer is not None:
            holds()
            outer, self._outer = self._outer, None
            outer.__exit__(None, None, None)
        return verdict

    def _say_alone(self, conn: psycopg.Connection[Any], completion: Call[str]) -> str:
        outer, self._outer = self._outer, None
        if outer is not None:
            undo = psycopg.Rollback()
            outer.__exit__(type(undo), undo, None)
        with conn.transaction() as alone:
            verdict = _calls.run(conn, completion)
            if verdict == "completed":
                raise psycopg.Rollback(alone)
        return verdict

    def _undo(self, conn: psycopg.Connection[Any]) -> None:
        outer, self._outer = self._outer, None
        try:
            if outer is not None and not conn.closed:
                undo = psycopg.Rollback()
                outer.__exit__(type(undo), undo, None)
        except psycopg.Error as error:
            log.warning("a transaction is undone by closing its connection: %s", error)
        finally:
            conn.close()


async def _heard(said: asyncio.Future[str]) -> str:
    """What the thread says; TimeoutError where it was interrupted, as the main one of a process may be."""
    try:
        return await said
    except asyncio.CancelledError as error:
        if said.cancelled() or not said.done():
            raise
        raise TimeoutError("the time was over before the database had answered") from error


def _stop(conn: psycopg.Connection[Any]) -> None:
    try:
        conn.cancel_safe(timeout=UNDO_LIMIT)
    except psycopg.Error as error:
        log.warning("a transaction could not be cancelled: %s", error)
    sever(conn)
