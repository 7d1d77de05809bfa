"""The README's tours run as they stand there, and show what they say."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks
from tests.docs.typed import PROGRAMS, typed
from tests.support.repository import ROOT
from tests.support.servers import TestServer

README = ROOT / "README.md"


class Reader:
    """Somebody who types in what the README shows, on a machine with this server."""

    def __init__(self, server: TestServer, folder: Path) -> None:
        """`folder` takes the files that the README names."""
        self._folder = folder
        self._exports: list[str] = []
        self._settings: list[str] = []
        programs = [str(server.server.bin), PROGRAMS, os.environ["PATH"]]
        self._environment = {
            **os.environ,
            "PATH": os.pathsep.join(programs),
            "PGHOST": str(server.server.socket),
            "PGUSER": "postgres",
            "PGDATABASE": "postgres",
            "PYTHONWARNINGS": "error",
        }

    def shell(self, text: str, folder: Path) -> str:
        """Run commands as in one shell, and return what they print."""
        script = "\n".join([*self._exports, text])
        self._exports += [line for line in text.splitlines() if line.startswith("export ")]
        return typed(["bash", "-e", "-u"], script, folder=folder, env=self._environment)

    def psql(self, text: str) -> str:
        """Run statements as in one session, and return what it prints, errors among it."""
        script = "\n".join([*self._settings, text])
        self._settings += [line for line in text.splitlines() if line.startswith("\\set ")]
        command = ["psql", "-X", "-d", "tour"]
        return typed(command, script, folder=self._folder, env=self._environment, stderr=subprocess.STDOUT)

    def follow(self, block: Block) -> str | None:
        """Do what a block says; None: it says nothing that could be done."""
        if block.language == "sql":
            return self.psql(block.text)
        if block.language == "python":
            name = block.text.partition("\n")[0].removeprefix("# ")
            (self._folder / name).write_text(block.text, encoding="utf-8")
            return ""
        if block.language == "sh":
            return self.shell(block.text, ROOT if "dist/" in block.text else self._folder)
        return None


@pytest.fixture
def reader(server: TestServer, tmp_path: Path) -> Iterator[Reader]:
    """A reader before the first line; the database that the README makes goes again."""
    yield Reader(server, tmp_path)
    with server.connect("postgres") as admin:
        admin.execute("drop database if exists tour with (force)")


def shown(text: str) -> list[str]:
    """Return the lines that a reader sees; psql pads some with blanks."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_tours(reader: Reader) -> None:
    """Every block of both tours does what the block after it shows."""
    tours = [block for block in blocks(README) if block.section.startswith("A tour with ")]
    assert {block.language for block in tours} == {"sh", "sql", "python", "text"}
    for block, after in zip(tours, [*tours[1:], None], strict=True):
        printed = reader.follow(block)
        if printed is None:
            continue
        expected = after.text if after is not None and after.language == "text" else ""
        assert shown(printed) == shown(expected), f"README.md, line {block.line}: {block.text}"


def test_every_output_follows_a_command() -> None:
    """No block of output stands alone: it would be compared with nothing."""
    found = blocks(README)
    for before, block in itertools.pairwise(found):
        if block.language == "text":
            assert before.language in {"sql", "sh"}, f"README.md, line {block.line}"


def test_commands_are_targets() -> None:
    """The commands that the README names are targets of the Makefile."""
    targets = {line.partition(":")[0] for line in (ROOT / "Makefile").read_text().splitlines() if ":" in line}
    commands = next(block for block in blocks(README) if block.section == "Three commands")
    named = [line.split()[1] for line in commands.text.splitlines() if line.startswith("make ")]
    assert len(named) == 3
    assert set(named) <= targets
