"""Handles on runs: ask how a run stands, cancel it, wait for its result."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tenure import _calls, _check
from tenure.errors import RunCancelled, RunDiscarded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenure._calls import Call
    from tenure._durations import Duration
    from tenure._rows import RunStatus

T = TypeVar("T")

FIRST_PAUSE = 0.02
LONGEST_PAUSE = 1.0
GROWTH = 1.5


class Caller(Protocol):
    """Makes described calls: a `Client`."""

    def call(self, call: Call[T]) -> T:
        """Make the call and return its result."""


class AsyncCaller(Protocol):
    """Makes described calls: an `AsyncClient`."""

    async def call(self, call: Call[T]) -> T:
        """Make the call and return its result."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run by its id. It holds nothing else: two handles with one id are the same run."""

    id: int
    _caller: Caller = field(repr=False, compare=False)

    def status(self) -> RunStatus:
        """Return how the run stands now."""
        return self._caller.call(_calls.status(self.id))

    def cancel(self, reason: str | None = None) -> int:
        """Cancel the run; returns how many steps that ended, 0 when it was over."""
        return self._caller.call(_calls.cancel(self.id, reason))

    def result(self, timeout: Duration | None = None) -> Any:
        """Wait until the run has ended and return its output, None when it was skipped.

        Raises `RunDiscarded` or `RunCancelled` when it ended so, and TimeoutError when it has not ended
        after `timeout`; the run goes on then. A run enqueued in a transaction has to be committed first.
        """
        for pause in _pauses(self.id, timeout):
            status = self.status()
            if status.finished:
                _refuse_failure(status)
                break
            time.sleep(pause)
        return self._caller.call(_calls.result(self.id))


@dataclass(frozen=True, slots=True)
class AsyncRun:
    """A run by its id, for asynchronous code: the same methods as `Run`, to be awaited."""

    id: int
    _caller: AsyncCaller = field(repr=False, compare=False)

    async def status(self) -> RunStatus:
        """Return how the run stands now."""
        return await self._caller.call(_calls.status(self.id))

    async def cancel(self, reason: str | None = None) -> int:
        """Cancel the run; returns how many steps that ended, 0 when it was over."""
        return await self._caller.call(_calls.cancel(self.id, reason))

    async def result(self, timeout: Duration | None = None) -> Any:  # noqa: ASYNC109 - as Run.result
        """Wait as `Run.result` does."""
        for pause in _pauses(self.id, timeout):
            status = await self.status()
            if status.finished:
                _refuse_failure(status)
                break
            await asyncio.sleep(pause)
        return await self._caller.call(_calls.result(self.id))


def _pauses(run_id: int, timeout: Duration | None) -> Iterator[float]:
    """Yield how long to wait before looking again, longer and longer; TimeoutError when the time is over."""
    limit = _check.interval("timeout", timeout)
    end = None if limit is None else time.monotonic() + limit.total_seconds()
    pause = FIRST_PAUSE
    last_look = False
    while not last_look:
        left = None if end is None else max(end - time.monotonic(), 0.0)
        last_look = left == 0.0
        yield pause if left is None else min(pause, left)
        pause = min(pause * GROWTH, LONGEST_PAUSE)
    raise TimeoutError(f"run {run_id} has not ended within {limit}")


def _refuse_failure(status: RunStatus) -> None:
    """Raise for an ended run without a result.

    Here, not by calling result(): an error from the database would end the transaction of a caller who
    only wanted to know.
    """
    if status.state == "cancelled":
        raise RunCancelled(f"run {status.run_id} was cancelled", detail=status.cancel_reason)
    if status.state == "discarded":
        # Of an attempt that could be retried it was the last: the kind alone would read as if it could be.
        why = "after its last attempt" if status.error_kind == "retryable" else f"({status.error_kind})"
        refusal = RunDiscarded(f"run {status.run_id} was discarded {why}", detail=_describe(status.error))
        refusal.error = status.error
        raise refusal


def _describe(error: Any) -> str | None:
    """One line about a stored error: its type and message, where it has them."""
    if isinstance(error, dict) and "type" in error and "message" in error:
        return f"{error['type']}: {error['message']}"
    return None if error is None else str(error)
