"""What a worker logs: how, and of steps whose attempts have ended without success."""

from __future__ import annotations

import logging

from tenure.worker._leases import Lease
from tenure.worker._outcome import Outcome

log = logging.getLogger(__name__)

IN_VAIN = frozenset({"retrying", "timed_out", "discarded"})
"""The verdicts that say that an attempt was in vain."""

SHOWN = 300
"""Characters of an error; all of it is in `tenure.attempt_log`."""


def set_up() -> None:
    """Log as the command `tenure worker` does; where the application has set up logging, its way stands."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")


def tell(lease: Lease, outcome: Outcome, verdict: str) -> None:
    """Log an attempt in vain: INFO, or WARNING where it was the last one. Nothing is told of its input."""
    if verdict in IN_VAIN:
        # Of a limit that has passed the database does not say what becomes of the step.
        discarded = verdict == "discarded" or (verdict == "timed_out" and lease.is_last)
        log.log(
            logging.WARNING if discarded else logging.INFO, "step %d %r, attempt %d: %s%s",
            *(lease.step_id, lease.name, lease.attempt, verdict, _why(outcome, verdict)),
        )  # fmt: skip


def _why(outcome: Outcome, verdict: str) -> str:
    """The kind of the failure, and the first line of its error."""
    match (outcome.verb, *outcome.arguments):
        case ("fail", error, kind, _):
            first, *_ = str(error.get("message")).splitlines() or [""]
            return f", {kind}: {error.get('type')}: {first}"[:SHOWN]
        case _:
            # Whatever else is reported fails for a limit that has passed, or for the keys that it publishes.
            return "" if verdict == "timed_out" else ", output_conflict"
