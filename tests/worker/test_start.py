"""A worker that cannot run says why in one sentence, and exits with 1."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.support.repository import ROOT
from tests.support.servers import Database
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


def complaint(worker: WorkerProcess) -> str:
    """Its one sentence."""
    assert worker.wait() == 1
    assert "Traceback" not in worker.output
    [line] = [line for line in worker.output.splitlines() if line.startswith("error: ")]
    return line


def test_another_version_of_the_engine_is_refused(bench: Bench, start_worker: Start) -> None:
    bench.conn.execute(
        "create or replace function tenure.schema_version() returns text language sql as $$ select '9.9.9' $$"
    )
    assert "version 9.9.9" in complaint(start_worker())


def test_a_database_without_the_engine_is_refused(empty_database: Database) -> None:
    worker = WorkerProcess(empty_database.dsn(), "")
    assert "does not hold the engine" in complaint(worker)
    assert "tenure migrate" in worker.output
    worker.end()


def test_a_server_that_is_not_there_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    worker = WorkerProcess(f"host={tmp_path_factory.mktemp('nowhere')}", "")
    assert "does not answer" in complaint(worker)
    worker.end()


def test_an_unknown_queue_is_refused(start_worker: Start) -> None:
    assert "nowhere" in complaint(start_worker(queue="nowhere"))


def test_an_application_that_only_the_handler_process_cannot_load_is_refused(start_worker: Start) -> None:
    worker = start_worker(app="tests.worker.broken.raises:app")
    assert "cannot load tests.worker.broken.raises:app: RuntimeError: not twice" in complaint(worker)


def test_an_application_that_ends_its_process_is_refused(start_worker: Start) -> None:
    assert "ended with status 7" in complaint(start_worker(app="tests.worker.broken.exits:app"))


def test_an_application_in_the_main_script_is_found(bench: Bench) -> None:
    script = str(ROOT / "tests" / "worker" / "script.py")
    step_id = bench.enqueue("greets")
    process = subprocess.Popen([sys.executable, script, bench.database.dsn()])
    try:
        assert bench.ended(step_id)["output"] == "hello"
        process.terminate()
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
