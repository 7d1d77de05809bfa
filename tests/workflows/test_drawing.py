"""Drawings: every node is there, with what it needs and gives, and in a run with its state."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from tenure._rows import RunStep, WorkflowVersion
from tenure.drawing import Box, draw_run, draw_workflow, mermaid, text

DEFINITIONS: dict[str, dict[str, Any]] = {
    "publication": {
        "nodes": [
            {"name": "render", "requires": ["reports"], "provides": ["page"]},
            {"name": "upload", "requires": ["page"], "optional": ["note"], "provides": ["receipt"]},
        ]
    },
    "import": {
        "nodes": [
            {
                "name": "list",
                "step": "list_files",
                "requires": ["folder"],
                "provides": ["files"],
                "policy": [{"timeout": "2 s"}, {"retry": {"attempts": 3, "delay": "0.1 s"}}],
            },
            {"name": "validate", "map": "files", "provides": ["reports"]},
            {
                "name": "publish",
                "workflow": "publication",
                "requires": ["reports"],
                "provides": ["receipt"],
            },
            {"name": "end", "requires": ["receipt"], "when": '$.receipt != "no"'},
        ],
        "policy": [{"retry": {"attempts": 2}}, {"retry": {"attempts": 4, "backoff": {"kind": "fixed"}}}],
        "on_failure": "continue",
    },
}


def lookup(name: str, version: int | None) -> WorkflowVersion:
    """The newest is the seventh."""
    return WorkflowVersion(name, version or 7, DEFINITIONS[name])


def step(step_id: int, parent_id: int | None, node: str | None, state: str, **other: object) -> RunStep:
    """A step of a run."""
    values: dict[str, object] = {
        "position": None,
        "group_attempt": 1,
        "workflow": None,
        "workflow_version": None,
        "attempt": 1,
        "error_kind": None,
        "waits_for": None,
        "name": node,
    }
    return RunStep(step_id, parent_id, node, state=state, **(values | other))  # type: ignore[arg-type]


RUN = [
    step(1, None, None, "waiting_steps", workflow="import", workflow_version=2),
    step(2, 1, "list", "completed", attempt=2, error_kind="timeout"),
    step(3, 1, "validate", "completed"),
    step(4, 1, "publish", "waiting_steps", workflow="publication", workflow_version=5, attempt=2),
    step(5, 1, "end", "pending"),
    *(step(6 + n, 3, "validate", "skipped" if n == 1 else "completed", position=n) for n in range(3)),
    step(10, 4, "render", "discarded", error_kind="permanent"),
    step(11, 4, "upload", "cancelled"),
    step(12, 4, "render", "running", group_attempt=2),
    step(13, 4, "upload", "pending", group_attempt=2),
]


def shown(box: Box) -> str:
    """What a terminal without colours shows."""
    console = Console(soft_wrap=True, highlight=False, no_color=True)
    with console.capture() as capture:
        console.print(text(box))
    return capture.get()


def test_a_workflow_as_text() -> None:
    assert shown(draw_workflow(lookup("import", None), lookup)) == (
        "import  [version 7; retry 2; retry 4, backoff; continues after a failure]\n"
        "├── list  folder → files  [timeout 2 s; retry 3, 0.1 s; step list_files]\n"
        "├── validate over files  → reports\n"
        "├── publish  reports → receipt  [workflow publication]\n"
        "│   ├── render  reports → page\n"
        "│   └── upload  page, note? → receipt\n"
        '└── end  receipt →  [when $.receipt != "no"]\n'
    )


def test_a_run_as_text() -> None:
    """The newest attempt of each group is shown, and of a map how many elements stand how."""
    assert shown(draw_run(RUN, lookup)) == (
        "▶ import  waiting_steps  [run 1; version 2]\n"
        "├── ✔ list  folder → files  completed, attempt 2  [timeout 2 s; retry 3, 0.1 s; step list_files]\n"
        "├── ✔ validate over files  → reports  completed, 3 elements: 2 completed, 1 skipped\n"
        "├── ▶ publish  reports → receipt  waiting_steps, attempt 2  [workflow publication]\n"
        "│   ├── ▶ render  reports → page  running\n"
        "│   └── ○ upload  page, note? → receipt  pending\n"
        '└── ○ end  receipt →  pending  [when $.receipt != "no"]\n'
    )


def test_children_that_handlers_have_started_are_drawn_in_their_group() -> None:
    """R-379: a run may wait for one of them alone; its name may be that of a node, or of another."""
    run = [
        step(1, None, None, "waiting_steps", workflow="publication", workflow_version=2),
        step(2, 1, "render", "completed"),
        step(3, 1, "upload", "pending"),
        step(4, 1, None, "waiting_signal", name="render", waits_for="it's done"),
        step(5, 1, None, "discarded", name="render", error_kind="retryable", attempt=3),
    ]
    assert shown(draw_run(run, lookup)) == (
        "▶ publication  waiting_steps  [run 1; version 2]\n"
        "├── ✔ render  reports → page  completed\n"
        "├── ○ upload  page, note? → receipt  pending\n"
        '├── ◷ render  waiting_signal "it\'s done", started by a handler\n'
        "└── ✘ render  discarded after its last attempt, attempt 3, started by a handler\n"
    )
    drawn = mermaid(draw_run(run, lookup))
    assert '    n1["render<br/>completed"]\n' in drawn
    assert '    n3["render<br/>waiting_signal #34;it#39;s done#34;, started by a handler"]\n' in drawn
    assert '    n1 -->|"page"| n2\n' in drawn


def test_a_child_that_an_element_has_started_is_no_element() -> None:
    """R-379."""
    run = [
        *RUN[:3],
        step(6, 3, "validate", "completed", position=0),
        step(7, 3, None, "running", name="look_closer"),
    ]
    lines = shown(draw_run(run, lookup)).splitlines()
    assert lines[2:4] == [
        "├── ✔ validate over files  → reports  completed, 1 element: 1 completed",
        "│   └── ▶ look_closer  running, started by a handler",
    ]


def test_a_workflow_as_mermaid() -> None:
    assert mermaid(draw_workflow(lookup("import", None), lookup)) == (
        "flowchart TD\n"
        '    n1["list"]\n'
        '    n2[["validate over files"]]\n'
        '    subgraph n3["publish"]\n'
        '        n3_1["render"]\n'
        '        n3_2["upload"]\n'
        '        n3_1 -->|"page"| n3_2\n'
        "    end\n"
        '    n4["end"]\n'
        '    n1 -->|"files"| n2\n'
        '    n2 -->|"reports"| n3\n'
        '    n3 -->|"receipt"| n4\n'
    )


def test_a_run_as_mermaid() -> None:
    drawn = mermaid(draw_run(RUN, lookup))
    assert '    n1["list<br/>completed, attempt 2"]\n' in drawn
    assert '    n2[["validate over files<br/>completed, 3 elements: 2 completed, 1 skipped"]]\n' in drawn
    assert '    subgraph n3["publish<br/>waiting_steps, attempt 2"]\n' in drawn
    assert "    class n3_1 running\n" in drawn
    assert "    classDef running " in drawn
    assert "discarded" not in drawn


def test_names_are_data() -> None:
    """Whatever a name holds is shown as it is, in brackets of ours."""
    odd = 'a"]; click "b <b>'
    box = Box(name="w", kind="workflow", inner=(Box(name=odd, kind="step", optional=("x",)),))
    assert '    n1["a#34;#93;#59; click #34;b #60;b#62;"]\n' in mermaid(box)
    assert odd in shown(box)
    assert "[red]" in shown(Box(name="[red]", kind="workflow"))


def test_every_state_can_be_drawn() -> None:
    for state in (
        "pending", "available", "running", "waiting_timer", "waiting_signal", "waiting_steps", "paused",
        "completed", "skipped", "discarded", "cancelled",
    ):  # fmt: skip
        inner = Box(name="n", kind="step", state=state, happened=(state,))
        box = Box(name="w", kind="workflow", inner=(inner,), state=state, happened=(state,))
        assert state in shown(box)
        assert f"classDef {state} " in mermaid(box)
