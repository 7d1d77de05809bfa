"""One server a session and version, one database a test.

A test that asks for `database`, `conn` or `connect` runs once on each server there is: the embedded
PostgreSQL 18 and, where it is installed, a local 15. `--pg 18` or `--pg 15` keeps to one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.support import repository
from tests.support.servers import Database, TestServer, available, running

SERVERS = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--pg`."""
    parser.addoption(
        "--pg", type=int, choices=available(), help="run on this PostgreSQL only (default: on each)"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Build the SQL that the tests install, from the sources as they are now."""
    config.stash[SERVERS] = []
    if not hasattr(config, "workerinput"):  # else the process that started this one has done so
        repository.build()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run whatever needs a server once on each."""
    if "server" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--pg")
        majors = [chosen] if chosen else available()
        metafunc.parametrize(
            "server", majors, indirect=True, scope="session", ids=[f"pg{major}" for major in majors]
        )


class ByServer(LoadScopeScheduling):  # type: ignore[misc]
    """Keeps all tests of one server in one process, where the tests are spread over several."""

    def _split_scope(self, nodeid: str) -> str:
        server = re.search(r"[\[-]pg\d+", nodeid)
        return nodeid if server is None else server.group()[1:]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByServer:
    """Spread the tests so."""
    return ByServer(config, log)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that started this one which servers were used."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["servers"] = session.config.stash[SERVERS]


def pytest_testnodedown(node: Any) -> None:
    """Hear which servers the other process used."""
    node.config.stash[SERVERS].extend(getattr(node, "workeroutput", {}).get("servers", []))


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
