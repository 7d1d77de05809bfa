"""Random workflows: mounts three deep, policies of up to three layers of each workflow and node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.workflows.flows import Flow, Node, When
from tests.workflows.policy import Defaults, Layer, Retry, Timeout

DEPTH = 3
INPUTS = ("a", "items", "objects")
"""The keys that every workflow may ask its input for: a number, an array of numbers, one of such inputs."""


@dataclass(slots=True)
class Plan:
    """What one example is made of."""

    flow: Flow
    input: dict[str, Any]
    layers: tuple[Layer, ...]
    """Those given to `start`: deadline, attempts, timeout."""
    defaults: dict[str, Defaults]
    """Those given to `define_step`, by name."""
    quotas: dict[str, int]
    """Their capacities, by name."""
    started: dict[str, tuple[Layer, ...]]
    """What handlers may start, by name, and what they say of it."""


@dataclass(slots=True)
class Maker:
    """Draws the parts of a plan; names begin with a prefix of this example's own."""

    draw: Any
    prefix: str
    defaults: dict[str, Defaults] = field(default_factory=dict)
    _durations: int = 0
    _flows: int = 0

    def plan(self) -> Plan:
        """Draw everything."""
        started = {f"{self.prefix}s{number}": self._given() for number in range(2)}
        for name in started:
            self.defaults[name] = self._defaults()
        flows: list[Flow] = []
        for depth in range(self.draw(st.integers(0, DEPTH), label="depth") + 1):
            flows.append(self._flow(flows if depth else []))
        flow = flows[-1]
        quotas = {name: self.draw(st.integers(1, 4), label="capacity") for name in self._quotas()}
        return Plan(flow, self._input(flow), self._everyday(), self.defaults, quotas, started)

    def _quotas(self) -> list[str]:
        return [f"{self.prefix}q{number}" for number in range(2)]

    def _quota(self) -> str | None:
        drawn: str | None = self.draw(st.sampled_from([None, None, None, *self._quotas()]), label="quota")
        return drawn

    def _defaults(self) -> Defaults:
        return Defaults(self._everyday(), self._quota(), self.draw(st.integers(1, 2), label="units"))

    def _given(self) -> tuple[Layer, ...]:
        """Draw what a call may say, each parameter or not."""
        return tuple(layer for layer in self._everyday() if self.draw(st.booleans()))

    def _input(self, flow: Flow) -> dict[str, Any]:
        value = self._value(2)
        # Of steps alone: a mount may end at the moment of its start, when all orders are as good as another.
        provided = [key for node in flow.nodes if not node.map and not node.workflow for key in node.provides]
        if provided and self.draw(st.integers(0, 9), label="conflict") == 9:
            value[provided[0]] = 0
        return value

    def _value(self, depth: int) -> dict[str, Any]:
        counts = st.integers(0, 3 if depth else 0)
        return {
            "a": self.draw(st.integers(0, 3), label="a"),
            "items": list(range(self.draw(counts, label="items"))),
            "objects": [
                {**self._value(depth - 1), "n": n} for n in range(self.draw(counts, label="objects"))
            ],
        }

    def _duration(self, most: int = 20) -> int:
        """Draw seconds, and make them unlike all others, so that only what is one moment meets."""
        self._durations += 1
        seconds: int = self.draw(st.integers(1, most))
        return seconds * 1_000_000 + self._durations * 1009

    def _layer(self) -> Layer:
        if self.draw(st.booleans()):
            return Timeout(self._duration() if self.draw(st.integers(0, 15)) else 0)
        return Retry(self.draw(st.integers(0, 3)), self._duration(5))

    def _policy(self, most: int) -> tuple[Layer, ...]:
        return tuple(self._layer() for _ in range(self.draw(st.integers(0, most), label="layers")))

    def _everyday(self) -> tuple[Layer, ...]:
        """Draw what columns can say: a deadline, attempts and a timeout."""
        layers: list[Layer] = [Retry(self.draw(st.integers(1, 3)), self._duration(5))]
        if self.draw(st.booleans()):
            layers.insert(0, Timeout(self._duration(60), "deadline"))
        if self.draw(st.booleans()):
            layers.append(Timeout(self._duration()))
        return tuple(layers)

    def _flow(self, mountable: list[Flow]) -> Flow:
        name = f"{self.prefix}f{self._flows}"
        self._flows += 1
        nodes: list[Node] = []
        policy = self._policy(2)
        for number in range(self.draw(st.integers(1, 4), label="nodes")):
            provided = [key for node in nodes for key in node.provides]
            nodes.append(self._node(f"{name}n{number}", provided, mountable, bool(policy)))
        keys = [key for node in nodes for key in node.provides]
        outputs = tuple(self._subset(keys)) if keys and self.draw(st.booleans()) else None
        on_failure = self.draw(st.sampled_from(["cancel", "continue"]))
        return Flow(name, tuple(nodes), policy, on_failure, outputs)

    def _node(self, name: str, provided: list[str], mountable: list[Flow], wrapped: bool) -> Node:
        kind = self.draw(st.sampled_from(["step", "step", "mount", "map"]), label=name)
        flow = None
        if mountable and kind != "step" and (kind == "mount" or self.draw(st.booleans())):
            flow = self.draw(st.sampled_from(mountable))
        source = self._source(flow) if kind == "map" else None
        requires = self._subset(provided, 2)
        optional = [key for key in self._subset(provided, 2) if key not in requires]
        if flow is not None and source is None:
            requires += INPUTS
        when = None
        if self.draw(st.integers(0, 3)) == 3:
            optional += [] if "a" in (*requires, source) else ["a"]
            when = When("a", self.draw(st.integers(0, 2)))
        policy = self._policy(3)
        inherit = self.draw(st.integers(0, 4), label="inherit") != 4
        if flow is None and not (wrapped and inherit and self.draw(st.booleans())):
            self.defaults[name] = self._defaults()
        return Node(
            name,
            tuple(requires),
            tuple(optional),
            self._provides(name, provided, flow, source),
            policy,
            when,
            inherit,
            flow,
            source,
            self._quota(),
        )

    def _source(self, flow: Flow | None) -> str:
        """Draw the key that a map reads; seldom one that is no array."""
        if self.draw(st.integers(0, 9)) == 9:
            return "a"
        return "items" if flow is None else "objects"

    def _provides(
        self, name: str, provided: list[str], flow: Flow | None, source: str | None
    ) -> tuple[str, ...]:
        if source is not None:
            return (f"{name}k",)
        if flow is None:
            return tuple(f"{name}k{number}" for number in range(self.draw(st.integers(0, 2))))
        outputs = flow.provided if flow.outputs is None else flow.outputs
        return tuple(self._subset([key for key in outputs if key not in provided]))

    def _subset(self, keys: list[str], most: int = 9) -> list[str]:
        if not keys:
            return []
        return list(self.draw(st.lists(st.sampled_from(keys), unique=True, max_size=most)))
