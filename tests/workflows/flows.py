"""Definitions of workflows, as the model sees them, and the JSON that the engine is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.workflows.policy import Layer, Timeout


@dataclass(frozen=True, slots=True)
class When:
    """The condition that a key is above a number."""

    key: str
    above: int

    def holds(self, keys: dict[str, Any]) -> bool:
        """Whether it is; a key that is not there, or is no number, is not."""
        value = keys.get(self.key)
        return isinstance(value, int) and value > self.above


@dataclass(frozen=True, slots=True)
class Node:
    """One node: a step, a mount (`workflow`), or a map (`map`) of either."""

    name: str
    requires: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    policy: tuple[Layer, ...] = ()
    when: When | None = None
    inherit: bool = True
    workflow: Flow | None = None
    map: str | None = None
    quota: str | None = None

    @property
    def needs(self) -> tuple[str, ...]:
        """What must be there before it begins."""
        return self.requires if self.map is None else (*self.requires, self.map)

    def json(self) -> dict[str, Any]:
        """As `define_workflow` takes it."""
        members: dict[str, Any] = {
            "name": self.name,
            "requires": list(self.requires),
            "optional": list(self.optional),
            "provides": list(self.provides),
            "inherit": self.inherit,
        }
        if self.policy:
            members["policy"] = policy_json(self.policy)
        if self.when is not None:
            members["when"] = f"$.{self.when.key} > {self.when.above}"
        if self.workflow is not None:
            members["workflow"] = self.workflow.name
        if self.map is not None:
            members["map"] = self.map
        if self.quota is not None:
            members["quota"] = self.quota
        return members


@dataclass(frozen=True, slots=True)
class Flow:
    """A workflow."""

    name: str
    nodes: tuple[Node, ...]
    policy: tuple[Layer, ...] = ()
    on_failure: str = "cancel"
    outputs: tuple[str, ...] | None = None

    @property
    def provided(self) -> tuple[str, ...]:
        """Every key that its nodes may publish."""
        return tuple(key for node in self.nodes for key in node.provides)

    def producer(self, key: str) -> str | None:
        """The name of the node that provides this key."""
        return next((node.name for node in self.nodes if key in node.provides), None)

    def json(self) -> dict[str, Any]:
        """As `define_workflow` takes it."""
        members: dict[str, Any] = {
            "nodes": [node.json() for node in self.nodes],
            "policy": policy_json(self.policy),
            "on_failure": self.on_failure,
        }
        if self.outputs is not None:
            members["outputs"] = list(self.outputs)
        return members

    def mounted(self) -> list[Flow]:
        """Every workflow mounted in it, inner ones first, then itself."""
        found: list[Flow] = []
        for node in self.nodes:
            if node.workflow is not None:
                found += [flow for flow in node.workflow.mounted() if flow not in found]
        return [*found, self]


def policy_json(layers: tuple[Layer, ...]) -> list[dict[str, Any]]:
    """A policy as the engine takes it."""
    return [
        {"timeout": interval(layer.limit)}
        if isinstance(layer, Timeout)
        else {"retry": {"attempts": layer.attempts, "delay": interval(layer.delay)}}
        for layer in layers
    ]


def interval(microseconds: int) -> str:
    """An interval as text, exactly."""
    return f"{microseconds // 1_000_000}.{microseconds % 1_000_000:06} s"
