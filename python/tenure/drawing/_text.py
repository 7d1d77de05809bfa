"""Drawings for a terminal: a tree, a line for each node."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from tenure.drawing._boxes import Box

SIGNS = {
    "pending": ("○", "dim"),
    "available": ("●", "cyan"),
    "running": ("▶", "bold cyan"),
    "waiting_timer": ("◷", "cyan"),
    "waiting_signal": ("◷", "cyan"),
    "waiting_steps": ("▶", "cyan"),
    "paused": ("‖", "yellow"),
    "completed": ("✔", "green"),
    "skipped": ("↷", "dim"),
    "discarded": ("✘", "bold red"),
    "cancelled": ("⊘", "magenta"),
}


def text(box: Box) -> Text:
    """Return the lines for rich to print; whoever prints them says `soft_wrap=True`."""
    return Text("\n").join(_lines(box, "", ""))


def _lines(box: Box, first: str, rest: str) -> Iterator[Text]:
    """A box's line behind the one prefix, and those of what is in it behind the other."""
    yield Text(first, "dim") + _line(box)
    for number, inner in enumerate(box.inner, 1):
        last = number == len(box.inner)
        yield from _lines(inner, rest + ("└── " if last else "├── "), rest + ("    " if last else "│   "))


def _line(box: Box) -> Text:
    line = Text()
    if box.state is not None:
        sign, style = SIGNS[box.state]
        line.append(f"{sign} ", style)
    line.append(box.name, "bold")
    if box.over is not None:
        line.append(f" over {box.over}")
    if box.requires or box.optional or box.provides:
        line.append(f"  {_keys(box)}")
    if box.state is not None:
        line.append(f"  {', '.join(box.happened)}", SIGNS[box.state][1])
    if box.about:
        line.append(f"  [{'; '.join(box.about)}]", "dim")
    return line


def _keys(box: Box) -> str:
    needs = [*box.requires, *(f"{key}?" for key in box.optional)]
    return " ".join([*([", ".join(needs)] if needs else []), "→", ", ".join(box.provides)]).rstrip()
