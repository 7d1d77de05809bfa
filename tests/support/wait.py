"""Waiting on conditions, never on time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

LIMIT = 120.0  # seconds; generous, for a slow machine must not fail a test that is right
PAUSE = 0.01

T = TypeVar("T")


def wait_until(predicate: Callable[[], T], *, limit: float = LIMIT, what: str = "") -> T:
    """Call the predicate until it returns something true, return that, and fail after `limit` seconds."""
    deadline = time.monotonic() + limit
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not so within {limit:g} s: {what or predicate}")
        time.sleep(PAUSE)
