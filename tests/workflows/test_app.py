"""Workflows of an app: declared with its steps, started in whoever's transaction, drawn by the command."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import tenure
from tenure import Client, Key, Node, Workflow, WorkflowUnknown, retry
from tests.support.servers import Database

folder = Key("folder", str)
files = Key("files", list[str])
receipt = Key("receipt", str)

publication = Workflow("publication", Node("upload", requires=[files], provides=[receipt]))


@pytest.fixture
def app(database: Database) -> Iterator[tenure.App]:
    with tenure.App(database.dsn()) as made:
        made.workflow(
            "import",
            Node("list", requires=[folder], provides=[files], policy=[retry(2)]),
            Node(publication, requires=[files], provides=[receipt]),
        )
        yield made


def versions(conn: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    return conn.execute("select name, version from tenure.workflow_status order by name, version").fetchall()


def test_workflows_are_declared_with_the_steps(app: tenure.App, conn: psycopg.Connection[Any]) -> None:
    """The same again makes no new version; another definition makes the next."""
    app.sync_definitions(conn)
    app.sync_definitions(conn)
    assert versions(conn) == [("import", 1), ("publication", 1)]
    changed = tenure.App()
    changed.workflow("publication", Node("upload", requires=[files], provides=[receipt], policy=[retry(5)]))
    changed.sync_definitions(conn)
    assert versions(conn) == [("import", 1), ("publication", 1), ("publication", 2)]


def test_a_start_joins_the_callers_transaction(app: tenure.App, database: Database) -> None:
    conn = database.connect(autocommit=False)
    app.sync_definitions(conn)
    conn.commit()
    lost = app.start("import", {"folder": "a"}, conn=conn)
    conn.rollback()
    run = app.start("import", {"folder": "a"}, conn=conn)
    conn.commit()
    with pytest.raises(tenure.StepNotFound):
        lost.status()
    assert (run.status().name, run.status().state) == ("import", "waiting_steps")
    assert run.cancel() > 1


def test_every_way_to_start_starts_the_same(app: tenure.App, conn: psycopg.Connection[Any]) -> None:
    app.sync_definitions(conn)

    async def main() -> list[tenure.AsyncRun]:
        async with await psycopg.AsyncConnection.connect(app.dsn, autocommit=True) as own:
            return [
                await app.astart("import", {"folder": "a"}),
                await app.astart("import", {"folder": "a"}, conn=own),
                await tenure.AsyncClient(own).start("import", {"folder": "a"}),
            ]

    imports = Workflow("import", Node("list"))
    runs: list[Any] = [app.start(imports, {"folder": "a"}), Client(conn).start("import", {"folder": "a"})]
    ids = [run.id for run in [*runs, *asyncio.run(main())]]
    started = conn.execute(
        "select count(*), count(distinct input) from tenure.step_status where step_id = any(%s)"
        " and workflow = 'import' and state = 'waiting_steps'",
        (ids,),
    ).fetchone()
    assert started == (5, 1)


def test_an_unknown_workflow_cannot_be_started(app: tenure.App) -> None:
    with pytest.raises(WorkflowUnknown):
        app.start("import", {})


def graph(database: Database, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [sys.executable, "-P", "-c", "from _tenure_cli import main; main()", "graph"]
    done = subprocess.run(
        [*command, "--dsn", database.dsn(), *arguments], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done


def test_the_command_draws(app: tenure.App, database: Database) -> None:
    """A workflow, a version of it, a run of it; as text and as Mermaid."""
    app.sync_definitions(database.connect())
    run = app.start("import", {"folder": "a"})
    assert graph(database, "import").stdout == (
        "import  [version 1]\n"
        "├── list  folder → files  [retry 2]\n"
        "└── publication  files → receipt\n"
        "    └── upload  files → receipt\n"
    )
    assert graph(database, "--run", str(run.id)).stdout == (
        f"▶ import  waiting_steps  [run {run.id}; version 1]\n"
        "├── ● list  folder → files  available  [retry 2]\n"
        "└── ○ publication  files → receipt  pending\n"
        "    └── upload  files → receipt\n"
    )
    assert graph(database, "import", "--version", "1", "--mermaid").stdout == (
        "flowchart TD\n"
        '    n1["list"]\n'
        '    subgraph n2["publication"]\n'
        '        n2_1["upload"]\n'
        "    end\n"
        '    n1 -->|"files"| n2\n'
    )
    assert "class n1 available" in graph(database, "--run", str(run.id), "--mermaid").stdout


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["nothing"], 1, "error: there is no workflow nothing"),
        (["import", "--version", "7"], 1, "error: there is no workflow import, version 7"),
        (["--run", "4711"], 1, "error: there is no run 4711"),
        ([], 2, "name a workflow, or a run with --run ID"),
        (["import", "--run", "1"], 2, "name a workflow, or a run with --run ID: not both"),
        (["--run", "1", "--version", "1"], 2, "the version that it began with"),
    ],
)
def test_the_command_refuses(
    arguments: list[str], status: int, complaint: str, app: tenure.App, database: Database
) -> None:
    app.sync_definitions(database.connect())
    done = graph(database, *arguments)
    assert done.returncode == status
    assert complaint in done.stderr


def test_the_command_draws_no_plain_job(app: tenure.App, database: Database) -> None:
    done = graph(database, "--run", str(app.enqueue("plain").id))
    assert done.returncode == 1
    assert "is no run of a workflow" in done.stderr
