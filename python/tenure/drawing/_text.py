"""Drawings for a terminal: a tree, a line for each node."""

from __future__ import annotations

from rich.text import Text
from rich.tree import Tree

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


def text(box: Box) -> Tree:
    """Return a tree for rich to print."""
    tree = Tree(_line(box), guide_style="dim")
    _grow(tree, box)
    return tree


def _grow(tree: Tree, box: Box) -> None:
    for inner in box.inner:
        _grow(tree.add(_line(inner)), inner)


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
        line.append(f"  {', '.join((box.state, *box.happened))}", SIGNS[box.state][1])
    if box.about:
        line.append(f"  [{'; '.join(box.about)}]", "dim")
    return line


def _keys(box: Box) -> str:
    needs = [*box.requires, *(f"{key}?" for key in box.optional)]
    return " ".join([*([", ".join(needs)] if needs else []), "→", ", ".join(box.provides)]).rstrip()
