"""The command `tenure` as a process: exit status, one sentence on stderr, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from tests.support.servers import Database

NOWHERE = "postgresql://nobody@localhost:1/nothing"


def tenure(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name != "TENURE_DSN"}
    done = subprocess.run(
        [sys.executable, "-c", "from tenure.cli import main; main()", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=inherited | {"NO_COLOR": "1", "COLUMNS": "110"} | environment,
    )
    assert "Traceback" not in done.stderr
    return done


def test_version() -> None:
    done = tenure("--version")
    assert (done.returncode, done.stdout) == (0, f"tenure {version('tenure')}\n")


def test_help_tells_the_commands_and_the_exit_status() -> None:
    done = tenure("--help")
    assert done.returncode == 0
    for word in ("migrate", "worker", "demo", "Exit status"):
        assert word in done.stdout


@pytest.mark.parametrize("command", ["migrate", "worker", "demo"])
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


@pytest.mark.parametrize("arguments", [("migrate",), ("worker", "tests.client.shop:app")], ids=lambda a: a[0])
def test_a_server_that_is_not_there_exits_1_with_a_hint(arguments: tuple[str, ...]) -> None:
    done = tenure(*arguments, "--dsn", NOWHERE)
    assert done.returncode == 1
    error, hint = done.stderr.splitlines()[-2:]
    assert error.startswith("error: connection")
    assert hint == "hint: Is the server running, and is the DSN right?"


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
    assert done.stderr.startswith("error: this database holds Tenure 99.0.0")
    assert "hint: " in done.stderr


def test_migrate_without_the_right_says_so(empty_database: Database) -> None:
    empty_database.connect().execute(
        "do $$ begin create role tenure_test_nobody login; exception when duplicate_object then null; end $$"
    )
    done = tenure("migrate", "--dsn", empty_database.dsn(role="tenure_test_nobody"))
    assert done.returncode == 1
    assert done.stderr.startswith("error: permission denied")
