"""The handler's transaction, which the worker commits with the completion inside."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from tenure import _calls
from tenure._calls import Call

log = logging.getLogger(__name__)

SETTLE_LIMIT = 10.0
"""Seconds for the completion and the commit: then the connection is given up."""

UNDO_LIMIT = 2.0


class Transaction:
    """At most one for an execution, begun when the handler first asks for it.

    Its connection is made for it and is none of the worker's own: nothing that a handler leaves behind in a
    session can reach a claim or a heartbeat.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._conn: psycopg.AsyncConnection[TupleRow] | None = None
        self._outer: AbstractAsyncContextManager[Any] | None = None
        self._lent = False

    @property
    def begun(self) -> bool:
        """Whether there is something to commit or to undo."""
        return self._outer is not None

    @asynccontextmanager
    async def block(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """Lend the connection for one block, in a savepoint: a block that fails is undone alone."""
        if self._lent:
            raise RuntimeError("ctx.transaction() is open already: an execution has one transaction")
        self._lent = True
        try:
            conn = await self._begin()
            # As a block, so that psycopg refuses a commit of the handler's own.
            async with conn.transaction():
                yield conn
        finally:
            self._lent = False

    async def commit(self, completion: Call[str]) -> str:
        """Complete the step and commit both; any verdict but `completed` undoes both."""
        conn, outer = self._conn, self._outer
        if conn is None or outer is None:
            raise RuntimeError("there is no transaction to commit")
        async with asyncio.timeout(SETTLE_LIMIT):
            verdict = await _calls.run_async(conn, completion)
            if verdict == "completed":
                await outer.__aexit__(None, None, None)
                self._outer = None
        return verdict

    async def close(self) -> None:
        """Undo what was not committed and give the connection up."""
        conn, outer = self._conn, self._outer
        self._conn = self._outer = None
        if conn is None:
            return
        try:
            if outer is not None and not conn.closed:
                # Said aloud: after a mere disconnection the locks would stay until the server noticed.
                undo = psycopg.Rollback()
                async with asyncio.timeout(UNDO_LIMIT):
                    await outer.__aexit__(type(undo), undo, None)
        except (psycopg.Error, TimeoutError) as error:
            log.warning("a transaction is undone by closing its connection: %s", error)
        finally:
            await conn.close()

    async def _begin(self) -> psycopg.AsyncConnection[TupleRow]:
        if self._conn is None:
            self._conn = await psycopg.AsyncConnection.connect(
                self._dsn, autocommit=True, application_name="tenure handler"
            )
            await self._conn.set_isolation_level(psycopg.IsolationLevel.READ_COMMITTED)
        if self._outer is None:
            outer: AbstractAsyncContextManager[Any] = self._conn.transaction()
            await outer.__aenter__()
            self._outer = outer
        return self._conn
