"""docs/workflows.md: its example runs, both its forms are one definition, and its tables are whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.docs.blocks import blocks, table
from tests.support.repository import ROOT
from tests.support.servers import Database
from tests.support.wait import wait_until

PAGE = ROOT / "docs" / "workflows.md"


def run(folder: Path, database: Database, *command: str) -> str:
    """Run Python in the folder, libpq's variables naming the database; return what it prints."""
    server = database.server.server
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PGHOST": str(server.socket), "PGUSER": "postgres", "PGDATABASE": database.name},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page's files."""
    for block in blocks(PAGE):
        if block.language == "python":
            (tmp_path / block.text.partition("\n")[0].removeprefix("# ")).write_text(block.text)
    return tmp_path


def test_both_forms_are_one_definition(folder: Path, database: Database) -> None:
    """What Python declares makes no new version of what the statements have defined."""
    conn = database.connect()
    for block in blocks(PAGE):
        if block.language == "sql":
            conn.execute(block.text.encode())
    declare = "import psycopg, imports; imports.app.sync_definitions(psycopg.connect(autocommit=True))"
    run(folder, database, "-c", declare)
    assert conn.execute("select name, version from tenure.workflow_status order by name").fetchall() == [
        ("import", 1),
        ("publication", 1),
    ]


def test_the_example_runs(folder: Path, database: Database) -> None:
    """A worker is there, and the run has the result that the page shows."""
    worker = subprocess.Popen(
        [sys.executable, "-c", "from tenure.cli import main; main()", "worker", "imports:app"],
        cwd=folder,
        env=os.environ | {"TENURE_DSN": database.dsn()},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        conn = database.connect()
        wait_until(lambda: conn.execute("select from tenure.workflow_status").fetchall())
        shown = next(block.text for block in blocks(PAGE) if block.language == "text")
        assert run(folder, database, "start.py") == shown
    finally:
        worker.terminate()
        worker.communicate(timeout=60)
    assert worker.returncode == 0


def test_every_member_has_a_line(conn: psycopg.Connection[Any]) -> None:
    """The engine takes each member that the tables name, and no other."""
    nodes = {
        "name": "n", "step": "s", "requires": ["a"], "optional": ["a"], "provides": ["a"], "policy": [],
        "when": "$.a > 1", "queue": "default", "priority": 1, "inherit": False, "map": "a",
        "workflow": "inner", "quota": "http",
    }  # fmt: skip
    flows = {
        "nodes": [{"name": "n", "provides": ["c"]}],
        "policy": [],
        "on_failure": "continue",
        "outputs": ["c"],
    }
    conn.execute("select tenure.set_quota('http', 1)")
    assert [code for line in table(PAGE, "Member of a workflow") for code in codes(line[0])] == list(flows)
    define(conn, "inner", flows)
    named = [code for line in table(PAGE, "Member of a node") for code in codes(line[0])]
    assert sorted(named) == sorted(nodes)
    for member, value in nodes.items():
        define(conn, f"with {member}", {"nodes": [{"name": "n", member: value}]})
    for wrong in ({**flows, "else": 1}, {"nodes": [{"name": "n", "else": 1}]}):
        with pytest.raises(psycopg.Error) as caught:
            define(conn, "wrong", wrong)
        assert caught.value.sqlstate in {"TN007", "TN031"}


def codes(cell: str) -> list[str]:
    """Return what a cell shows as code."""
    return re.findall(r"`([^`]+)`", cell)


def define(conn: psycopg.Connection[Any], name: str, definition: dict[str, Any]) -> None:
    """Define a workflow."""
    conn.execute("select tenure.define_workflow(%s, %s)", (name, Jsonb(definition)))
