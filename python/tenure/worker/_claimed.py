"""A claimed step on its way to the handler process."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from tenure._rows import Claimed


def to_wire(claimed: Claimed, limit_at: float | None) -> list[Any]:
    """The row by position; its JSON stays text, its limit becomes an instant of the monotonic clock.

    That clock is the machine's, the same in both processes, and does not jump.
    """
    return [
        limit_at,
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


def from_wire(fields: list[Any]) -> tuple[Claimed, float | None]:
    """The row, and its limit on the monotonic clock."""
    limit_at, expiry = fields[0], datetime.fromtimestamp(fields[1], UTC)
    left = None if limit_at is None else timedelta(seconds=limit_at - time.monotonic())
    columns = [*fields[2:10], expiry, left, *fields[10:]]
    return Claimed(*columns), limit_at
