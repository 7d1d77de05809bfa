"""Workflows built in Python: the JSON that they make, and what is refused when they are built."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

import tenure
from tenure import Key, Node, Workflow, retry, timeout
from tenure.errors import ArgumentInvalid, DurationInvalid, NameInvalid, WorkflowInvalid


@dataclass
class Report:
    """What a handler makes of a file."""

    lines: int


folder = Key("folder", str)
files = Key("files", list[str])
reports = Key("reports", list[Report])
receipt = Key("receipt", str)
note = Key("note", str)

publication = Workflow("publication", Node("upload", requires=[reports], provides=[receipt]))


def test_a_graph_makes_the_definition_that_the_engine_takes() -> None:
    app = tenure.App()

    @app.step
    async def list_files(ctx: Any, input: Any) -> list[str]:
        return []

    built = Workflow(
        "import",
        Node(list_files, requires=[folder], provides=[files], policy=[timeout(2), retry(3, 0.1)], queue="io"),
        Node("validate", over=files, provides=[reports], quota="cpu", priority=-1),
        Node(publication, name="publish", requires=[reports], provides=[receipt], inherit=False),
        Node("tell", name="end", requires=[receipt], optional=[note], when='$.receipt != ""'),
        policy=[timeout(3600), retry(2), retry(4, backoff={"kind": "linear", "base": 2})],
        on_failure="continue",
        outputs=[reports, receipt],
    )
    assert built.json == {
        "nodes": [
            {
                "name": "list_files",
                "requires": ["folder"],
                "provides": ["files"],
                "policy": [{"timeout": "2 s"}, {"retry": {"attempts": 3, "delay": "0.1 s"}}],
                "queue": "io",
            },
            {"name": "validate", "map": "files", "provides": ["reports"], "quota": "cpu", "priority": -1},
            {
                "name": "publish",
                "workflow": "publication",
                "requires": ["reports"],
                "provides": ["receipt"],
                "inherit": False,
            },
            {
                "name": "end",
                "step": "tell",
                "requires": ["receipt"],
                "optional": ["note"],
                "when": '$.receipt != ""',
            },
        ],
        "policy": [
            {"timeout": "3600 s"},
            {"retry": {"attempts": 2}},
            {"retry": {"attempts": 4, "backoff": {"kind": "linear", "base": 2}}},
        ],
        "on_failure": "continue",
        "outputs": ["reports", "receipt"],
    }
    assert built.inputs == {"folder": folder}
    assert built.mounted == [publication]


def test_inner_workflows_come_before_those_that_mount_them() -> None:
    middle = Workflow("middle", Node(publication, requires=[reports]))
    outer = Workflow("outer", Node(middle, requires=[reports]), Node(publication, requires=[reports]))
    assert outer.mounted == [publication, middle]


REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "no nodes": ("no nodes", lambda: Workflow("w")),
    "one name twice": ("two nodes", lambda: Workflow("w", Node("a"), Node("a"))),
    "two producers": (
        "two producers of key 'files': 'a' and 'b'",
        lambda: Workflow("w", Node("a", provides=[files]), Node("b", provides=[files])),
    ),
    "two types of a key": (
        "two types for key 'files'",
        lambda: Workflow("w", Node("a", provides=[files]), Node("b", requires=[Key("files", str)])),
    ),
    "a cycle": (
        "cycle: a → b → a",
        lambda: Workflow(
            "w",
            Node("a", requires=[note], provides=[files]),
            Node("b", requires=[files], provides=[note]),
        ),
    ),
    "a cycle over an optional key": (
        "cycle",
        lambda: Workflow(
            "w", Node("a", optional=[note], provides=[files]), Node("b", requires=[files], provides=[note])
        ),
    ),
    "an unknown output": ("no key 'note'", lambda: Workflow("w", Node("a"), outputs=[note])),
    "a mount without what it needs": (
        "needs reports",
        lambda: Workflow("w", Node(publication, provides=[receipt])),
    ),
    "a mount that promises too much": (
        "does not put out note",
        lambda: Workflow("w", Node(publication, requires=[reports], provides=[note])),
    ),
    "a workflow within itself": (
        "mounts itself",
        lambda: Workflow("publication", Node(publication, requires=[reports])),
    ),
    "a map over no array": ("no array", lambda: Node("a", over=note, provides=[reports])),
    "a map of two outputs": ("one key", lambda: Node("a", over=files, provides=[reports, Key("x", list)])),
    "a map to no array": ("one key", lambda: Node("a", over=files, provides=[note])),
    "a key named twice": ("key 'note' twice", lambda: Node("a", requires=[note], optional=[note])),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_graph_is_refused_when_it_is_built(what: str) -> None:
    message, build = REFUSED[what]
    with pytest.raises(WorkflowInvalid, match=re.escape(message)):
        build()


def test_wrong_arguments_are_refused() -> None:
    wrong: Any = "reports"
    with pytest.raises(ArgumentInvalid, match="is no key"):
        Node("a", requires=[wrong])
    with pytest.raises(ArgumentInvalid, match="no layer"):
        Node("a", policy=[wrong])
    with pytest.raises(ArgumentInvalid, match="not cancel or continue"):
        Workflow("w", Node("a"), on_failure=wrong)
    with pytest.raises(ArgumentInvalid, match="attempts must be an integer"):
        retry(wrong)
    with pytest.raises(ArgumentInvalid, match="not both"):
        retry(2, 1, backoff={"kind": "fixed"})
    with pytest.raises(DurationInvalid):
        timeout(-1)
    with pytest.raises(NameInvalid):
        Node("")
    with pytest.raises(NameInvalid):
        Key("", str)
    with pytest.raises(ArgumentInvalid, match="cannot be read"):
        Key("k", complex)
    with pytest.raises(WorkflowInvalid, match="nodes alone"):
        Workflow("w", wrong)


def test_a_key_reads_its_type() -> None:
    ctx = SimpleNamespace(keys={"reports": [{"lines": 3}], "note": None})
    assert reports.of(ctx) == [Report(lines=3)]
    assert receipt.get(ctx) is None
    with pytest.raises(ArgumentInvalid, match="no key 'receipt'"):
        receipt.of(ctx)
    with pytest.raises(ArgumentInvalid, match="note"):
        note.of(ctx)


def test_an_app_has_one_workflow_of_a_name() -> None:
    app = tenure.App()
    first = app.workflow("w", Node(publication, requires=[reports]))
    app.workflow("v", Node(first, requires=[reports]))
    with pytest.raises(ArgumentInvalid, match="two workflows are named 'publication'"):
        app.workflow("publication", Node("a"))
