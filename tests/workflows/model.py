"""What the rules say of workflows, in plain Python.

One run at a time, one thing at a time, and a clock that is moved by hand. Written from the rules, and from
nothing else: where the engine and this model differ, one of the two has read it wrongly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.workflows.flows import Flow, Node
from tests.workflows.policy import Defaults, Layer, Stack

TERMINAL = frozenset({"completed", "skipped", "discarded", "cancelled"})
SIBLING = "sibling_discarded"


@dataclass(eq=False, slots=True)
class Step:
    """A step as the rules describe it: one that handlers run, or a group of others."""

    name: str
    order: int
    stack: Stack
    input: Any
    parent: Step | None = None
    node: Node | None = None
    flow: Flow | None = None
    env: tuple[Layer, ...] = ()
    """The layers that wrap every node inside this group."""
    quotas: frozenset[str] = frozenset()
    """Those that it needs while it runs; of a group, those around each step inside."""
    units: int = 1
    position: int | None = None
    """Its place among the elements of a map."""
    of_attempt: int | None = None
    """The attempt of its group that made it."""
    state: str = "pending"
    before: str = ""
    """Of a paused step, the state that it goes back to."""
    paused_at: int = 0
    attempt: int = 1
    generation: int = 0
    due: int = 0
    """When the attempt that runs next may begin."""
    begun: int | None = None
    """When its execution was claimed; of a group, when its present children were made."""
    wakes: int | None = None
    awaits: str | None = None
    staged: dict[str, Any] = field(default_factory=dict)
    output: Any = None
    error_kind: str | None = None
    reason: str | None = None
    uncertain: bool = False
    keys: dict[str, Any] = field(default_factory=dict)
    published: list[str] = field(default_factory=list)
    """Those of the keys that its children have given."""
    children: list[Step] = field(default_factory=list)
    failures: list[Step] = field(default_factory=list)
    settling: bool = False
    blocked: bool = False
    """Whether a key that it requires was lost with a step that failed."""

    @property
    def is_map(self) -> bool:
        """Whether its children are one for each element."""
        mapped = self.node is not None and self.node.map is not None
        return mapped and self.flow is None and not self.is_element

    @property
    def is_element(self) -> bool:
        """Whether it is one element of a map."""
        return self.parent is not None and self.node is not None and self.parent.node is self.node

    @property
    def is_group(self) -> bool:
        """Whether it has children instead of a handler."""
        return self.flow is not None or self.is_map

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.state in TERMINAL

    @property
    def groups(self) -> list[Step]:
        """The groups around it, the run first."""
        return [] if self.parent is None else [*self.parent.groups, self.parent]


class Model:
    """One run of a workflow."""

    def __init__(self, defaults: Mapping[str, Defaults], capacities: dict[str, int], now: int) -> None:
        """`defaults` is what `define_step` was told, by name; `capacities` are those of the quotas."""
        self.now = now
        self.capacities = capacities
        self.steps: list[Step] = []
        self.abandoned: list[tuple[Step, int]] = []
        """Executions that were ended from outside: whose workers may still report."""
        self._defaults = defaults
        self.paused = False
        self._signals: list[str] = []
        self._held: list[Step] = []
        """What has ended while the run was paused: what follows from that waits."""

    # -- what a client does ---------------------------------------------------------------------------

    def start(self, flow: Flow, value: Mapping[str, Any], layers: Sequence[Layer]) -> Step:
        """Start a run."""
        root = self._make(flow.name, layers, value, None, None, flow, frozenset())
        root.env = flow.policy
        self._begin(root)
        return root

    def cancel(self) -> int:
        """Cancel the run; return how many steps that ended."""
        unfinished = [step for step in self.steps if not step.over]
        self.paused, self._held = False, []
        for step in unfinished:
            self._cancel(step, "cancelled by a client")
        return len(unfinished)

    def pause(self) -> int:
        """Pause the run; return how many steps that are."""
        idle = [step for step in self.steps if not step.over and step.state not in {"running", "paused"}]
        self.paused = True
        for step in idle:
            self._go(step, step.state)
        return len(idle)

    def resume(self) -> int:
        """Resume the run: clocks go on where they stood, and what has ended has its consequences."""
        paused = [step for step in self.steps if step.state == "paused"]
        self.paused = False
        for step in paused:
            self._go_on(step, self.now - step.paused_at)
        held, self._held = self._held, []
        for step in held:
            self._note_failure(step)
        for step in held:
            if step.parent is not None:
                self._settle(step.parent)
        kept, self._signals = self._signals, []
        for name in kept:
            self.signal(name)
        return len(paused)

    def signal(self, name: str) -> str:
        """Send a signal."""
        if self.steps[0].over:
            return "over"
        waiting = [step for step in self.steps if step.state == "waiting_signal" and step.awaits == name]
        if not waiting:
            self._signals.append(name)
            return "kept"
        self._available(min(waiting, key=lambda step: (step.due, step.order)))
        return "delivered"

    # -- what a worker does ---------------------------------------------------------------------------

    def claimable(self) -> list[Step]:
        """What a claim could return now."""
        return [step for step in self.due() if self._in_time(step) and self._has_room(step)]

    def due(self) -> list[Step]:
        """What waits for nothing more than a claim, late or over quota."""
        return [step for step in self.steps if step.state == "available" and step.due <= self.now]

    def _in_time(self, step: Step) -> bool:
        return self._late_group(step) is None and step.stack.passed(self.now, step.begun) is None

    def _has_room(self, step: Step) -> bool:
        return all(self.in_use(quota) + step.units <= self.capacities[quota] for quota in step.quotas)

    def in_use(self, quota: str) -> int:
        """Count the units of a quota that running steps hold."""
        return sum(step.units for step in self.steps if step.state == "running" and quota in step.quotas)

    def time_left(self, step: Step) -> int | None:
        """How long until the nearest limit, of its own or of a group around it."""
        limits = [step.stack.next_limit(step.begun)]
        limits += [
            group.stack.next_limit(group.begun) for group in step.groups if group.state == "waiting_steps"
        ]
        nearest = min((limit for limit in limits if limit is not None), default=None)
        return None if nearest is None else max(nearest - self.now, 0)

    def heartbeat(self, step: Step) -> str:
        """Renew a lease."""
        if self._late_group(step) is not None:
            return "cancelled"
        return "renewed" if self._in_time(step) else "timed_out"

    def start_child(self, by: Step, name: str, given: Sequence[Layer]) -> Step:
        """Start a step beside a running one."""
        group = by.parent
        assert group is not None
        env = self._env_of(group)
        layers = (*env, *self._default(name).under(given))
        child = self._make(name, layers, {}, group, None, None, group.quotas)
        self._go(child, "available")
        return child

    def claim(self, step: Step) -> None:
        """Run it."""
        step.state = "running"
        step.generation += 1
        step.begun = self.now

    def stage(self, step: Step, key: str, value: Any) -> str:
        """Stage an output."""
        if not self._in_time(step):
            return self.heartbeat(step)
        step.staged[key] = value
        return "staged"

    def complete(self, step: Step, output: Any) -> str:
        """Report success."""
        if not self._in_time(step):
            return self._too_late(step, "complete")
        verdict = self._publish(step, "completed", output)
        return self._reported(step, verdict)

    def skip(self, step: Step) -> str:
        """Report that there was nothing to do."""
        if not self._in_time(step):
            return self._too_late(step, "skip")
        verdict = self._publish(step, "skipped", None)
        return self._reported(step, verdict)

    def fail(self, step: Step, kind: str) -> str:
        """Report a failure."""
        if not self._in_time(step):
            return self._too_late(step, kind)
        step.uncertain = kind == "uncertain"
        self._attempt_failed(step, len(step.stack.layers), kind, final=kind != "retryable")
        return self._reported(step, "discarded" if step.state == "discarded" else "retrying")

    def _late_group(self, step: Step) -> Step | None:
        """Return the outermost group around it of which a limit has passed."""
        for group in step.groups:
            if group.state == "waiting_steps" and group.stack.passed(self.now, group.begun) is not None:
                return group
        return None

    def _too_late(self, step: Step, what: str) -> str:
        """Take a report past a limit: nothing but a failure that nothing can follow counts as such."""
        group, passed = self._late_group(step), step.stack.passed(self.now, step.begun)
        hard = group is not None or (passed is not None and step.stack.kind(passed) == "deadline")
        if group is not None and what == "uncertain":
            # What ends is the group, by its limit; the doubt stands.
            self._left(step)
            step.state, step.error_kind, step.uncertain = "discarded", what, True
            self._note_failure(step)
            position = group.stack.passed(self.now, group.begun)
            assert position is not None
            self._attempt_failed(
                group, position, what if step.parent is group else group.stack.kind(position)
            )
            verdict = "discarded"
        elif what == "uncertain" or (what == "permanent" and not hard):
            step.uncertain = what == "uncertain"
            self._attempt_failed(step, len(step.stack.layers), what, final=True)
            verdict = "discarded"
        elif group is not None:
            self._cancel(step, None)
            self._ring(group)
            verdict = "cancelled"
        else:
            assert passed is not None
            self._attempt_failed(step, passed, step.stack.kind(passed))
            verdict = "timed_out"
        return self._reported(step, verdict)

    def _reported(self, step: Step, verdict: str) -> str:
        """Forget an execution that its own worker ended."""
        self.abandoned.remove((step, step.generation))
        return verdict

    def release(self, step: Step) -> str:
        """Hand it back."""
        if not self._in_time(step):
            return self._too_late(step, "release")
        step.staged.clear()
        self._available(step)
        return "released"

    def sleep(self, step: Step, duration: int) -> str:
        """Sleep."""
        if not self._in_time(step):
            return self._too_late(step, "sleep")
        step.wakes, step.begun = self.now + duration, None
        self._go(step, "waiting_timer")
        return "sleeping"

    def wait_signal(self, step: Step, name: str, timeout: int | None) -> str:
        """Wait for a signal."""
        if not self._in_time(step):
            return self._too_late(step, "wait_signal")
        step.begun, step.awaits, step.due = None, name, self.now
        step.wakes = None if timeout is None else self.now + timeout
        self._go(step, "waiting_signal")
        if name in self._signals and not self.paused:
            self._signals.remove(name)
            self._available(step)
        return "waiting"

    def crash(self, step: Step) -> None:
        """Its lease expires."""
        self.abandoned.append((step, step.generation))
        step.staged.clear()
        self._available(step)

    # -- what time does -------------------------------------------------------------------------------

    def next_moment(self) -> int | None:
        """When something happens by itself, or becomes claimable."""
        moments = [self._alarm(step) for step in self.steps]
        moments += [step.due for step in self.steps if step.state == "available"]
        return min((moment for moment in moments if moment is not None and moment > self.now), default=None)

    def sweep(self, rank: Callable[[Step], int]) -> None:
        """Do what is due, and then what that made due; what is due at one moment by rank.

        The rules leave that order open, and it matters: a step that times out takes along its siblings.
        """
        while due := sorted(filter(self._is_due, self.steps), key=lambda step: (rank(step), step.order)):
            for step in due:
                if self._is_due(step):
                    self._ring(step)

    def _is_due(self, step: Step) -> bool:
        alarm = self._alarm(step)
        return alarm is not None and alarm <= self.now

    def _alarm(self, step: Step) -> int | None:
        if step.over or step.state == "paused":
            return None
        moments = [step.stack.next_limit(step.begun), step.wakes]
        return min((moment for moment in moments if moment is not None), default=None)

    def _ring(self, step: Step) -> None:
        passed = step.stack.passed(self.now, step.begun)
        if passed is not None:
            self._attempt_failed(step, passed, step.stack.kind(passed))
        elif step.state == "pending":
            step.wakes = None
            assert step.parent is not None
            self._settle(step.parent)
        elif step.is_group:
            self._begin(step)
        else:
            self._available(step)

    # -- groups ---------------------------------------------------------------------------------------

    def _make(
        self,
        name: str,
        layers: Sequence[Layer],
        value: Any,
        parent: Step | None,
        node: Node | None,
        flow: Flow | None,
        quotas: frozenset[str],
    ) -> Step:
        step = Step(name, len(self.steps), Stack(layers, self.now), value, parent, node, flow)
        own = None if node is None else node.quota
        if not step.is_group:
            own = own or self._default(name).quota
            step.units = self._default(name).units
        step.quotas = quotas if own is None else quotas | {own}
        self.steps.append(step)
        if parent is not None:
            step.of_attempt = parent.attempt
            step.position = len(parent.children) if step.is_element else None
            parent.children.append(step)
        return step

    def _make_child(self, group: Step, node: Node) -> None:
        """Make the step of a node; a map's own layers are those of its elements."""
        if node.map is not None:
            self._make(node.name, (), None, group, node, None, group.quotas)
        else:
            self._make_wrapped(group, node, group.env, None)

    def _make_element(self, group: Step, value: Any) -> None:
        assert group.node is not None
        self._make_wrapped(group, group.node, self._env_of(group), value)

    def _env_of(self, group: Step) -> tuple[Layer, ...]:
        """Return the layers around each node of a group; a map adds none to those around it."""
        if group.flow is None:
            assert group.parent is not None
            return group.parent.env
        return group.env

    def _default(self, name: str) -> Defaults:
        return self._defaults.get(name, Defaults())

    def _make_wrapped(self, group: Step, node: Node, env: tuple[Layer, ...], value: Any) -> None:
        """Make a step with the layers around it: inherited ones, then its own, else those of its name."""
        if node.workflow is None:
            inherited = env if node.inherit else ()
            own = node.policy or self._default(node.name).layers
            self._make(node.name, (*inherited, *own), value, group, node, None, group.quotas)
        else:
            layers = (*env, *node.policy)
            mount = self._make(node.name, layers, value, group, node, node.workflow, group.quotas)
            mount.env = (*env, *node.workflow.policy) if node.inherit else node.workflow.policy

    def _begin(self, group: Step) -> None:
        """Make a set of children."""
        group.children, group.failures, group.published = [], [], []
        group.state, group.begun, group.wakes = "waiting_steps", self.now, None
        if group.flow is None:
            self._begin_map(group)
            return
        if group.parent is not None and not group.is_element:
            group.input = self.seen(group)
        group.keys = dict(group.input) if isinstance(group.input, Mapping) else {}
        for node in group.flow.nodes:
            self._make_child(group, node)
        self._settle(group)

    def _begin_map(self, group: Step) -> None:
        assert group.parent is not None
        assert group.node is not None
        assert group.node.map is not None
        elements = group.parent.keys[group.node.map]
        if not isinstance(elements, list) or len(elements) > 10_000:
            self._attempt_failed(group, 0, "permanent", final=True)
            return
        for element in elements:
            self._make_element(group, element)
        self._settle(group)

    def seen(self, step: Step) -> dict[str, Any]:
        """The keys that a node asks for and that are there."""
        assert step.parent is not None
        if step.node is None:
            return {}
        wanted = (*step.node.needs, *step.node.optional)
        return {key: step.parent.keys[key] for key in wanted if key in step.parent.keys}

    def _settle(self, group: Step) -> None:
        """Judge what waits for keys, in rounds until nothing changes, then see whether the group is done."""
        if group.state != "waiting_steps" or group.settling:
            return
        group.settling = True
        decided: list[tuple[Step, str]] | None = None
        while decided != [] and not self._doomed(group):
            judged = [(child, self._judge(child)) for child in group.children if child.state == "pending"]
            decided = [(child, fate) for child, fate in judged if fate]
            for child, fate in decided:
                if fate == "skip":
                    self._end(child, "skipped")
                else:
                    self._ready(child)
        group.settling = False
        self._conclude(group)

    def _judge(self, step: Step) -> str | None:
        """Say whether a pending node is to `begin`, or to be skipped (`skip`); None: it waits."""
        if step.is_element:
            return "begin" if step.wakes is None else None
        assert step.node is not None
        assert step.parent is not None
        needed = [self._fate(step.parent, key) for key in step.node.needs]
        wished = [self._fate(step.parent, key) for key in step.node.optional]
        if step.blocked:
            return None
        if "never" in needed:
            return "skip"
        step.blocked = "lost" in needed
        if step.wakes is not None or "open" in wished or any(fate != "there" for fate in needed):
            return None
        when = step.node.when
        if when is not None and not when.holds(self.seen(step)):
            return "skip"
        # A group that is late already is not opened: its limit ends it.
        return None if step.is_group and step.stack.passed(self.now, step.begun) is not None else "begin"

    def _doomed(self, group: Step) -> bool:
        """Whether the group's attempt is over because one of its steps failed."""
        return bool(group.failures) and self._flow_of(group).on_failure == "cancel"

    def _ready(self, step: Step) -> None:
        if not step.is_group:
            step.state, step.due = "available", max(step.due, self.now)
        elif step.due > self.now:
            step.wakes = step.due
        else:
            self._begin(step)

    def _fate(self, group: Step, key: str) -> str:
        """What becomes of a key: `there`, `open`, `never` to come, or `lost` with a step that failed."""
        assert group.flow is not None
        if key in group.keys:
            return "there"
        producer = group.flow.producer(key)
        if producer is None:
            return "never"
        step = next(child for child in group.children if child.name == producer)
        if step.state in {"completed", "skipped"}:
            return "never"
        return "lost" if step.over or step.blocked else "open"

    def _conclude(self, group: Step) -> None:
        """End the group if nothing in it can go on."""
        over = all(child.over or child.blocked for child in group.children)
        if not over and not self._doomed(group):
            return
        if group.failures:
            self._group_failed(group)
            return
        skipped = bool(group.children) and all(child.state == "skipped" for child in group.children)
        self._publish(group, "skipped" if skipped else "completed", self._gathered(group))

    def _gathered(self, group: Step) -> Any:
        if group.flow is None:
            return [
                None if child.state == "skipped" else child.output
                for child in group.children
                if child.is_element
            ]
        wanted = group.published if group.flow.outputs is None else group.flow.outputs
        return {key: group.keys[key] for key in wanted if key in group.keys}

    def _group_failed(self, group: Step) -> None:
        first = group.failures[0]
        group.uncertain = any(child.uncertain for child in group.failures)
        kind = first.error_kind
        assert kind is not None
        self._attempt_failed(group, len(group.stack.layers), kind, final=group.uncertain, reason=SIBLING)

    # -- transitions ----------------------------------------------------------------------------------

    def _publish(self, step: Step, state: str, output: Any) -> str:
        """End a success or a skip: all its keys at once, or none where one of them is there already."""
        keys = self._outcome(step, output, state)
        group = step.parent
        if group is not None and not step.is_element:
            if any(key in group.keys for key in keys):
                self._attempt_failed(step, len(step.stack.layers), "output_conflict")
                return "discarded" if step.state == "discarded" else "retrying"
            group.keys.update(keys)
            group.published += keys
        step.output = output
        step.error_kind = None
        self._end(step, state)
        return state

    def _outcome(self, step: Step, output: Any, state: str) -> dict[str, Any]:
        provides = () if step.node is None else step.node.provides
        if step.is_map:
            return {provides[0]: output} if provides else {}
        if step.flow is not None:
            return {key: output[key] for key in provides if key in output}
        if state == "completed" and not step.staged and len(provides) == 1:
            return {provides[0]: output}
        return dict(step.staged)

    def _attempt_failed(
        self, step: Step, position: int, kind: str | None, *, final: bool = False, reason: str | None = None
    ) -> None:
        """Consume an attempt by a failure inside of this layer."""
        step.staged.clear()
        below = [child for child in step.children if self._call_off(child, reason)]
        kind = self._doubt(step, below, kind, by_limit=reason is None)
        final = final or step.uncertain
        step.error_kind = kind
        due = None if final else step.stack.fail(position, self.now)
        if due is None:
            self._end(step, "discarded")
            return
        self._left(step)
        step.attempt += 1
        step.due = due
        if step.state == "pending":
            step.wakes = None
            assert step.parent is not None
            self._settle(step.parent)
        elif step.is_group:
            step.state, step.wakes = "waiting_timer", due
        else:
            step.wakes = None
            self._go(step, "available")

    def _available(self, step: Step) -> None:
        step.begun = step.wakes = step.awaits = None
        step.due = self.now
        self._go(step, "available")

    def _go(self, step: Step, state: str) -> None:
        """Enter a state that is no end; in a paused run, when it is resumed."""
        step.state = state
        if self.paused:
            step.before, step.state, step.paused_at = state, "paused", self.now

    def _go_on(self, step: Step, stood: int) -> None:
        """Leave the pause that a step has stood still for."""
        step.state = step.before
        step.stack.shift(stood)
        if step.state == "waiting_steps" and step.begun is not None:
            step.begun += stood
        if step.state == "waiting_signal" and step.wakes is not None:
            step.wakes += stood

    def _left(self, step: Step) -> None:
        """Note that an execution is over."""
        if step.state == "running":
            self.abandoned.append((step, step.generation))
        step.begun = step.wakes = step.awaits = None

    def _end(self, step: Step, state: str) -> None:
        self._left(step)
        step.state = state
        if self.paused:
            self._held.append(step)
        elif step.parent is not None:
            self._note_failure(step)
            self._settle(step.parent)

    def _note_failure(self, step: Step) -> None:
        if step.parent is not None and step.state == "discarded":
            step.parent.failures.append(step)

    def _flow_of(self, group: Step) -> Flow:
        """The workflow that says what a failure does: a map's is the one that it stands in."""
        if group.flow is not None:
            return group.flow
        assert group.parent is not None
        assert group.parent.flow is not None
        return group.parent.flow

    def _call_off(self, step: Step, reason: str | None) -> bool:
        """End a step with its group's attempt; whether it was discarded, over a doubt below."""
        below = [child for child in step.children if self._call_off(child, reason)]
        if step.over:
            return False
        if step.is_group:
            first = step.failures[0].error_kind if step.failures else None
            kind = self._doubt(step, below, first, by_limit=reason is None)
            if step.uncertain:
                self._left(step)
                step.state, step.error_kind = "discarded", kind
                return True
        self._cancel(step, reason)
        return False

    def _doubt(self, group: Step, below: list[Step], kind: str | None, *, by_limit: bool) -> str | None:
        """Note whether an uncertain failure stands in a group, and say of which kind its error is then."""
        own = any(child.uncertain for child in group.failures)
        if own and by_limit and kind != "uncertain":
            kind = group.failures[0].error_kind
        elif below and not own and (by_limit or kind is None):
            kind = below[-1].error_kind
        group.uncertain = group.uncertain or own or bool(below)
        return kind

    def _cancel(self, step: Step, reason: str | None) -> None:
        self._left(step)
        step.state, step.reason = "cancelled", reason
