"""The servers that the tests run on, and databases on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql

from tenure import embedded
from tenure.migrate import migrate
from tests.support.debian import PGTAP, tool

EMBEDDED = 18
LOCAL = 15
TEMPLATE = "tenure_template"


@dataclass(slots=True)
class Database:
    """One test's database: a clone of the template, with the engine and pgTAP in it."""

    name: str
    server: TestServer
    _open: list[psycopg.Connection[Any]] = field(default_factory=list)

    def dsn(self, *, role: str | None = None) -> str:
        """Return a connection string; with `role` every session of it acts as that role from its start."""
        dsn = self.server.dsn(self.name)
        return dsn if role is None else f"{dsn}&options={quote(f'-c role={role}', safe='')}"

    def connect(
        self, *, role: str | None = None, autocommit: bool = True, name: str | None = None
    ) -> psycopg.Connection[Any]:
        """Open a connection that closes with the test; `name` is its application_name."""
        options: dict[str, Any] = {"application_name": name, "client_encoding": "UTF8"}
        conn = psycopg.connect(self.dsn(role=role), autocommit=autocommit, **options)
        self._open.append(conn)
        return conn

    def close(self) -> None:
        """Close every connection that `connect` opened."""
        for conn in self._open:
            conn.close()


class TestServer:
    """A running server of one major version, with the template database on it."""

    __test__ = False  # the name is no test of pytest's

    def __init__(self, server: embedded.Server, origin: str) -> None:
        """Read the version and make the template."""
        self.server = server
        self._made = 0
        with self.connect("postgres") as conn:
            shown = conn.execute("show server_version").fetchone()
            conn.execute(sql.SQL("create database {}").format(sql.Identifier(TEMPLATE)))
        assert shown is not None
        self.version = str(shown[0]).split()[0]
        self.name = f"PostgreSQL {self.version} ({origin})"
        self.major = int(self.version.partition(".")[0])
        with self.connect(TEMPLATE) as conn:
            migrate(conn)
            conn.execute(tool(*PGTAP).read_bytes())

    def dsn(self, database: str) -> str:
        """Return a connection string of the superuser."""
        return self.server.dsn(database)

    def connect(self, database: str) -> psycopg.Connection[Any]:
        """Return an autocommit connection of the superuser."""
        return psycopg.connect(self.dsn(database), autocommit=True)

    @contextmanager
    def database(self, *, template: str = TEMPLATE, encoding: str = "UTF8") -> Iterator[Database]:
        """Clone the template (`template0` is an empty database) for as long as the block runs.

        Only `template0` can be cloned into another encoding.
        """
        self._made += 1
        name = f"t{self._made}"
        identifier = sql.Identifier(name)
        with self.connect("postgres") as conn:
            conn.execute(
                sql.SQL("create database {} template {} encoding {} locale 'C'").format(
                    identifier, sql.Identifier(template), sql.Literal(encoding)
                )
            )
            database = Database(name=name, server=self)
            try:
                yield database
            finally:
                database.close()
                # Whatever a test forgot or a killed worker left behind must not hold the next one up.
                conn.execute(sql.SQL("drop database {} with (force)").format(identifier))


@contextmanager
def running(major: int) -> Iterator[TestServer]:
    """Run a server of this major version for as long as the block runs."""
    bin_folder = embedded.embedded_bin() if major == EMBEDDED else embedded.local_bin(major)
    # In memory: on some file systems a database's hundreds of files, made and removed for each test, cost 0.3
    # s.
    with embedded.start(bin_folder=bin_folder, in_memory=True) as server:
        yield TestServer(server, "embedded" if major == EMBEDDED else "local")


def available() -> list[int]:
    """Return the major versions there are: the embedded one always, the local one where it is installed."""
    return [EMBEDDED] if embedded.local_bin(LOCAL) is None else [EMBEDDED, LOCAL]
