"""Workflows: nodes that make a graph by the keys that they need and provide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal, get_args

from tenure import _check
from tenure.errors import ArgumentInvalid, WorkflowInvalid
from tenure.workflow._keys import Key
from tenure.workflow._node import Node
from tenure.workflow._policy import Layer, policy_json, policy_of

OnFailure = Literal["cancel", "continue"]


@dataclass(frozen=True, init=False)
class Workflow:
    """A graph of nodes, checked when it is built."""

    name: str
    nodes: tuple[Node, ...]
    policy: tuple[Layer, ...]
    on_failure: OnFailure
    outputs: tuple[Key[Any], ...] | None

    def __init__(
        self,
        name: str,
        *nodes: Node,
        policy: Sequence[Layer] = (),
        on_failure: OnFailure = "cancel",
        outputs: Iterable[Key[Any]] | None = None,
    ) -> None:
        """Build it of its nodes; `WorkflowInvalid` says what is wrong with the graph.

        policy:      layers around each node, and around each node of what is mounted
        on_failure:  `cancel` the other nodes when one is discarded, or let them `continue`
        outputs:     the keys that make up the run's output; by default all that the nodes have published
        """
        if on_failure not in get_args(OnFailure):
            raise ArgumentInvalid(f"on_failure is {on_failure!r}, not cancel or continue")
        fields = {
            "name": _check.name("name", name),
            "nodes": nodes,
            "policy": policy_of(name, policy),
            "on_failure": on_failure,
            "outputs": None if outputs is None else tuple(outputs),
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)
        _Checks(self).check()

    @property
    def provided(self) -> dict[str, Key[Any]]:
        """The keys that its nodes provide, by name."""
        return {key.name: key for node in self.nodes for key in node.provides}

    @property
    def inputs(self) -> dict[str, Key[Any]]:
        """The keys that its input has to give, by name; optional ones are not among them."""
        required = [key for node in self.nodes for key in node.needs if key not in node.optional]
        return {key.name: key for key in required if key.name not in self.provided}

    @property
    def mounted(self) -> list[Workflow]:
        """Every workflow within it, inner ones before those that mount them."""
        found: dict[str, Workflow] = {}
        for node in self.nodes:
            if node.workflow is not None:
                found |= {inner.name: inner for inner in [*node.workflow.mounted, node.workflow]}
        return list(found.values())

    @property
    def json(self) -> dict[str, Any]:
        """As the engine takes it: what `define_workflow` is given."""
        members: dict[str, Any] = {
            "nodes": [node.json for node in self.nodes],
            "policy": policy_json(self.policy) or None,
            "on_failure": None if self.on_failure == "cancel" else self.on_failure,
            "outputs": None if self.outputs is None else [key.name for key in self.outputs],
        }
        return {member: value for member, value in members.items() if value is not None}


class _Checks:
    """What can be told from a graph alone."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._nodes = workflow.nodes

    def check(self) -> None:
        """Raise for the first thing that is wrong."""
        if not self._nodes:
            raise self._wrong("has no nodes")
        if not all(isinstance(node, Node) for node in self._nodes):
            raise self._wrong("is made of nodes alone", "Write Node(step, ...).")
        self._check_names()
        self._check_types()
        self._check_producers()
        self._check_outputs()
        for node in self._nodes:
            self._check_mount(node)
        self._check_cycles()

    def _check_names(self) -> None:
        names = [node.name for node in self._nodes]
        for name in names:
            if names.count(name) > 1:
                raise self._wrong(f"has two nodes named {name!r}", "Give one of them a name of its own.")

    def _check_types(self) -> None:
        kinds: dict[str, Any] = {}
        for node in self._nodes:
            for key in (*node.needs, *node.provides):
                if kinds.setdefault(key.name, key.kind) != key.kind:
                    raise self._wrong(f"has two types for key {key.name!r}: {kinds[key.name]} and {key.kind}")

    def _check_producers(self) -> None:
        producers: dict[str, str] = {}
        for node in self._nodes:
            for key in node.provides:
                if producers.setdefault(key.name, node.name) != node.name:
                    raise self._wrong(
                        f"has two producers of key {key.name!r}: {producers[key.name]!r} and {node.name!r}"
                    )

    def _check_outputs(self) -> None:
        known = self._workflow.provided.keys() | {key.name for node in self._nodes for key in node.needs}
        for key in self._workflow.outputs or ():
            if key.name not in known:
                raise self._wrong(f"has no key {key.name!r} to put out")

    def _check_mount(self, node: Node) -> None:
        inner = node.workflow
        if inner is None:
            return
        if node.over is None:
            given = {key.name for key in node.needs}
            outputs = inner.provided if inner.outputs is None else {key.name: key for key in inner.outputs}
            self._check_known(node, "needs", inner.inputs.keys() - given)
            self._check_known(node, "does not put out", {key.name for key in node.provides} - outputs.keys())
        if any(self._workflow.name == deeper.name for deeper in [*inner.mounted, inner]):
            raise self._wrong("mounts itself")

    def _check_known(self, node: Node, what: str, names: set[str]) -> None:
        if names:
            raise self._wrong(f"mounts a workflow in {node.name!r} that {what} {', '.join(sorted(names))}")

    def _check_cycles(self) -> None:
        producers = {key.name: node.name for node in self._nodes for key in node.provides}
        graph = {
            node.name: {producers[key.name] for key in node.needs if key.name in producers}
            for node in self._nodes
        }
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            raise self._wrong(f"goes round in a cycle: {' → '.join(reversed(error.args[1]))}") from None

    def _wrong(self, what: str, hint: str | None = None) -> WorkflowInvalid:
        return WorkflowInvalid(f"workflow {self._workflow.name!r} {what}", hint=hint)
