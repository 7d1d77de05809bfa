"""Durations as people write them: a ``timedelta``, or a number of seconds."""

from __future__ import annotations

import math
from datetime import timedelta

Duration = timedelta | float | int

LONGEST = timedelta(days=36525)
"""A hundred years. PostgreSQL wraps much longer intervals into the past without an error."""


def to_timedelta(value: Duration) -> timedelta:
    """Turn `value` into a timedelta; ValueError says in words what is wrong with it."""
    if isinstance(value, timedelta):
        result = value
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"a {type(value).__name__} is neither a timedelta nor a number of seconds")  # noqa: TRY004
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no duration")
    elif abs(value) > LONGEST.total_seconds():
        # Not told how long: an integer of any size may stand here.
        raise ValueError(f"it is {'negative' if value < 0 else 'beyond 100 years'}")
    else:
        result = timedelta(seconds=value)
        if value and not result:
            # 1e-7 s would become 0, and 0 is a limit already passed: another meaning altogether.
            raise ValueError(f"{value:g} seconds is shorter than a microsecond")
    if result < timedelta(0):
        raise ValueError("it is negative")
    if result > LONGEST:
        raise ValueError("it is beyond 100 years")
    return result


def interval_text(value: timedelta) -> str:
    """An interval for a JSON document.

    Whole seconds and microseconds, exactly; without days, whose length a session might dispute.
    """
    seconds, rest = divmod(value, timedelta(seconds=1))
    fraction = f".{rest.microseconds:06}".rstrip("0") if rest else ""
    return f"{seconds}{fraction} s"
