"""`ctx`: what a handler knows of its execution, and what it can ask for."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any, Protocol

import psycopg

from tenure import _check, _json
from tenure._durations import Duration
from tenure._rows import Claimed
from tenure.errors import DurationInvalid
from tenure.worker._outcome import Outcome
from tenure.worker._token import Reason, Token
from tenure.worker._transaction import Transaction


class Suspended(BaseException):
    """Unwinds a handler that sleeps or waits: its step goes on in another execution.

    No Exception, so that a handler's own `except Exception` lets it pass.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("the execution ends here and the handler is invoked again later")
        self.outcome = outcome


class Host(Protocol):
    """What a context needs of the handler process."""

    def progress(self, claimed: Claimed, text: str) -> None:
        """Pass on progress."""

    async def checkpoint(self, claimed: Claimed, key: str, value: str | None) -> str | None:
        """Ask the database."""


class Context:
    """One execution of a step, as its handler sees it.

    `step_id` stays the same over attempts, crashes and sleeps: it is the key that makes an outside effect
    idempotent. `generation` rises with every execution: it is for systems that can refuse an older one.
    """

    def __init__(
        self,
        claimed: Claimed,
        limit_at: float | None,
        host: Host,
        token: Token,
        transaction: Transaction,
    ) -> None:
        """Made by the worker."""
        self._claimed = claimed
        self._limit_at = limit_at
        self._host = host
        self._token = token
        self._transaction = transaction
        self._calls: Counter[str] = Counter()
        self._suspended: Suspended | None = None

    @cached_property
    def _ended(self) -> dict[str, dict[str, Any]]:
        """The recorded outcomes of sleeps and waits, by key."""
        return {wait["key"]: wait for wait in self._claimed.waits}

    @property
    def step_id(self) -> int:
        """The step's id."""
        return self._claimed.step_id

    @property
    def run_id(self) -> int:
        """The id of the run that the step belongs to; a plain job is its own run."""
        return self._claimed.run_id

    @property
    def generation(self) -> int:
        """The number of this execution of the step."""
        return self._claimed.generation

    @property
    def attempt(self) -> int:
        """The number of this attempt, from 1; sleeping and crashing spend none."""
        return self._claimed.attempt

    @property
    def headers(self) -> dict[str, Any]:
        """What whoever enqueued the step sent along."""
        return self._claimed.headers

    @cached_property
    def keys(self) -> dict[str, Any]:
        """The values of the keys that the step's node requires, and of optional ones that came.

        A `Key` reads them as its type: `key.of(ctx)`.
        """
        return self._claimed.keys

    @property
    def cancelled(self) -> bool:
        """Whether the handler is to stop; its task is cancelled, too, when this becomes true."""
        return self._token.reason is not None

    @property
    def reason(self) -> Reason | None:
        """Why: `timed_out`, `cancelled`, `lease_lost` or `shutdown`."""
        return self._token.reason

    def remaining(self) -> float | None:
        """Seconds until this execution's limit, at least 0; None: it has no limit."""
        return None if self._limit_at is None else max(0.0, self._limit_at - time.monotonic())

    def progress(self, value: object) -> None:
        """Report how far the work is; anything as JSON, at most 8 kB.

        It is sent in a moment, and only the newest of what is reported meanwhile. It also starts the step's
        `progress_timeout` anew.
        """
        text = _json.encode(value, what="progress", limit=_json.PROGRESS_BYTES)
        self._host.progress(self._claimed, text)

    async def checkpoint(self, key: str, value: object) -> Any:
        """Return what is recorded under `key`, after recording `value` if nothing was.

        `value` may be a function, plain or async: it is called only when nothing is recorded. The first
        record stands, over attempts and crashes; one that two executions write is written by one of them.
        """
        _check.name("key", key)
        if not callable(value):
            return await self._record(key, value)
        stored = await self._host.checkpoint(self._claimed, key, None)
        if stored is not None:
            return _json.decode(stored)
        made = value()
        return await self._record(key, await made if inspect.isawaitable(made) else made)

    async def sleep(self, duration: Duration, key: str | None = None) -> None:
        """Sleep without a worker: the handler is invoked again from its start, and passes here at once.

        Sleeps are told apart by `key`, by default the number of the sleep in this execution, so a handler
        that sleeps in another order each time names its sleeps.
        """
        seconds = _seconds("duration", duration)
        key = self._key("sleep", key)
        if key not in self._ended:
            self._suspend(Outcome("sleep", (seconds, key)))

    async def wait_signal(
        self,
        name: str,
        timeout: Duration | None = None,  # noqa: ASYNC109 - the database's time, not the loop's
        key: str | None = None,
    ) -> Any:
        """Wait without a worker for a signal to the run; returns its payload.

        TimeoutError when it did not come in time; that is recorded too, and comes again at the same place.
        Waits are told apart as sleeps are, for each signal name by itself.
        """
        _check.name("signal", name)
        seconds = None if timeout is None else _seconds("timeout", timeout)
        key = self._key(f"signal:{name}", key)
        if key not in self._ended:
            self._suspend(Outcome("wait_signal", (name, seconds, key)))
        ended = self._ended[key]
        if ended["outcome"] == "timed_out":
            raise TimeoutError(f"signal {name!r} did not come in time")
        return ended["payload"]

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """Lend a connection whose changes commit together with the step's completion, or not at all.

        The worker commits after the handler has returned. An error that leaves the block undoes what the
        block did; an error that leaves the handler, a sleep, or any verdict but `completed` undoes it all.
        A later block of the same execution goes on in the same transaction.
        """
        async with self._transaction.block() as conn:
            yield conn

    @property
    def suspended(self) -> Suspended | None:
        """Set once the handler has asked to sleep or to wait, whatever became of the exception."""
        return self._suspended

    async def _record(self, key: str, value: object) -> Any:
        text = _json.encode(value, what="checkpoint", limit=_json.INPUT_BYTES)
        stored = await self._host.checkpoint(self._claimed, key, text)
        return _json.decode(text if stored is None else stored)

    def _key(self, prefix: str, key: str | None) -> str:
        if key is not None:
            return _check.name("key", key)
        self._calls[prefix] += 1
        return f"{prefix}:{self._calls[prefix]}"

    def _suspend(self, outcome: Outcome) -> None:
        if self._suspended is None:
            self._suspended = Suspended(outcome)
        raise self._suspended


def _seconds(what: str, duration: Duration) -> float:
    checked = _check.interval(what, duration)
    if checked is None:
        raise DurationInvalid(f"{what} is missing")
    return checked.total_seconds()
