"""Policies: layers around a node, outermost first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tenure import _check
from tenure._durations import Duration, interval_text
from tenure.errors import ArgumentInvalid


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer, made by `timeout` or `retry`."""

    json: Mapping[str, Any]
    """As the engine takes it."""


def timeout(limit: Duration) -> Layer:
    """Limit all that is inside, waits and delays included.

    Directly inside of a retry and around nothing else it limits each execution, from its claim.
    """
    return Layer({"timeout": _text("timeout", limit)})


def retry(attempts: int, delay: Duration | None = None, *, backoff: Mapping[str, Any] | None = None) -> Layer:
    """Allow so many attempts at all that is inside, the first included.

    Between them is the delay, none by default, or what a backoff says: it is as that of a step.
    """
    if isinstance(attempts, bool) or not isinstance(attempts, int):
        raise ArgumentInvalid(f"attempts must be an integer, not {type(attempts).__name__}")
    if delay is not None and backoff is not None:
        raise ArgumentInvalid("a retry has a delay or a backoff, not both")
    members: dict[str, Any] = {"attempts": attempts}
    if delay is not None:
        members["delay"] = _text("delay", delay)
    if backoff is not None:
        members["backoff"] = dict(backoff)
    return Layer({"retry": members})


def policy_of(what: str, layers: Iterable[Layer]) -> tuple[Layer, ...]:
    """Return the layers, of which each must be one."""
    found = tuple(layers)
    for layer in found:
        if not isinstance(layer, Layer):
            raise ArgumentInvalid(
                f"{what}: {layer!r:.100} is no layer of a policy",
                hint="Write retry(3, delay=1) or timeout(60).",
            )
    return found


def policy_json(layers: Iterable[Layer]) -> list[dict[str, Any]]:
    """Return a policy as the engine takes it."""
    return [dict(layer.json) for layer in layers]


def _text(what: str, value: Duration) -> str:
    return interval_text(_check.duration(what, value))
