"""The shutdown report: what a worker that leaves has done with what it held, and what is proven of that."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from tenure.worker._leases import Lease

log = logging.getLogger(__name__)

MOST = 500
"""Steps that a part of the report names; the database takes a megabyte."""

MOST_ABANDONED = 100
"""As many with their stacks."""

UNPROVEN = frozenset({"lease_lost", "refused"})
"""Ends of executions that no answer of the database stands behind."""


class Account:
    """Notes how executions end; in detail once the worker is on its way out."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self._began = time.monotonic()
        self._leaving = False
        self._settled: list[tuple[Lease, str]] = []
        self._abandoned: dict[Lease, str] = {}

    def leave(self) -> None:
        """From now on each step is listed."""
        self._leaving = True

    def settled(self, lease: Lease, verdict: str) -> None:
        """The database has answered, or there is nobody to tell."""
        self.verdicts[verdict] += 1
        if self._leaving:
            self._settled.append((lease, verdict))
        if lease.strays:
            self.abandoned(lease, "processes of it have left its group")

    def lost(self, lease: Lease) -> None:
        """Its process has ended without a word, or without proof: its lease runs out."""
        if self._leaving or lease.strays:
            self.abandoned(lease, "its process ended first")

    def abandoned(self, lease: Lease, why: str) -> None:
        """Something of it may run on."""
        self._abandoned = {old: its for old, its in self._abandoned.items() if old.proof != "returned"}
        if len(self._abandoned) < MOST_ABANDONED:
            self._abandoned[lease] = why

    def report(self, unanswered: Iterable[tuple[Lease, str]]) -> dict[str, Any]:
        """What is proven, and what lacks proof; `unanswered` are the reports that got no answer."""
        for lease, verb in unanswered:
            self.abandoned(lease, f"the database did not answer its report: {verb}")
        for lease, verdict in self._settled:
            if verdict in UNPROVEN:
                self._abandoned.setdefault(lease, f"nothing was reported: {verdict}")
        settled = [entry for entry in self._settled if entry[0] not in self._abandoned]
        released = [_step(lease) for lease, verdict in settled if verdict == "released"]
        others = [_step(lease) | {"verdict": verdict} for lease, verdict in settled if verdict != "released"]
        abandoned = [
            _step(lease) | {"why": why, "stack": lease.stack, "processes": lease.strays}
            for lease, why in self._abandoned.items()
            if lease.proof != "returned" or not why.startswith("its thread")
        ]
        return {
            "seconds": round(time.monotonic() - self._began, 3),
            "verdicts": dict(self.verdicts),
            "settled": others[:MOST],
            "released": released[:MOST],
            "abandoned": abandoned[:MOST_ABANDONED],
            "left_out": max(0, len(others) - MOST) + max(0, len(released) - MOST),
        }


def _step(lease: Lease) -> dict[str, Any]:
    held = time.monotonic() - lease.held_since
    return {
        "step_id": str(lease.step_id),
        "generation": str(lease.generation),
        "name": lease.name,
        "held_since": (datetime.now(UTC) - timedelta(seconds=held)).isoformat(timespec="milliseconds"),
        "held_seconds": round(held, 3),
        "proof": lease.proof,
    }


def show(report: dict[str, Any]) -> None:
    """Write the report for people."""
    parts = ("settled", "released", "abandoned")
    log.info("leaving: %s", ", ".join(f"{len(report[part])} {part}" for part in parts))
    for part in parts:
        for step in report[part]:
            log.log(
                logging.WARNING if part == "abandoned" else logging.INFO,
                "%s: step %s, generation %s, %r, held since %s (%.3f s), %s%s%s",
                part,
                *(step["step_id"], step["generation"], step["name"], step["held_since"]),
                step["held_seconds"],
                "end not proven" if step["proof"] is None else step["proof"],
                "".join(f"; {step[key]}" for key in ("verdict", "why") if key in step),
                f"\n{step['stack']}" if step.get("stack") else "",
            )
