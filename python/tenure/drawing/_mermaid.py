"""Drawings for documents: a Mermaid flowchart, a box for each node and an arrow for each key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenure.drawing._boxes import Box

STYLES = {
    "pending": "fill:#eee,stroke:#999,color:#333",
    "available": "fill:#def,stroke:#58a,color:#000",
    "running": "fill:#9cf,stroke:#06c,color:#000",
    "waiting_timer": "fill:#def,stroke:#58a,color:#000,stroke-dasharray:4",
    "waiting_signal": "fill:#def,stroke:#58a,color:#000,stroke-dasharray:4",
    "waiting_steps": "fill:#def,stroke:#06c,color:#000",
    "paused": "fill:#fec,stroke:#c80,color:#000",
    "completed": "fill:#cfc,stroke:#393,color:#000",
    "skipped": "fill:#fff,stroke:#999,color:#777",
    "discarded": "fill:#fbb,stroke:#c00,color:#000",
    "cancelled": "fill:#ecf,stroke:#808,color:#000",
}

INDENT = "    "


def mermaid(box: Box) -> str:
    """Return the text of a flowchart, to be put between fences of a Markdown document."""
    flowchart = _Flowchart()
    lines = ["flowchart TD", *flowchart.nodes(box, "n", INDENT)]
    lines += [f"{INDENT}class {name} {state}" for name, state in flowchart.states.items()]
    used = sorted(set(flowchart.states.values()))
    return "\n".join([*lines, *(f"{INDENT}classDef {state} {STYLES[state]}" for state in used)]) + "\n"


class _Flowchart:
    """Names boxes by where they stand (n1, n1_2), and notes their states."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}

    def nodes(self, group: Box, prefix: str, indent: str) -> Iterator[str]:
        """The boxes within one, and the arrows between them."""
        # Not by their names: what handlers start may be named as anything else.
        named = [(f"{prefix}{number}", inner) for number, inner in enumerate(group.inner, 1)]
        producers = {key: name for name, inner in named for key in inner.provides}
        for name, inner in named:
            yield from self._box(inner, name, indent)
        for name, inner in named:
            for key, arrow in _needs(inner):
                if key in producers:
                    yield f'{indent}{producers[key]} {arrow}|"{_escaped(key)}"| {name}'

    def _box(self, box: Box, name: str, indent: str) -> Iterator[str]:
        if box.state is not None:
            self.states[name] = box.state
        label = "<br/>".join(_escaped(line) for line in _lines(box))
        if box.inner:
            yield f'{indent}subgraph {name}["{label}"]'
            yield from self.nodes(box, f"{name}_", indent + INDENT)
            yield f"{indent}end"
        elif box.kind == "map":
            yield f'{indent}{name}[["{label}"]]'
        else:
            yield f'{indent}{name}["{label}"]'


def _needs(box: Box) -> Iterator[tuple[str, str]]:
    """Each key that a node waits for, with its arrow: dotted for an optional one."""
    for key in (*box.requires, *([box.over] if box.over else [])):
        yield key, "-->"
    for key in box.optional:
        yield key, "-.->"


def _lines(box: Box) -> Iterator[str]:
    yield box.name if box.over is None else f"{box.name} over {box.over}"
    if box.state is not None:
        yield ", ".join(box.happened)


def _escaped(value: str) -> str:
    """Any text as the text that it is: whatever Mermaid might take for its own goes as a code."""
    return re.sub(r"[^\w .,:-]", lambda found: f"#{ord(found.group())};", value)
