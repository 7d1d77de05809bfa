"""The children that a handler starts, on their way to the supervisor: as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from tenure import _calls, _check, _json
from tenure._calls import Call
from tenure._options import ENQUEUE_OPTIONS, EnqueueOptions, checked, input_text

if TYPE_CHECKING:
    from tenure.registry import Step


def child(step: str | Step[Any], value: object, options: EnqueueOptions) -> tuple[str, str, dict[str, Any]]:
    """The arguments of a question that starts a child: its name, its input as JSON text, its options."""
    if not isinstance(step, str):
        step.check_input(value)
        options = step.with_policy(options)
        step = step.name
    checked(options, ENQUEUE_OPTIONS)
    plain = {name: _plain(option) for name, option in options.items() if option is not None}
    return _check.name("name", step), input_text(value), plain


def start_child(
    step_id: int, owner: str, generation: int, name: str, text: str, plain: Mapping[str, Any]
) -> Call[int]:
    """Make the call of what `child` has packed."""
    options = dict(plain)
    if "scheduled_at" in options:
        options["scheduled_at"] = datetime.fromisoformat(options["scheduled_at"])
    return _calls.start_child(
        step_id, owner, generation, name, _json.decode(text), **cast("EnqueueOptions", options)
    )


def _plain(value: object) -> object:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        return value.isoformat()
    return dict(value) if isinstance(value, Mapping) else value
