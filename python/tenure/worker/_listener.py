"""LISTEN, on a connection of its own that is checked now and then.

A notification only shortens a wait: with none at all everything works, at the pace of the poll interval.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import psycopg
from psycopg import sql

from tenure import _calls
from tenure.worker._hello import Hello
from tenure.worker._link import CALL_LIMIT, Backoff, Connection, UnavailableError, connect, limited
from tenure.worker._settings import Settings

log = logging.getLogger(__name__)

CHECK_EVERY = 5.0
"""Seconds of silence after which the connection is asked for a sign of life: a dead one is silent too."""


class Listener:
    """Hands on what the worker's channel says: `work` or `beat`."""

    def __init__(
        self, settings: Settings, hello: Hello, *, work: Callable[[], None], beat: Callable[[], None]
    ) -> None:
        self._dsn = settings.dsn
        self._hello = hello
        self._work = work
        self._beat = beat

    async def run(self, channel: str) -> None:
        """Listen until cancelled, again and again."""
        backoff = Backoff()
        while True:
            try:
                conn = await connect(self._dsn, "listener")
                try:
                    await self._listen(conn, channel)
                    backoff.reset()
                    await self._hear(conn)
                finally:
                    self._hello.listening = False
                    self._hello.woken()
                    await conn.close()
            except (UnavailableError, psycopg.Error) as error:
                log.warning("not listening for a moment: %s", error)
                await asyncio.sleep(backoff.pause())

    async def _listen(self, conn: Connection, channel: str) -> None:
        statement = sql.SQL("listen {}").format(sql.Identifier(channel))
        await limited(conn.execute(statement), conn, CALL_LIMIT)
        self._hello.listening = True
        # What was said while nobody listened is lost: look for yourself once.
        self._work()
        self._beat()

    async def _hear(self, conn: Connection) -> None:
        while True:
            async for note in conn.notifies(timeout=CHECK_EVERY):
                if note.payload == "beat":
                    self._beat()
                else:
                    self._hello.woken()
                    self._work()
            await limited(_calls.run_async(conn, _calls.schema_version()), conn, CALL_LIMIT)
