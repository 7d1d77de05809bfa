"""What a drawing is made of: a box for each node, within the box of the workflow that it stands in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tenure._rows import RunStep, WorkflowVersion

Lookup = Callable[[str, int | None], WorkflowVersion]
"""Finds a workflow by name, in a version or in the newest."""


@dataclass(frozen=True, slots=True)
class Box:
    """A workflow, or a node of one, as it is drawn."""

    name: str
    kind: Literal["workflow", "mount", "map", "step"]
    about: tuple[str, ...] = ()
    """What else there is to say of it, such as its policy."""
    over: str | None = None
    requires: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    inner: tuple[Box, ...] = ()
    state: str | None = None
    """None: it is no run that is drawn, or it has not got so far."""
    happened: tuple[str, ...] = ()
    """The state in words, and what else there is to say of its course, such as its attempts."""


def draw_workflow(workflow: WorkflowVersion, lookup: Lookup) -> Box:
    """Return the boxes of a workflow, those of mounted ones in their newest versions within them."""
    return Box(
        name=workflow.name,
        kind="workflow",
        about=(f"version {workflow.version}", *_about(workflow.definition)),
        inner=tuple(_node(node, _mounted(node, lookup)) for node in workflow.definition["nodes"]),
    )


def draw_run(steps: Sequence[RunStep], lookup: Lookup) -> Box:
    """Return the boxes of a run, in the versions that it began with; the run itself is first of its steps."""
    return _Run(steps, lookup).draw()


def _mounted(node: Mapping[str, Any], lookup: Lookup) -> tuple[Box, ...]:
    return draw_workflow(lookup(node["workflow"], None), lookup).inner if node.get("workflow") else ()


def _node(
    node: Mapping[str, Any],
    inner: tuple[Box, ...],
    state: str | None = None,
    happened: tuple[str, ...] = (),
) -> Box:
    over = node.get("map")
    kind: Literal["mount", "map", "step"] = "map" if over else "mount" if node.get("workflow") else "step"
    return Box(
        name=node["name"],
        kind=kind,
        about=_about(node),
        over=over,
        requires=tuple(node.get("requires", ())),
        optional=tuple(node.get("optional", ())),
        provides=tuple(node.get("provides", ())),
        inner=inner,
        state=state,
        happened=happened,
    )


def _about(members: Mapping[str, Any]) -> tuple[str, ...]:
    found = [_layer(layer) for layer in members.get("policy") or ()]
    name = members.get("name")
    found += [f"{what} {members[what]}" for what in ("workflow", "step") if members.get(what, name) != name]
    found += [f"{what} {members[what]}" for what in ("when", "queue", "quota") if members.get(what)]
    if members.get("on_failure") == "continue":
        found.append("continues after a failure")
    return tuple(found)


def _layer(layer: Mapping[str, Any]) -> str:
    """A layer of a policy as people say it: `retry 3, 0.1 s`."""
    [(name, value)] = layer.items()
    if not isinstance(value, Mapping):
        return f"{name} {value}"
    delay = value.get("delay") or ("backoff" if "backoff" in value else None)
    return f"{name} {value['attempts']}" + (f", {delay}" if delay else "")


@dataclass(slots=True)
class _Run:
    """Puts the steps of a run into the boxes of their nodes."""

    steps: Sequence[RunStep]
    lookup: Lookup
    children: dict[tuple[int, int], list[RunStep]] = field(default_factory=dict)
    """The steps of each attempt of each group."""

    def draw(self) -> Box:
        root = self.steps[0]
        for step in self.steps[1:]:
            if step.parent_id is not None:
                self.children.setdefault((step.parent_id, step.group_attempt or 1), []).append(step)
        return Box(
            name=root.workflow or "",
            kind="workflow",
            about=(f"run {root.step_id}", f"version {root.workflow_version}"),
            inner=self._inner(root),
            state=root.state,
            happened=_happened(root),
        )

    def _inner(self, group: RunStep) -> tuple[Box, ...]:
        """The nodes of a group's newest attempt that made any steps."""
        if group.workflow is None:
            return ()
        nodes = self.lookup(group.workflow, group.workflow_version).definition["nodes"]
        attempts = [attempt for parent, attempt in self.children if parent == group.step_id]
        newest = self.children[group.step_id, max(attempts)] if attempts else []
        steps = {step.node: step for step in newest}
        boxes = (self._box(node, steps.get(node["name"])) for node in nodes)
        return (*boxes, *(self._started(step) for step in newest if step.node is None))

    def _started(self, step: RunStep) -> Box:
        """A child that a handler has started: it is no node, and its group waits for it all the same."""
        happened = (*_happened(step), "started by a handler")
        return Box(name=step.name, kind="step", state=step.state, happened=happened)

    def _box(self, node: Mapping[str, Any], step: RunStep | None) -> Box:
        if step is None:
            return _node(node, _mounted(node, self.lookup))
        if node.get("map"):
            children = self.children.get((step.step_id, step.attempt), [])
            elements = _elements([child for child in children if child.position is not None])
            started = tuple(self._started(child) for child in children if child.position is None)
            return _node(node, started, step.state, (*_happened(step), *elements))
        return _node(node, self._inner(step), step.state, _happened(step))


def _elements(steps: Sequence[RunStep]) -> tuple[str, ...]:
    """How many elements of a map are in which state."""
    states = Counter(step.state for step in steps)
    if not states:
        return ()
    counts = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    return (f"{states.total():,} {'element' if states.total() == 1 else 'elements'}: {counts}",)


def _happened(step: RunStep) -> tuple[str, ...]:
    attempt = (f"attempt {step.attempt}",) if step.attempt > 1 else ()
    if step.state == "discarded" and step.error_kind == "retryable":
        # The kind alone would read as if it could be retried.
        return ("discarded after its last attempt", *attempt)
    if step.waits_for is not None:
        return (f"{step.state} {step.waits_for!r}", *attempt)
    kind = (step.error_kind,) if step.error_kind and step.state != "completed" else ()
    return (step.state, *attempt, *kind)
