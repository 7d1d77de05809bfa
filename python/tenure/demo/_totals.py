"""The reckoning: what the workers found, beside what one plain process finds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tenure.demo._measure import Measure
    from tenure.demo._watch import Outcome


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums over all files, and one hash over all their hashes."""

    files: int
    unparsable: int
    bytes: int
    lines: int
    tokens: int
    digest: str


def add_up(measures: Mapping[str, Measure | None]) -> Totals:
    """Add up what was measured; None counts as a file that does not parse."""
    known = {path: found for path, found in measures.items() if found is not None}
    digest = hashlib.sha256()
    for path in sorted(known):
        digest.update(known[path]["sha256"].encode())
    return Totals(
        files=len(measures),
        unparsable=len(measures) - len(known),
        bytes=sum(found["bytes"] for found in known.values()),
        lines=sum(found["lines"] for found in known.values()),
        tokens=sum(found["tokens"] for found in known.values()),
        digest=digest.hexdigest()[:16],
    )


def compare(plain: Mapping[str, Measure | None], outcomes: Mapping[str, list[Outcome]]) -> list[str]:
    """Return every difference, file by file: sums could agree by chance."""
    found = [f"{path}: nobody asked for it" for path in outcomes.keys() - plain.keys()]
    for path, expected in plain.items():
        of_path = outcomes.get(path, [])
        if not of_path:
            found.append(f"{path}: lost")
        elif len(of_path) > 1:
            found.append(f"{path}: there {len(of_path)} times")
        elif expected is None and (of_path[0].state, of_path[0].error_kind) != ("discarded", "permanent"):
            found.append(f"{path}: does not parse, but its step is {of_path[0].state}")
        elif expected is not None and (of_path[0].state, of_path[0].measure) != ("completed", expected):
            found.append(f"{path}: its step is {of_path[0].state} with {of_path[0].measure}, not {expected}")
    return sorted(found)
