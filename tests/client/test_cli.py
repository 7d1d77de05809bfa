"""The command `tenure` as a process: exit status, one sentence on stderr, never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib.metadata import version

import pytest

import tenure as package
from tests.support.repository import ROOT
from tests.support.servers import Database

NOWHERE = "postgresql://nobody@localhost:1/nothing"


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    inherited = {name: value for name, value in os.environ.items() if name != "TENURE_DSN"}
    return subprocess.Popen(
        # -P: as in the installed script, the current folder is not on the path by itself.
        [sys.executable, "-P", "-c", "from _tenure_cli import main; main()", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=inherited | {"NO_COLOR": "1", "COLUMNS": "110"} | environment,
    )


def finish(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    stdout, stderr = process.communicate(timeout=60)
    assert "Traceback" not in stderr
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def tenure(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return finish(start(*arguments, **environment))


def test_version() -> None:
    done = tenure("--version")
    assert (done.returncode, done.stdout) == (0, f"tenure {version('tenure')}\n")


def test_help_tells_the_commands_and_the_exit_status() -> None:
    done = tenure("--help")
    assert done.returncode == 0
    for word in ("migrate", "worker", "graph", "demo", "demo-workflow", "Exit status"):
        assert word in done.stdout


@pytest.mark.parametrize("command", ["migrate", "worker", "graph", "demo", "demo-workflow"])
def test_every_command_has_help(command: str) -> None:
    assert tenure(command, "--help").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("migrate",),
        ("migrate", "--dsn"),
        ("migrate", "extra", "--dsn", NOWHERE),
        ("worker", "--dsn", NOWHERE),
        ("worker", "shop:app"),
        ("worker", "shop", "--dsn", NOWHERE),
        ("worker", "shop:app", "--dsn", NOWHERE, "--concurrency", "0"),
        ("worker", "shop:app", "--dsn", NOWHERE, "--concurrency", "many"),
        ("worker", "shop:app", "--dsn", NOWHERE, "--lease-ttl", "0"),
        ("worker", "shop:app", "--dsn", NOWHERE, "--lease-ttl", "nan"),
        ("worker", "shop:app", "--dsn", NOWHERE, "--poll-interval", "-1"),
        ("worker", "shop:app", "--dsn", NOWHERE, "--shutdown-timeout", "-1"),
        ("worker", "shop:app", "--dsn", NOWHERE, "--queue", ""),
    ],
    ids=" ".join,
)
def test_a_wrong_call_exits_2_and_says_what_is_wrong(arguments: tuple[str, ...]) -> None:
    done = tenure(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr


def test_a_server_that_is_not_there_exits_1_with_a_hint() -> None:
    done = tenure("migrate", "--dsn", NOWHERE)
    assert done.returncode == 1
    error, hint = done.stderr.splitlines()
    assert error.startswith("error: connection")
    assert hint == "hint: Is the server running, and is the DSN right?"


def test_a_worker_without_a_server_exits_1() -> None:
    done = tenure("worker", "tests.client.shop:app", "--dsn", NOWHERE)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: the database ")


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        (
            "no.such.module:app",
            "error: cannot import no.such.module: ModuleNotFoundError: No module named 'no'",
        ),
        (
            "tests.client.shop:nothing",
            "error: tests.client.shop:nothing is not a tenure.App: tests.client.shop has no nothing",
        ),
        (
            "tests.client.shop:not_an_app",
            "error: tests.client.shop:not_an_app is not a tenure.App: it is a str",
        ),
    ],
)
def test_a_worker_without_an_app_exits_1(reference: str, sentence: str) -> None:
    done = tenure("worker", reference, "--dsn", NOWHERE)
    assert done.returncode == 1
    assert done.stderr.splitlines()[1:] == [sentence]


def test_a_worker_without_the_engine_exits_1_with_a_hint(empty_database: Database) -> None:
    done = tenure("worker", "tests.client.shop:app", "--dsn", empty_database.dsn())
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2].startswith(f"error: database '{empty_database.name}' at ")
    assert " does not hold the engine's functions (" in done.stderr.splitlines()[-2]
    assert done.stderr.splitlines()[-1] == "hint: run: tenure migrate --dsn DSN"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_runs_steps_and_exits_0_after_a_signal(database: Database, number: signal.Signals) -> None:
    worker = start(
        *(
            "worker",
            "tests.client.shop:app",
            "--dsn",
            database.dsn(),
            "--queue",
            "default",
            "--queue",
            "mail",
        ),
        *("--concurrency", "2", "--lease-ttl", "5", "--poll-interval", "0.1", "--shutdown-timeout", "5"),
    )
    try:
        client = package.Client(database.connect())
        client.create_queue("mail")
        runs = [client.enqueue("ship", {"id": 1}), client.enqueue("ship", {"id": 2}, queue="mail")]
        assert [run.result(timeout=30)["id"] for run in runs] == [1, 2]
        defined = database.connect().execute("select name, max_attempts from tenure_private.definition")
        assert ("ship", 3) in defined.fetchall()
    finally:
        worker.send_signal(number)
        done = finish(worker)
    assert done.returncode == 0, done.stderr


def test_a_dsn_that_is_none_exits_1(empty_database: Database) -> None:
    done = tenure("migrate", "--dsn", "this is no dsn")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert empty_database.connect().execute("select to_regnamespace('tenure')").fetchone() == (None,)


def test_migrate_installs_once(empty_database: Database) -> None:
    first = tenure("migrate", "--dsn", empty_database.dsn())
    assert (first.returncode, first.stdout) == (0, f"installed {version('tenure')}\n"), first.stderr
    again = tenure("migrate", TENURE_DSN=empty_database.dsn())
    assert (again.returncode, again.stdout) == (0, f"already at {version('tenure')}\n")


def test_migrate_refuses_another_version_in_a_sentence(database: Database) -> None:
    database.connect().execute("update tenure_private.installation set version = '99.0.0'")
    done = tenure("migrate", "--dsn", database.dsn())
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: database '{database.name}' at ")
    assert " holds Tenure 99.0.0, and " in done.stderr
    assert "hint: " in done.stderr


def test_migrate_without_the_right_says_so(empty_database: Database) -> None:
    empty_database.connect().execute(
        "do $$ begin create role tenure_test_nobody login; exception when duplicate_object then null; end $$"
    )
    done = tenure("migrate", "--dsn", empty_database.dsn(role="tenure_test_nobody"))
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    (hint,) = done.stderr.splitlines()[1:]
    assert hint.startswith('hint: Have an administrator run the statement of docs/dba.md, "Who may install"')
    assert hint.endswith("grant tenure_owner to tenure_test_nobody.")
