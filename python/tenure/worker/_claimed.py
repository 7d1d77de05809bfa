"""A claimed step on its way to the handler process."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from tenure._rows import Claimed
from tenure.worker._budget import Budget


def to_wire(claimed: Claimed, budget: Budget) -> list[Any]:
    """The row by position; its JSON stays text, its time left becomes the budget's instants."""
    return [
        budget.cutoff_at,
        budget.limit_at,
        budget.reserve,
        claimed.lease_expiry.timestamp(),
        claimed.step_id,
        claimed.run_id,
        claimed.name,
        claimed.queue,
        claimed.input_text,
        claimed.attempt,
        claimed.max_attempts,
        claimed.generation,
        claimed.reclaims,
        claimed.headers_text,
        claimed.keys_text,
        claimed.signal_text,
        claimed.on_timeout,
        claimed.waits_text,
    ]


def from_wire(fields: list[Any]) -> tuple[Claimed, Budget]:
    """The row and its budget."""
    budget = Budget(*fields[:3])
    expiry = datetime.fromtimestamp(fields[3], UTC)
    left = None if budget.limit_at is None else timedelta(seconds=budget.limit_at - time.monotonic())
    columns = [*fields[4:12], expiry, left, *fields[12:]]
    return Claimed(*columns), budget
