"""Workers as processes, and what the tests see of them: rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
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
    """Starts workers on the test's database, and ends them with it: `start_worker(lease_ttl=1)`.

    `host` is the folder of another socket than the server's own: a proxy's.
    """
    workers: list[WorkerProcess] = []

    def start(*, host: Path | None = None, **options: Any) -> WorkerProcess:
        dsn = bench.database.dsn(role="tenure_worker")
        if host is not None:
            dsn = dsn.replace(str(bench.database.server.server.socket), str(host))
        worker = WorkerProcess(dsn, bench.database.dsn(), **options)
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.end()
