"""docs/worker.md, CONTRIBUTING.md and CHANGELOG.md against what they speak of."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main

import tenure
from tenure.cli._main import app
from tenure.worker._settings import STALL_LEASES
from tests.docs.blocks import blocks, table
from tests.support.repository import ROOT

WORKER = ROOT / "docs" / "worker.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"


def code(cell: str) -> list[str]:
    """Return what a cell shows as code."""
    return re.findall(r"`([^`]+)`", cell)


def test_options_of_the_worker() -> None:
    """Every option stands there with its default."""
    command = typer.main.get_group(app).commands["worker"]
    options = {option.opts[0]: option for option in command.params if option.opts[0].startswith("--")}
    listed = {code(line[0])[0]: line[1].strip("`") for line in table(WORKER, "Option")}
    assert set(listed) == set(options) - {"--help"}
    assert listed.pop("--dsn") == options["--dsn"].envvar
    assert listed.pop("--queue") == "default"
    assert listed.pop("--stall-limit") == f"{STALL_LEASES} leases"
    for name, default in listed.items():
        assert float(default) == options[name].default


@pytest.mark.parametrize(
    ("section", "test"),
    [
        ("To test steps", "test_jobs.test_greet_in_an_hour"),
        ("Hooks, guards and resources", "test_shop.test_pack"),
    ],
)
def test_the_examples_of_tests_pass(tmp_path: Path, section: str, test: str) -> None:
    """The application and its test work as they stand there."""
    for block in blocks(WORKER):
        if block.section == section:
            name = block.text.partition("\n")[0].removeprefix("# ")
            (tmp_path / name).write_text(block.text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import {test.partition('.')[0]}; {test}()"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_fragments_are_steps() -> None:
    """What is shown of handlers without their world can at least be declared."""
    shown = tenure.App()
    world = {"app": shown, "tenure": tenure} | dict.fromkeys(
        ["Order", "Parcel", "Image", "Model", "Result"], Any
    )
    declared = 0
    for block in blocks(WORKER):
        if block.section in {"Handlers", "Cleanup"} and block.language == "python":
            # As in a module that does not put off its annotations.
            exec(compile(block.text, str(WORKER), "exec", dont_inherit=True), world)  # noqa: S102
            declared += block.text.count("@app.step")
    assert len(shown.steps) == declared == 4


@pytest.mark.parametrize("context", [tenure.Context, tenure.SyncContext])
def test_what_a_context_has(context: type) -> None:
    """Every member of the contexts is named, and no other."""
    members = {name for name, _ in inspect.getmembers(context) if not name.startswith("_")}
    named = [re.match(r"(?:await )?(\w+)", text) for line in table(WORKER, "`ctx`") for text in code(line[0])]
    assert {match[1] for match in named if match} == members


def test_errors_that_handlers_raise() -> None:
    """Every signal of a handler has a line."""
    named = {
        text.removeprefix("tenure.").partition("(")[0]
        for line in table(WORKER, "The handler")
        for text in code(line[0])
    }
    assert named == {kind.__name__ for kind in tenure.HandlerSignal.__subclasses__()}


def test_commands_are_targets() -> None:
    """The commands for contributors are the Makefile's targets, all of them."""
    targets = re.findall(r"^([\w-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = [code(line[0])[0].removeprefix("make ") for line in table(CONTRIBUTING, "Command")]
    assert sorted(named) == sorted(set(targets) - {"help"})


def test_folders_are_there() -> None:
    """The folders of tests are where they are said to be, and none is left out."""
    told = {folder.rstrip("/") for line in table(CONTRIBUTING, "Folder") for folder in code(line[0])}
    there = {
        path.relative_to(ROOT).as_posix()
        for parent in (ROOT / "pgtap", ROOT / "tests")
        for path in parent.iterdir()
        if any(path.glob("*.py")) or any(path.glob("*.sql"))
    }
    assert told == there | {"pgtap"}


@pytest.mark.parametrize("heading", ["Upgrade notes for DBAs", "SQL", "Python"])
def test_this_release_is_in_the_changelog(heading: str) -> None:
    """The version has its section, with its three headings."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    section = (ROOT / "CHANGELOG.md").read_text().partition(f"\n## [{version}] - ")[2].partition("\n## ")[0]
    assert f"\n### {heading}\n\n- " in section
