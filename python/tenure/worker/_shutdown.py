"""Leaving in order: what a signal asks for, and by when everything must be over."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tenure.worker._budget import RESERVE_MOST

log = logging.getLogger(__name__)

ENDING = 2.0
"""Seconds for cleanup, the end of processes and the last reports, once handlers are told to stop.

A shutdown timeout that leaves less is exceeded, rather than that nothing could be handed back."""

ENDING_SHARE = 4
"""They begin no sooner than one part in so many before the end of the timeout."""


SIGNALS = (signal.SIGTERM, signal.SIGINT)
"""What asks a worker to leave."""


def in_main_thread() -> bool:
    """Whether this thread hears signals: Python has them in no other."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def signals_held() -> Iterator[None]:
    """Have signals wait until the block ends, or until somebody in it unblocks them."""
    if not in_main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Shutdown:
    """How far the worker is on its way out: at work, draining, or at its end.

    ::

        first signal ----- handlers finish ----- stop_at -- cleanup -- processes end -- reports -- root

    One deadline, the root, caps all of it. A second signal brings it near.
    """

    def __init__(self, timeout: float, settlement_timeout: float) -> None:
        self._timeout = timeout
        self._settlement_timeout = settlement_timeout
        self.draining = asyncio.Event()
        """Claim no more; what runs may finish."""
        self.ending = asyncio.Event()
        """What runs is not waited for any longer."""
        self.failure: Exception | None = None
        """Why the worker leaves although nobody asked it to."""
        self.root = float("inf")
        """When the worker must be gone."""
        self.stop_at = float("inf")
        """When what still runs is told to stop."""
        self._settled_by = float("inf")
        """When the settlement timeout is over, once it has begun."""

    def request(self) -> None:
        """The first request drains, the second goes to the end at once."""
        if not self.draining.is_set():
            log.info("draining: no more claims, handlers may finish")
            self._drain()
        elif not self.ending.is_set():
            log.info("leaving at once: handlers are told to stop")
            self._hurry()

    def fail(self, error: Exception, at_work: int) -> None:
        """Drain because of an error, unless an earlier one is known.

        It is said now where steps at work are waited for; else it is raised in a moment.
        """
        self.failure = self.failure or error
        if not self.draining.is_set():
            if at_work:
                log.error("draining, with steps at work: %d: %s", at_work, error)
            self._drain()

    def abort(self, error: Exception) -> None:
        """Go to the end at once because of an error without which nothing can go on."""
        self.failure = self.failure or error
        if not self.draining.is_set():
            self._drain()
        self._hurry()

    def _drain(self) -> None:
        now = time.monotonic()
        self.stop_at = now + self._timeout - min(self._timeout / ENDING_SHARE, ENDING)
        self.root = max(now + self._timeout, self.stop_at + ENDING)
        self.draining.set()

    def _hurry(self) -> None:
        self.root = min(self.root, time.monotonic() + ENDING)
        self.ending.set()

    # -- shares of what is left ------------------------------------------------------------------------

    def cleanup_until(self) -> float:
        """By when what is told to stop now must be over."""
        now = time.monotonic()
        return now + min(RESERVE_MOST, self._left(now) / 2)

    def exit_until(self) -> float:
        """By when the handler processes must have ended."""
        now = time.monotonic()
        return now + self._left(now) / 2

    def settlement(self) -> float:
        """Seconds for the last reports. A part is kept to tell of those that do not come through."""
        return self.rest() * 3 / 4

    def rest(self) -> float:
        """Seconds for all that the database is told at the end, from the first time that this is asked."""
        now = time.monotonic()
        self._settled_by = min(self._settled_by, now + self._settlement_timeout)
        return min(self._left(now), max(0.0, self._settled_by - now))

    def _left(self, now: float) -> float:
        return max(0.0, self.root - now)

    # -- signals ---------------------------------------------------------------------------------------

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Take SIGTERM and SIGINT as requests, in the main thread."""
        loop = asyncio.get_running_loop()
        taken = SIGNALS if in_main_thread() else ()
        for number in taken:
            loop.add_signal_handler(number, self.request)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, taken)
        try:
            yield
        finally:
            for number in taken:
                loop.remove_signal_handler(number)
