"""The options of steps and queues, said once for every place that takes them.

At enqueue an option left out, or None, means "as the step's definition says, else the queue".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Required, TypedDict

from tenure import _check, _json
from tenure._durations import interval_text
from tenure.errors import ArgumentInvalid

if TYPE_CHECKING:
    from tenure._durations import Duration


class Defaults(TypedDict, total=False):
    """What a definition gives a step, and an enqueue may override."""

    queue: str | None
    priority: int | None
    """From -100 to 100, smaller first."""
    timeout: Duration | None
    """Limit of one execution, counted by the database from its claim."""
    deadline: Duration | None
    """Limit of the whole step, waiting and retries included."""
    max_attempts: int | None
    backoff: Mapping[str, Any] | None
    """Such as ``{"kind": "exponential", "base": 1, "factor": 2, "cap": 3600, "jitter": 0.2}``."""
    max_reclaims: int | None
    """How many crashes of its workers the step survives; -1: any number."""
    on_timeout: str | None
    """`abandon` or `wait`: whether the next attempt may start while the old body runs on."""
    headers: Mapping[str, Any] | None
    start_within: Duration | None
    """How soon after it became due the step must be claimed first."""
    progress_timeout: Duration | None
    """How long a handler may go on without reporting progress."""
    idempotency_period: Duration | None
    """How long an idempotency key holds; without it, as long as its run is kept."""


class StepOptions(Defaults, total=False):
    """What a definition can say."""

    quota: str | None
    """The quota that each of these steps takes units of while it runs."""
    quota_units: int
    """How many; 1 by default."""


class EnqueueOptions(Defaults, total=False):
    """What one enqueue can say."""

    scheduled_at: datetime | None
    delay: Duration | None
    idempotency_key: str | None
    """Unique per step name: a second enqueue under it returns the first run."""


class Job(EnqueueOptions, total=False):
    """One member of `enqueue_many`: the arguments of an enqueue."""

    name: Required[str]
    input: object


class QueueSettings(TypedDict, total=False):
    """What a queue can be told."""

    timeout_default: Duration | None
    timeout_floor: Duration | None
    timeout_ceiling: Duration | None
    retention: Duration | None
    """How long finished runs are kept."""
    discarded_retention: Duration | None


class NewQueue(QueueSettings, total=False):
    """What `create_queue` takes."""

    preset: str | None
    """`delivery`: for short deliveries under tight limits."""


class QueueChange(QueueSettings, total=False):
    """What `alter_queue` takes."""

    clear: Iterable[str] | None
    """Names of settings to be unset."""


NO_INPUT: Mapping[str, object] = {}
"""What a step gets whose enqueuer gave nothing. None is something: JSON null."""

STEP_OPTIONS = frozenset(StepOptions.__annotations__)
ENQUEUE_OPTIONS = frozenset(EnqueueOptions.__annotations__)

NEW_QUEUE = frozenset(NewQueue.__annotations__)
QUEUE_CHANGE = frozenset(QueueChange.__annotations__)

_DURATIONS = frozenset(
    {"timeout", "deadline", "start_within", "progress_timeout", "delay", "idempotency_period"}
    | set(QueueSettings.__annotations__)
)
_OBJECTS = frozenset({"backoff", "headers"})
_INTEGERS = frozenset({"priority", "max_attempts", "max_reclaims", "quota_units"})


def checked(options: Mapping[str, object], known: frozenset[str]) -> dict[str, Any]:
    """Return the given options as the database takes them."""
    refuse_unknown(options, known)
    return {name: _checked(name, value) for name, value in options.items()}


def refuse_unknown(options: Iterable[str], known: frozenset[str]) -> None:
    """Treat a misspelt option as Python treats a misspelt argument."""
    unknown = sorted(set(options) - known)
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; the options are: {', '.join(sorted(known))}")


def _checked(name: str, value: Any) -> object:
    if name in _DURATIONS:
        return _check.interval(name, value)
    if name in _INTEGERS:
        return _check.int4(name, value)
    if name == "scheduled_at":
        return _check.instant(name, value)
    if name in _OBJECTS:
        return _object(name, value)
    if name in {"on_timeout", "preset"}:
        return _check.word(name, value)
    if name == "clear":
        return None if value is None else _check.names(name, value)
    return _check.opt_name(name, value)


def _object(name: str, value: Mapping[str, Any] | None) -> str | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ArgumentInvalid(f"{name} must be a mapping, not {type(value).__name__}")
    return _json.encode(dict(value), what=name, limit=_json.HEADERS_BYTES)


def input_text(value: object) -> str:
    """A step's input as JSON text."""
    return _json.encode(value, what="input", limit=_json.INPUT_BYTES)


def job_text(job: Job, index: int) -> str:
    """One member of `enqueue_many` as JSON text."""
    if "name" not in job:
        raise ArgumentInvalid(f"job {index} has no name")
    options: dict[str, object] = dict(job)
    name = _check.name("name", options.pop("name"))
    members = [f'"name": {json.dumps(name)}', f'"input": {input_text(options.pop("input", NO_INPUT))}']
    for option, value in checked(options, ENQUEUE_OPTIONS).items():
        if value is not None:
            members.append(f'"{option}": {_member(option, value)}')
    return "{" + ", ".join(members) + "}"


def _member(option: str, value: object) -> str:
    if option in _OBJECTS:
        return str(value)  # JSON text already
    if isinstance(value, timedelta):
        return json.dumps(interval_text(value))
    if isinstance(value, datetime):
        return json.dumps(value.isoformat())
    return json.dumps(value)
