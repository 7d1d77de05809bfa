"""Workers as processes, and what the tests see of them: rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.servers import Database, TestServer
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess


@pytest.fixture(scope="module")
def served(server: TestServer) -> Iterator[Bench]:
    """A database with a worker at work, shared by the tests of a module that need no other of their own."""
    with server.database() as database:
        worker = WorkerProcess(database.dsn(role="tenure_worker"), database.dsn())
        yield Bench(database)
        worker.end()


@pytest.fixture
def bench(database: Database) -> Bench:
    """The test's database, with the tables that the handlers leave evidence in."""
    return Bench(database)


@pytest.fixture
def start_worker(bench: Bench) -> Iterator[Callable[..., WorkerProcess]]:
    """Starts workers on the test's database, and ends them with it: `start_worker(lease_ttl=1)`."""
    workers: list[WorkerProcess] = []

    def start(**options: Any) -> WorkerProcess:
        worker = WorkerProcess(bench.database.dsn(role="tenure_worker"), bench.database.dsn(), **options)
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.end()
