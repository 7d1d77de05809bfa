"""Leaving in order: what a signal asks for, and what was left behind."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tenure.worker._leases import Lease

log = logging.getLogger(__name__)

CANCEL_GRACE = 1.0
"""Seconds for handlers to clean up after they were told to stop."""

EXIT_GRACE = 1.0
"""Seconds for the handler process to leave by itself after that."""

SETTLEMENT_LIMIT = 5.0
"""Seconds for the last reports to reach the database."""


class Shutdown:
    """How far the worker is on its way out: at work, draining, or at its end."""

    def __init__(self) -> None:
        self.draining = asyncio.Event()
        """Claim no more; what runs may finish."""
        self.ending = asyncio.Event()
        """What runs is not waited for any longer."""
        self.failure: Exception | None = None
        """Why the worker leaves although nobody asked it to."""

    def request(self) -> None:
        """The first request drains, the second goes to the end at once."""
        if self.draining.is_set():
            self.ending.set()
        else:
            log.info("draining: no more claims, handlers may finish")
            self.draining.set()

    def fail(self, error: Exception) -> None:
        """Drain because of an error, unless an earlier one is known."""
        self.failure = self.failure or error
        self.draining.set()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Take SIGTERM and SIGINT as requests, in the main thread: Python hears signals nowhere else."""
        loop = asyncio.get_running_loop()
        here = threading.current_thread() is threading.main_thread()
        taken = (signal.SIGTERM, signal.SIGINT) if here else ()
        for number in taken:
            loop.add_signal_handler(number, self.request)
        try:
            yield
        finally:
            for number in taken:
                loop.remove_signal_handler(number)


def shutdown_report(
    verdicts: Counter[str], released: list[Lease], unsettled: list[tuple[Lease, str]], *, began: float
) -> dict[str, Any]:
    """What is proven, and what lacks proof."""
    now = time.monotonic()
    return {
        "seconds": round(now - began, 3),
        "verdicts": dict(verdicts),
        "interrupted": [_step(lease, now) for lease in released],
        "unsettled": [_step(lease, now) | {"report": verb} for lease, verb in unsettled],
    }


def _step(lease: Lease, now: float) -> dict[str, Any]:
    return {
        "step_id": str(lease.step_id),
        "generation": str(lease.generation),
        "name": lease.name,
        "held_seconds": round(now - lease.held_since, 3),
    }
