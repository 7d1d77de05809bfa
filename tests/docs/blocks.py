"""The fenced blocks of a Markdown document, by section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w*)$")
HEADING = re.compile(r"^#+ (.*)$")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, its text, the heading above it and the line on which it begins."""

    language: str
    text: str
    section: str
    line: int


def blocks(path: Path) -> list[Block]:
    """Return the document's blocks in order."""
    return list(_blocks(path.read_text(encoding="utf-8").splitlines()))


def prose(path: Path) -> str:
    """Return the document without its blocks."""
    inside = False
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def table(path: Path, first_column: str) -> list[list[str]]:
    """Return the cells of the table whose first column has this heading."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    start = next(n for n, cells in enumerate(rows) if cells is not None and cells[0] == first_column)
    end = next(n for n in range(start, len(rows) + 1) if n == len(rows) or rows[n] is None)
    return [cells for cells in rows[start + 2 : end] if cells is not None]


def _blocks(lines: list[str]) -> Iterator[Block]:
    section = ""
    language: str | None = None
    held: list[str] = []
    for number, line in enumerate(lines, start=1):
        fence = FENCE.match(line)
        heading = HEADING.match(line)
        if language is None and fence:
            language, held = fence[1], []
        elif language is not None and line == "```":
            yield Block(language, "\n".join(held) + "\n", section, number - len(held) - 1)
            language = None
        elif language is not None:
            held.append(line)
        elif heading:
            section = heading[1]
