"""The work of the demo: to measure a file of Python source, in the workers and in one plain process."""

from __future__ import annotations

import hashlib
import sysconfig
import tokenize
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TypedDict

ENOUGH = 1500
"""Some systems ship a small standard library; below so many files the environment's packages are added."""

UNREADABLE = (SyntaxError, tokenize.TokenError, UnicodeDecodeError, OSError)
"""What a file that cannot be read or parsed raises."""


class Measure(TypedDict):
    """What is known of one file."""

    bytes: int
    lines: int
    tokens: int
    sha256: str


def measure(path: Path) -> Measure:
    """Hash a file, and count its lines and tokens."""
    content = path.read_bytes()
    return Measure(
        bytes=len(content),
        lines=content.count(b"\n"),
        tokens=sum(1 for _ in tokenize.tokenize(BytesIO(content).readline)),
        sha256=hashlib.sha256(content).hexdigest(),
    )


def measure_all(paths: list[str]) -> dict[str, Measure | None]:
    """Measure every file in this process; None: it cannot be read or parsed."""
    return {path: _measure_or_none(Path(path)) for path in paths}


def find_files(folder: Path | None) -> list[str]:
    """Return the Python sources below a folder, by default those of the standard library."""
    if folder is not None:
        return sorted(_sources(folder))
    paths = sysconfig.get_paths()
    found = set(_sources(Path(paths["stdlib"])))
    if len(found) < ENOUGH:
        found.update(_sources(Path(paths["purelib"])))
    return sorted(found)


def _measure_or_none(path: Path) -> Measure | None:
    try:
        return measure(path)
    except UNREADABLE:
        return None


def _sources(folder: Path) -> Iterator[str]:
    """Yield the sources below a folder, but not the packages installed below it."""
    for path in folder.rglob("*.py"):
        if "site-packages" not in path.relative_to(folder).parts and path.is_file():
            yield str(path.resolve())
