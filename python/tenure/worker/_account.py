"""The shutdown report: what a worker that leaves has done with what it held, and what is proven of that."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Container, Iterable
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from tenure.worker._leases import Lease

log = logging.getLogger(__name__)

MOST = 500
"""Steps that a part of the report names; the database takes a megabyte."""

MOST_ABANDONED = 100
"""As many without proof, or with a stack."""

UNPROVEN = frozenset({"lease_lost", "refused"})
"""Ends of executions that no answer of the database stands behind."""

PARTS = ("settled", "released", "abandoned")

TOLD = "it was told to stop"
"""Why a worker leaves that need not."""

THREAD = "its thread did not come back"
DELIVERY = "it did not end"
GIVEN_UP = frozenset({THREAD, DELIVERY})

PROCESS = "its process ended first"
STRAYS = "processes of it have left its group"
UNKNOWN = "the worker left before it had ended"


class Account:
    """Notes how executions end; in detail once the worker is on its way out."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self._began = time.monotonic()
        self._leaving = False
        self._settled: list[Lease] = []
        self._abandoned: dict[Lease, str] = {}
        self._forgotten = 0

    def leave(self) -> None:
        """From now on each step is listed."""
        self._forget_past()
        self._leaving = True

    def settled(self, lease: Lease, verdict: str) -> None:
        """The database has answered, or there is nobody to tell."""
        self.verdicts[verdict] += 1
        lease.verdict, lease.settled_at = verdict, time.monotonic()
        if self._leaving:
            self._settled.append(lease)
        if lease.strays:
            self._abandon(lease, STRAYS)

    def lost(self, lease: Lease) -> None:
        """Its process has ended without a word, or without proof: its lease runs out, if it has not yet."""
        if lease.strays:
            self._abandon(lease, STRAYS)
        elif self._leaving or not lease.over:
            self._abandon(lease, PROCESS)

    def given_up(self, lease: Lease) -> None:
        """It is over, and some of it runs on: a thread, where there is a stack."""
        self._abandon(lease, THREAD if lease.stack else DELIVERY)

    def report(
        self, held: Iterable[Lease], unanswered: Iterable[tuple[Lease, str]], reason: str
    ) -> dict[str, Any]:
        """What is proven, and what lacks proof.

        `held` is what the worker still holds; `unanswered` are the reports that got no answer; `reason` says
        why the worker leaves.
        """
        abandoned = self._in_the_end(dict(unanswered), held)
        settled = [lease for lease in self._settled if lease not in abandoned]
        listed = [*reversed(abandoned), *settled]
        stacks = set(islice((lease for lease in listed if lease.stack), MOST_ABANDONED))
        released = [_step(lease, stacks) for lease in settled if lease.verdict == "released"]
        others = [_step(lease, stacks) for lease in settled if lease.verdict != "released"]
        left = [
            _step(lease, stacks) | {"why": why, "processes": lease.strays} for lease, why in abandoned.items()
        ]
        left_out = [len(others) - MOST, len(released) - MOST, len(left) - MOST_ABANDONED]
        return {
            "reason": reason,
            "seconds": round(time.monotonic() - self._began, 3),
            "verdicts": dict(self.verdicts),
            "settled": others[:MOST],
            "released": released[:MOST],
            "abandoned": left[-MOST_ABANDONED:],
            "left_out": sum(max(0, more) for more in left_out) + self._forgotten,
        }

    def _abandon(self, lease: Lease, why: str) -> None:
        self._abandoned[lease] = why
        if not self._leaving:
            self._forget_past()
            if len(self._abandoned) > MOST_ABANDONED:
                del self._abandoned[next(iter(self._abandoned))]
                self._forgotten += 1

    def _forget_past(self) -> None:
        """Forget what has ended late, and whose lease has run out: this worker has nothing of it."""
        now = time.monotonic()
        self._abandoned = {
            lease: why
            for lease, why in self._abandoned.items()
            if not (why in GIVEN_UP and lease.proof is not None)
            and not (why == PROCESS and lease.ends_at <= now)
        }

    def _in_the_end(self, unanswered: dict[Lease, str], held: Iterable[Lease]) -> dict[Lease, str]:
        """What is abandoned, and why, now that no handler process is there any more.

        One that has ended late is as good as any other handler once the database has answered.
        """
        settled = set(self._settled)
        abandoned = {
            lease: why
            for lease, why in self._abandoned.items()
            if not (why in GIVEN_UP and (lease.proof == "returned" or (lease.proof and lease in settled)))
        }
        for lease, verb in unanswered.items():
            abandoned[lease] = f"the database did not answer its report: {verb}"
        for lease in self._settled:
            if lease.verdict in UNPROVEN:
                abandoned.setdefault(lease, f"nothing was reported: {lease.verdict}")
            elif lease.proof is None:
                abandoned.setdefault(lease, PROCESS)
        for lease in held:
            abandoned.setdefault(lease, UNKNOWN)
        return abandoned


def _step(lease: Lease, stacks: Container[Lease]) -> dict[str, Any]:
    now = time.monotonic()
    since = datetime.now(UTC) - timedelta(seconds=now - lease.held_since)
    until = now if lease.settled_at is None else lease.settled_at
    return {
        "step_id": str(lease.step_id),
        "generation": str(lease.generation),
        "name": lease.name,
        "held_since": since.isoformat(timespec="milliseconds"),
        "held_seconds": round(until - lease.held_since, 3),
        "verdict": lease.verdict,
        "proof": lease.proof,
        "stack": lease.stack if lease in stacks else None,
    }


def says_more(report: dict[str, Any], failure: Exception | None) -> bool:
    """Whether a report says more than the error that the worker raises at its end."""
    return failure is None or bool(report["verdicts"]) or any(report[part] for part in PARTS)


def show(report: dict[str, Any], *, with_reason: bool = True) -> None:
    """Write the report for people."""
    counts = ", ".join(f"{len(report[part])} {part}" for part in PARTS)
    log.info("leaving: %s%s", counts, f" ({report['reason']})" if with_reason else "")
    for part in PARTS:
        for step in report[part]:
            log.log(
                logging.WARNING if part == "abandoned" else logging.INFO,
                "%s: step %s, generation %s, %r, held since %s (%.3f s), %s%s%s",
                part,
                *(step["step_id"], step["generation"], step["name"], step["held_since"]),
                step["held_seconds"],
                "end not proven" if step["proof"] is None else step["proof"],
                "".join(f"; {step[key]}" for key in ("verdict", "why") if step.get(key)),
                f"\n{step['stack']}" if step.get("stack") else "",
            )
