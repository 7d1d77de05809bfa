"""docs/workflows.md: its example runs, both its forms are one definition, and its tables are whole."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.docs.blocks import blocks, table
from tests.docs.typed import PROGRAMS, typed
from tests.support.repository import ROOT
from tests.support.servers import Database

PAGE = ROOT / "docs" / "workflows.md"


def shell(folder: Path, database: Database, text: str) -> str:
    """Run commands in the folder, TENURE_DSN alone naming the database; return what they print."""
    env = os.environ | {
        "TENURE_DSN": database.dsn(),
        "PATH": os.pathsep.join([PROGRAMS, os.environ["PATH"]]),
        "PGHOST": str(folder / "nowhere"),
    }
    return typed(["bash", "-e", "-u"], text, folder=folder, env=env)


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
    declare = (folder / "start.py").read_text().partition("run = ")[0]
    (folder / "declare.py").write_text(declare)
    shell(folder, database, "python declare.py")
    assert conn.execute("select name, version from tenure.workflow_status order by name").fetchall() == [
        ("import", 1),
        ("publication", 1),
    ]


def test_the_example_runs(folder: Path, database: Database) -> None:
    """The commands of the page print what it shows; the database is the only thing that is another one."""
    named, _, commands = next(block.text for block in blocks(PAGE) if block.language == "sh").partition("\n")
    assert named == "export TENURE_DSN=postgresql:///shop"
    shown = next(block.text for block in blocks(PAGE) if block.language == "text")
    assert shell(folder, database, commands) == shown


def test_a_misspelt_key_is_no_error(conn: psycopg.Connection[Any]) -> None:
    """A run of the page's workflow without its key is skipped, has no result, and has done nothing."""
    for block in blocks(PAGE):
        if block.language == "sql" and "define_workflow" in block.text:
            conn.execute(block.text.encode())
    started = conn.execute("""select tenure.start('import', '{"fodler": "/srv/orders"}')""").fetchone()
    assert started is not None
    told = conn.execute("select state, tenure.result(run_id) from tenure.status(%s)", started).fetchone()
    assert told == ("skipped", None)


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
