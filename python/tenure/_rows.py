"""The rows that the engine's functions return, one class per composite type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from tenure import _json

if TYPE_CHECKING:
    from datetime import datetime, timedelta

T = TypeVar("T")

Rows = Sequence[tuple[Any, ...]]
Read = Callable[[Rows], T]
"""Turns the rows of an answer into a call's result."""

TERMINAL = frozenset({"completed", "skipped", "discarded", "cancelled"})


@dataclass(slots=True)
class Claimed:
    """A step leased to this worker: all that its handler needs.

    Slotted, not frozen, filled by position, and its JSON kept as text until somebody asks: a worker that
    drains thousands of steps a second pays for each of these. The texts can go through a pipe as they are.
    """

    step_id: int
    run_id: int
    name: str
    queue: str
    input_text: str
    attempt: int
    max_attempts: int
    generation: int
    lease_expiry: datetime
    time_left: timedelta | None
    """Until the nearest limit of this execution; None: there is none."""
    reclaims: int
    headers_text: str | None
    keys_text: str | None
    signal_text: str | None
    on_timeout: str
    waits_text: str | None

    @property
    def input(self) -> Any:
        return _json.decode(self.input_text)

    @property
    def headers(self) -> dict[str, Any]:
        return _parsed(self.headers_text) or {}

    @property
    def keys(self) -> dict[str, Any]:
        return _parsed(self.keys_text) or {}

    @property
    def signal(self) -> Any:
        """What ended the last wait of this attempt, None where there was none."""
        return _parsed(self.signal_text)

    @property
    def waits(self) -> list[dict[str, Any]]:
        """The ended sleeps and waits: key, kind, outcome, payload; oldest first."""
        return _parsed(self.waits_text) or []


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The answer to one heartbeat: `renewed`, or why not."""

    verdict: str
    lease_expiry: datetime | None
    time_left: timedelta | None


@dataclass(slots=True)
class StepHeartbeat:
    """One step's answer to a heartbeat of many."""

    step_id: int
    verdict: str
    lease_expiry: datetime | None
    time_left: timedelta | None


@dataclass(slots=True)
class StepVerdict:
    """One step's verdict of a report about many."""

    step_id: int
    verdict: str


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What one sweep moved, and when there is next something to do (None: nothing to come)."""

    reclaimed: int
    timed_out: int
    discarded: int
    woken: int
    next_due_in: timedelta | None


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run as it is now."""

    run_id: int
    name: str
    queue: str
    state: str
    attempt: int
    max_attempts: int
    created_at: datetime
    scheduled_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    error: Any
    error_kind: str | None
    cancel_reason: str | None
    in_flight: int
    """Bodies that may still be running, whatever the state says."""

    @property
    def finished(self) -> bool:
        """Whether the run has ended, one way or another."""
        return self.state in TERMINAL


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which the installed engine differs from its release."""

    object: str
    aspect: str
    expected: str | None
    found: str | None


@dataclass(frozen=True, slots=True)
class WorkflowVersion:
    """A version of a workflow, its definition as the engine keeps it."""

    name: str
    version: int
    definition: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunStep:
    """A step of a workflow's run, and where it stands in it."""

    step_id: int
    parent_id: int | None
    node: str | None
    position: int | None
    """Its place among the elements of a map."""
    group_attempt: int | None
    """The attempt of its group that made it."""
    workflow: str | None
    """What a group has within it; None: a step, or a map."""
    workflow_version: int | None
    state: str
    attempt: int
    error_kind: str | None
    waits_for: str | None
    """The signal."""
    name: str


def _parsed(text: str | None) -> Any:
    return None if text is None else _json.decode(text)


def many(kind: type[T]) -> Read[list[T]]:
    """Read a set of rows, columns in the order of the class's fields."""

    def read(rows: Rows) -> list[T]:
        return [kind(*row) for row in rows]

    return read


def one(kind: type[T]) -> Read[T]:
    """Read the one row of a function that returns a composite."""

    def read(rows: Rows) -> T:
        [row] = rows
        return kind(*row)

    return read


def scalar(kind: type[T]) -> Read[T]:
    """Read the one value of a function that returns a scalar."""

    def read(rows: Rows) -> T:
        [[value]] = rows
        if not isinstance(value, kind):
            raise TypeError(f"the engine answered {value!r:.100} where a {kind.__name__} was due")
        return value

    return read


def scalars(kind: type[T]) -> Read[list[T]]:
    """Read a set of values."""
    one_value = scalar(kind)

    def read(rows: Rows) -> list[T]:
        return [one_value([row]) for row in rows]

    return read


def nothing(rows: Rows) -> None:
    """Read the answer of a function that returns void."""


def opt_text(rows: Rows) -> str | None:
    """Read the one text, or NULL."""
    [[text]] = rows
    if text is not None and not isinstance(text, str):
        raise TypeError(f"the engine answered {text!r:.100} where a text was due")
    return text


def json_value(rows: Rows) -> Any:
    """Read the one jsonb, sent as text; SQL NULL is None, as JSON null is."""
    [[text]] = rows
    return _parsed(text)


def run_status(rows: Rows) -> RunStatus:
    """Read a run's status; its error, sent as text, is parsed: people look at it."""
    [row] = rows
    values = list(row)
    values[_ERROR] = _parsed(values[_ERROR])
    return RunStatus(*values)


def opt_workflow(rows: Rows) -> WorkflowVersion | None:
    """Read a workflow, its definition sent as text; None where there is none."""
    for name, version, definition in rows:
        return WorkflowVersion(name, version, _parsed(definition))
    return None


_ERROR = [field.name for field in fields(RunStatus)].index("error")
