"""Nodes: what runs in a workflow, on which keys, and what they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from tenure import _check
from tenure.errors import ArgumentInvalid, WorkflowInvalid
from tenure.registry import Step
from tenure.workflow._keys import Key
from tenure.workflow._policy import Layer, policy_json, policy_of

if TYPE_CHECKING:
    from tenure.workflow._workflow import Workflow


@dataclass(frozen=True)
class Node:
    """A step, the name of one, or a workflow to be mounted; with `over` one of them for each element.

    It begins when each key in `requires` is there and each in `optional` is there or can never come. What
    its handler returns becomes the value of the one key in `provides`; a handler of several stages them.
    """

    runs: Step[Any] | Workflow | str
    _: KW_ONLY
    name: str = ""
    """By default that of what runs."""
    over: Key[Any] | None = None
    """The key with the array whose elements are the inputs; `provides` gathers what they return."""
    requires: Sequence[Key[Any]] = ()
    optional: Sequence[Key[Any]] = ()
    provides: Sequence[Key[Any]] = ()
    policy: Sequence[Layer] = ()
    """Layers, outermost first; without any, what the step itself says."""
    queue: str | None = None
    priority: int | None = None
    quota: str | None = None
    when: str | None = None
    """A jsonpath over the keys: unless it is true the node is skipped."""
    inherit: bool = True
    """Whether the policies of the workflows around it wrap it; of a mount, whether they wrap its nodes."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        name = self.name or (self.runs if isinstance(self.runs, str) else self.runs.name)
        object.__setattr__(self, "name", _check.name("name", name))
        for field in ("requires", "optional", "provides"):
            object.__setattr__(self, field, _keys(name, getattr(self, field)))
        object.__setattr__(self, "policy", policy_of(name, self.policy))
        _check.opt_name("queue", self.queue)
        _check.opt_name("quota", self.quota)
        _check.int4("priority", self.priority)
        _check.word("when", self.when)
        self._check_keys()

    @property
    def workflow(self) -> Workflow | None:
        """The workflow that is mounted, if one is."""
        return None if isinstance(self.runs, str | Step) else self.runs

    @property
    def needs(self) -> tuple[Key[Any], ...]:
        """Every key that it waits for."""
        return (*self.requires, *self.optional, *(() if self.over is None else (self.over,)))

    @property
    def json(self) -> dict[str, Any]:
        """As the engine takes it, without what says nothing."""
        step = self.runs if isinstance(self.runs, str) else self.runs.name
        members: dict[str, Any] = {
            "name": self.name,
            "step": None if self.workflow is not None or step == self.name else step,
            "workflow": None if self.workflow is None else self.workflow.name,
            "map": None if self.over is None else self.over.name,
            "requires": [key.name for key in self.requires],
            "optional": [key.name for key in self.optional],
            "provides": [key.name for key in self.provides],
            "policy": policy_json(self.policy),
            "queue": self.queue,
            "priority": self.priority,
            "quota": self.quota,
            "when": self.when,
            "inherit": None if self.inherit else False,
        }
        return {member: value for member, value in members.items() if value not in (None, [])}

    def _check_keys(self) -> None:
        for key in (*self.needs, *self.provides):
            if (*self.needs, *self.provides).count(key) > 1:
                raise WorkflowInvalid(f"node {self.name!r} names key {key.name!r} twice")
        if self.over is None:
            return
        if not self.over.is_array:
            raise WorkflowInvalid(
                f"node {self.name!r} is mapped over {self.over.name!r}, which is no array",
                detail=f"Its values are {self.over.kind}.",
            )
        if len(self.provides) > 1 or not all(key.is_array for key in self.provides):
            raise WorkflowInvalid(
                f"node {self.name!r} is a map: it provides one key, an array of what its elements return"
            )


def _keys(node: str, keys: Iterable[Key[Any]]) -> tuple[Key[Any], ...]:
    found = tuple(keys)
    for key in found:
        if not isinstance(key, Key):
            raise ArgumentInvalid(f"node {node!r}: {key!r:.100} is no key", hint='Write Key("name", str).')
    return found
