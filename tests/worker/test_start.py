"""A worker that cannot run says why in one sentence, leaves a report, and exits with 1."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repository import ROOT
from tests.support.servers import Database
from tests.support.wait import LIMIT, wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.test_shutdown import report

Start = Callable[..., WorkerProcess]

NOTHING = {"verdicts": {}, "settled": [], "released": [], "abandoned": [], "left_out": 0}


def complaint(worker: WorkerProcess) -> str:
    """Its one sentence, which its report gives as the reason."""
    assert worker.wait() == 1
    [line] = [line for line in worker.output.splitlines() if line.startswith("error: ")]
    assert "leaving: 0 settled, 0 released, 0 abandoned\n" in worker.output
    assert worker.output.count(line.removeprefix("error: ")) == 1
    return line


def refused(worker: WorkerProcess, bench: Bench, sentence: str) -> None:
    """Expect that it says why it does not start, and that this is stored."""
    line = complaint(worker)
    assert sentence in line
    assert "Traceback" not in worker.output
    told = report(bench)
    assert told["reason"] in line
    assert told == NOTHING | {"reason": told["reason"], "seconds": told["seconds"]}


def test_another_version_of_the_engine_is_refused(bench: Bench, start_worker: Start) -> None:
    """R-314."""
    bench.conn.execute(
        "create or replace function tenure.schema_version() returns text language sql as $$ select '9.9.9' $$"
    )
    refused(start_worker(), bench, "version 9.9.9")


def test_a_database_without_the_engine_is_refused(empty_database: Database) -> None:
    """R-314, R-339: there is nowhere to store why."""
    worker = WorkerProcess(empty_database.dsn(), "")
    assert "does not hold the engine" in complaint(worker)
    assert "tenure migrate" in worker.output
    assert [line[:5] for line in worker.output.splitlines()[1:]] == ["error", "hint:"]
    worker.end()


def test_a_server_that_is_not_there_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    """R-314."""
    worker = WorkerProcess(f"host={tmp_path_factory.mktemp('nowhere')}", "")
    assert "does not answer" in complaint(worker)
    assert len(worker.output.splitlines()) == 2
    worker.end()


def test_an_unknown_queue_is_refused(bench: Bench, start_worker: Start) -> None:
    """R-314."""
    refused(start_worker(queue="nowhere"), bench, "nowhere")


@pytest.mark.parametrize(
    ("app", "sentence"),
    [
        ("nowhere:app", "cannot import tests.worker.broken.nowhere: ModuleNotFoundError"),
        ("refused:exits", "cannot import tests.worker.broken.refused: SystemExit: no licence"),
        ("refused:handler", "cannot import tests.worker.broken.refused: "),
        ("refused:sys", "is not a tenure.App: it is a module"),
        ("refused:nothing", "has no nothing"),
        ("refused:empty", "declares no steps"),
        ("raises:app", "cannot load tests.worker.broken.raises:app: RuntimeError: not twice"),
        ("exits:app", "ended with status 7 before it had loaded tests.worker.broken.exits:app"),
        ("hooks:fails_app", "a hook around the worker failed: ValueError: no pool today"),
    ],
)
def test_an_application_that_does_not_run_is_refused(
    bench: Bench, start_worker: Start, app: str, sentence: str
) -> None:
    """R-314, R-334: by the command line, or by the handler process."""
    worker = start_worker(app=f"tests.worker.broken.{app}")
    line = complaint(worker)
    assert sentence in line
    assert report(bench)["reason"] in line


def test_what_an_import_refuses_comes_with_its_hint(bench: Bench, start_worker: Start) -> None:
    """R-339."""
    worker = start_worker(app="tests.worker.broken.refused:parameters")
    sentence = "step 'approve': the handler must take ctx and input, and takes (ctx)"
    assert sentence in complaint(worker)
    assert worker.output.splitlines()[2:] == ["hint: Write: def handler(ctx, input)."]


SLOW_IMPORT = """
import sys, time
from pathlib import Path

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "psycopg":
            sys.meta_path.remove(self)
            print("the engine is being imported", flush=True)
            while not Path(__file__).with_name("gate").exists():
                time.sleep(0.01)

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_the_package_is_there_ends_it_cleanly(
    bench: Bench, start_worker: Start, tmp_path: Path, number: signal.Signals
) -> None:
    """R-314: the command has had no chance to do anything yet."""
    (tmp_path / "sitecustomize.py").write_text(SLOW_IMPORT)
    worker = start_worker(path=tmp_path)
    wait_until(lambda: "the engine is being imported" in worker.output)
    worker.send(number)
    (tmp_path / "gate").touch()
    assert worker.wait() == 0, worker.output
    told = report(bench)
    assert told == NOTHING | {"reason": "it was told to stop", "seconds": told["seconds"]}


def test_a_signal_during_the_import_ends_it_cleanly(bench: Bench, start_worker: Start) -> None:
    """R-314."""
    worker = start_worker(app="tests.worker.broken.slow:app")
    wait_until(lambda: "importing" in worker.output)
    worker.stop()
    told = report(bench)
    assert told == NOTHING | {"reason": "it was told to stop", "seconds": told["seconds"]}
    assert "leaving: 0 settled, 0 released, 0 abandoned (it was told to stop)" in worker.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_the_first_hello_ends_it_cleanly(
    bench: Bench, start_worker: Start, number: signal.Signals
) -> None:
    """R-314: while it waits for the database."""
    bench.conn.execute(
        "create or replace function tenure.schema_version() returns text language plpgsql as $$ begin"
        " perform set_config('lock_timeout', '0', true), pg_advisory_xact_lock_shared(1); return '0'; end $$"
    )
    bench.conn.execute("select pg_advisory_lock(1)")
    worker = start_worker()
    waiting = "select count(*) > 0 from pg_locks where locktype = 'advisory' and not granted"
    wait_until(lambda: bench.value(waiting), what="the start has begun")
    worker.send(number)
    assert worker.wait() == 0, worker.output
    assert report(bench)["reason"] == "it was told to stop"
    assert "error" not in worker.output


def test_a_signal_during_the_start_ends_it_cleanly(bench: Bench, start_worker: Start) -> None:
    """R-314: as soon as it has said hello."""
    bench.enqueue("nothing")
    worker = start_worker()
    wait_until(lambda: bench.value("select count(*) from tenure.worker_status") == 1)
    worker.send_to_all(signal.SIGTERM)
    assert worker.wait() == 0, worker.output
    assert bench.value("select count(*) from tenure.lease_status") == 0
    assert report(bench)["reason"] == "it was told to stop"


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("raises", "the worker is broken: ValueError: a fault of its own"),
        ("returns", "the worker is broken: RuntimeError: a duty has ended"),
        ("cancelled", "the worker is broken: RuntimeError: a duty was cancelled"),
    ],
)
def test_a_worker_that_loses_a_duty_leaves_at_once_and_hands_back(
    bench: Bench, start_worker: Start, how: str, reason: str
) -> None:
    """R-317: not foreseen, and the report is given all the same."""
    worker = start_worker(app=f"tests.worker.broken.duties:{how}", shutdown_timeout=600)
    step_id = bench.enqueue("sits")
    assert worker.wait() == 1
    assert f"error: {reason}" in worker.output
    step = bench.step(step_id)
    assert (step["state"], step["attempt"], step["releases"]) == ("available", 1, 1)
    told = report(bench)
    assert told["reason"] == reason
    assert [entry["step_id"] for entry in told["released"]] == [str(step_id)]


def test_a_hook_that_fails_while_a_handler_is_at_work_leaves_its_step_in_the_report(
    bench: Bench, start_worker: Start
) -> None:
    """R-334, R-314: nobody knows how far it was, and nobody waits for it."""
    worker = start_worker(app="tests.worker.broken.hooks:late_app", shutdown_timeout=600)
    step_id = bench.enqueue("sits")
    assert worker.wait() == 1
    told = report(bench)
    assert told["reason"] == "a hook around the worker failed: ValueError: the pool is gone"
    assert [(entry["step_id"], entry["why"]) for entry in told["abandoned"]] == [
        (str(step_id), "its process ended first")
    ]


def test_no_thread_that_an_import_has_started_keeps_a_worker(bench: Bench, start_worker: Start) -> None:
    """R-304: neither the supervisor nor a handler process."""
    worker = start_worker(app="tests.worker.broken.threads:app", shutdown_timeout=600)
    for name in ("quick", "apart"):
        assert bench.ended(bench.enqueue(name))["output"] == "done"
    worker.stop()
    assert f"process {worker.pid} leaves without waiting for threads of its application" in worker.output
    assert "is killed" not in worker.output


def test_nor_does_a_task_that_a_handler_has_left_behind(bench: Bench, start_worker: Start) -> None:
    """R-304: one that swallows its cancellation."""
    worker = start_worker(app="tests.worker.bodies:app", shutdown_timeout=600)
    for name in ("leaves_a_task", "leaves_a_task_apart"):
        assert bench.ended(bench.enqueue(name))["output"] == "gone"
    worker.stop()
    assert "is killed" not in worker.output


def test_an_application_in_the_main_script_is_found(bench: Bench) -> None:
    script = str(ROOT / "tests" / "worker" / "script.py")
    step_id = bench.enqueue("greets")
    process = subprocess.Popen([sys.executable, script, bench.database.dsn()])
    try:
        assert bench.ended(step_id)["output"] == "hello"
        process.terminate()
        assert process.wait(timeout=LIMIT) == 0
    finally:
        process.kill()
        process.wait()
