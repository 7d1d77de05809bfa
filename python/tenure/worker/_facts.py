"""What every handler knows of its execution, whatever its kind."""

from __future__ import annotations

import asyncio
import concurrent.futures
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from tenure import _check, _json
from tenure._rows import Claimed
from tenure.errors import StaleLease
from tenure.worker._token import Reason

if TYPE_CHECKING:
    from tenure.worker._execution import Execution
    from tenure.workflow import Key


class Host(Protocol):
    """What a delivery needs of the process around it; from any thread."""

    def progress(self, claimed: Claimed, text: str) -> None:
        """Pass on progress."""

    def ask(self, claimed: Claimed, verb: str, *arguments: Any) -> concurrent.futures.Future[Any]:
        """Ask the database: `checkpoint` with a key and JSON text, or None to read. May be cancelled."""

    def holds(self, claimed: Claimed) -> None:
        """The open transaction holds the report: until it ends nobody else can get the step."""


class Facts:
    """One execution of a step, as its handler sees it.

    `step_id` stays the same over the attempts of this step, over crashes and sleeps, and can key an outside
    effect. A retry around its workflow or mount makes new steps with new ids, which do again what had
    completed: there, key effects by `run_id` and something of the input. `generation` rises with every
    execution: it is for systems that can refuse an older one.
    """

    def __init__(self, execution: Execution) -> None:
        """Made by the worker."""
        self._execution = execution
        self._claimed = execution.claimed

    @property
    def step_id(self) -> int:
        """The step's id."""
        return self._claimed.step_id

    @property
    def run_id(self) -> int:
        """The id of the run that the step belongs to; a plain job is its own run."""
        return self._claimed.run_id

    @property
    def name(self) -> str:
        """The step's name, by which its handler was found."""
        return self._claimed.name

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
        """Whether the handler is to stop: it has a quarter of a second to return what shall count."""
        return self._execution.token.reason is not None

    @property
    def reason(self) -> Reason | None:
        """Why: `timed_out`, `cancelled`, `lease_lost` or `shutdown`."""
        return self._execution.token.reason

    def raise_if_cancelled(self) -> None:
        """Leave here if the handler is to stop: CancelledError then counts as that, not as a failure."""
        if self.cancelled:
            raise asyncio.CancelledError(self.reason)

    def remaining(self) -> float | None:
        """Seconds until this execution's limit, at least 0; None: it has no limit.

        The last quarter of the time, one second at most, is for stopping and cleaning up.
        """
        limit_at = self._execution.budget.limit_at
        return None if limit_at is None else max(0.0, limit_at - self._execution.now())

    def progress(self, value: object) -> None:
        """Report how far the work is; anything as JSON, at most 8 kB.

        It is sent in a moment, and only the newest of what is reported meanwhile. It also starts the step's
        `progress_timeout` anew.
        """
        text = _json.encode(value, what="progress", limit=_json.PROGRESS_BYTES)
        self._execution.host.progress(self._claimed, text)


class Cleanup:
    """The time that cleanup has, in a `ctx.cleanup()` block."""

    def __init__(self, execution: Execution) -> None:
        """Made by the worker."""
        self._execution = execution

    def remaining(self) -> float | None:
        """Seconds until the block is interrupted, at least 0; None: nothing has a limit yet."""
        ends_at = self._execution.ends_at
        if ends_at is None:
            ends_at = self._execution.budget.limit_at
        return None if ends_at is None else max(0.0, ends_at - self._execution.now())

    @property
    def cancelled(self) -> bool:
        """Whether that time is over."""
        return self.remaining() == 0.0


def record_text(value: object) -> str:
    """A checkpoint as JSON text."""
    return _json.encode(value, what="checkpoint", limit=_json.INPUT_BYTES)


def recorded(stored: str | None, text: str) -> Any:
    """What is recorded: what was there before, else what was sent."""
    return _json.decode(text if stored is None else stored)


def key_name(key: str | Key[Any]) -> str:
    """The name of a key of a workflow."""
    return _check.name("key", key if isinstance(key, str) else key.name)


def output_text(value: object) -> str:
    """A staged value as JSON text; it has the limit of an output."""
    return _json.encode(value, what="staged value", limit=_json.OUTPUT_BYTES)


def check_staged(verdict: str) -> None:
    """Raise unless the value was taken: whoever has lost the lease has nothing to stage."""
    if verdict != "staged":
        raise StaleLease("nothing was staged: this execution is over", detail=verdict)
