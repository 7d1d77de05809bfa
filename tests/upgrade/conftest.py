"""Workers of the release before, and what the tests see beside them."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.repository import PREVIOUS, ROOT
from tests.support.servers import Database
from tests.worker.bench import Bench
from tests.worker.processes import COMMAND, WorkerProcess

OLD_COMMAND = "from tenure.cli import main; main()"
"""As its own script has it."""

OLD_WHEEL = ROOT / "sql" / "releases" / f"tenure-{PREVIOUS}-py3-none-any.whl"


@pytest.fixture(scope="session")
def old_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the release before in it."""
    folder = tmp_path_factory.mktemp(f"tenure-{PREVIOUS}")
    with zipfile.ZipFile(OLD_WHEEL) as wheel:
        wheel.extractall(folder)
    return folder


@pytest.fixture
def bench(old_database: Database) -> Bench:
    """The database of the release before, with the tables that the handlers leave evidence in."""
    bench = Bench(old_database)
    bench.conn.execute(
        "create table done (step_id bigint not null, package text not null);"
        "grant insert on done to tenure_worker"
    )
    return bench


@pytest.fixture
def start(bench: Bench, old_package: Path) -> Iterator[Callable[..., WorkerProcess]]:
    """Starts workers of this version or, `old=True`, of the one before; ends them with the test."""
    workers: list[WorkerProcess] = []

    def start(*, old: bool = False) -> WorkerProcess:
        worker = WorkerProcess(
            bench.database.dsn(role="tenure_worker"),
            bench.database.dsn(),
            app="tests.upgrade.handlers:app",
            path=old_package if old else None,
            command=OLD_COMMAND if old else COMMAND,
            concurrency=4,
        )
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.end()
