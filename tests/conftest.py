"""One server a session and version, one database a test.

A test that asks for `database`, `conn` or `connect` runs once on each server there is: the embedded
PostgreSQL 18 and, where it is installed, a local 15. `--pg 18` or `--pg 15` keeps to one.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.support import repository
from tests.support.extension import with_extensions
from tests.support.servers import Database, TestServer, available, running

SERVERS = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `python -m tests` says."""
    parser.addoption(
        "--pg", type=int, choices=available(), help="run on this PostgreSQL only (default: on each)"
    )
    parser.addoption("--server-tests-only", action="store_true", help="leave out tests that use no server")


def pytest_configure(config: pytest.Config) -> None:
    """Build the SQL that the tests install, from the sources as they are now."""
    config.stash[SERVERS] = []
    # As Ctrl-C, so that fixtures end what they started. And Ctrl-C: what a shell puts into the background
    # ignores it, and so would whatever the tests start.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
    repository.build()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run whatever needs a server once on each."""
    if "server" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--pg")
        majors = [chosen] if chosen else available()
        metafunc.parametrize(
            "server", majors, indirect=True, scope="session", ids=[f"pg{major}" for major in majors]
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, where another run has them, the tests that no server has a part in."""
    if config.getoption("--server-tests-only"):
        items[:] = [item for item in items if "server" in getattr(item, "fixturenames", ())]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say at the end which servers the tests ran on."""
    terminalreporter.section("servers")
    used = config.stash[SERVERS]
    terminalreporter.write_line("\n".join(sorted(used)) or "none was needed")


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[TestServer]:
    """A running server, with the template database on it."""
    with running(request.param) as started:
        request.config.stash[SERVERS].append(started.name)
        yield started


@pytest.fixture(scope="session")
def extension_server(server: TestServer) -> Iterator[TestServer]:
    """A server of the same version, where Tenure and pgTAP can be created as extensions."""
    with with_extensions(server) as started:
        yield started


@pytest.fixture
def database(server: TestServer) -> Iterator[Database]:
    """A database of the test's own, with the engine in it."""
    with server.database() as made:
        yield made


@pytest.fixture
def empty_database(server: TestServer) -> Iterator[Database]:
    """A database of the test's own, without the engine."""
    with server.database(template="template0") as made:
        yield made


@pytest.fixture
def old_database(empty_database: Database) -> Database:
    """A database of the test's own, with the release before this version in it."""
    with empty_database.server.connect(empty_database.name) as conn:
        conn.execute(repository.released(repository.PREVIOUS))
    return empty_database


@pytest.fixture
def connect(database: Database) -> Callable[..., psycopg.Connection[Any]]:
    """Opens connections to the test's database: `connect(role="tenure_worker", autocommit=False)`."""
    return database.connect


@pytest.fixture
def conn(database: Database) -> psycopg.Connection[Any]:
    """An autocommit connection of the superuser to the test's database."""
    return database.connect()


@pytest.fixture
def background(database: Database) -> Iterator[Callable[..., Future[Any]]]:
    """Starts a call in a thread, for a session that is to wait for another: `background(conn.execute, …)`.

    It depends on the database, whose end comes later and must not hang on a thread that still waits in it.
    """
    with ThreadPoolExecutor(max_workers=16) as pool:
        yield pool.submit
        with database.server.connect("postgres") as admin:
            admin.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = %s and state = 'active'",
                (database.name,),
            )
