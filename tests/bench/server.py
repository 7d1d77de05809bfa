"""The server that is measured: embedded, on disk, with fsync."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from tenure import embedded
from tenure.migrate import migrate
from tests.bench.chunks import Conn

# Room in memory for what a part works on, and no checkpoint that falls on one side of a pair only.
SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "1GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
}
BARE = Path(__file__).with_name("bare.sql")


class Bench:
    """A running server that lends databases."""

    def __init__(self, server: embedded.Server, *, quick: bool) -> None:
        """Take over a server; `quick` asks the parts for less."""
        self._server = server
        self.quick = quick

    def dsn(self, database: str) -> str:
        """Where others find a database."""
        return self._server.dsn(database)

    def connect(self, database: str = "postgres") -> Conn:
        """An autocommit connection of the superuser: each call is a transaction of its own."""
        return psycopg.connect(self.dsn(database), autocommit=True)

    @contextmanager
    def engine(self) -> Iterator[str]:
        """A new database with the engine, for as long as the block runs."""
        with self.database() as name:
            with self.connect(name) as conn:
                migrate(conn)
            yield name

    @contextmanager
    def bare(self) -> Iterator[str]:
        """A new database with the bare hot path, for as long as the block runs."""
        with self.database() as name:
            with self.connect(name) as conn:
                conn.execute(BARE.read_bytes())
            yield name

    @contextmanager
    def database(self) -> Iterator[str]:
        """A new, empty database, for as long as the block runs."""
        name = f"bench_{secrets.token_hex(4)}"
        with self.connect() as admin:
            admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
            try:
                yield name
            finally:
                admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@contextmanager
def running(*, quick: bool) -> Iterator[Bench]:
    """Run a server of one's own for as long as the block runs."""
    with embedded.start(settings=SETTINGS) as server:
        yield Bench(server, quick=quick)
