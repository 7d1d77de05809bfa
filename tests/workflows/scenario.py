"""One example: operations drawn one by one, done in engine and model, and what both show compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from tests.workflows.engine import Claim, Engine, Row, moment
from tests.workflows.generate import Plan
from tests.workflows.model import SIBLING, TERMINAL, Model, Step

T = TypeVar("T")

SIGNALS = ["s", "t"]
KINDS = ["retryable", "retryable", "retryable", "permanent", "uncertain"]
MINUTE = 60_000_000
ROOM = 4
"""The capacity with which no quota keeps a step waiting for ever."""
CHILDREN = 6
"""How many steps the handlers of an example start at most."""
MOST = 400
"""Operations of an example, and rounds in which it is brought to its end."""


class Choices:
    """Choices drawn beforehand: what there is to choose from depends on the engine, the draws must not."""

    def __init__(self, numbers: Sequence[int]) -> None:
        """Use these numbers one by one, and then 0."""
        self._numbers = iter(numbers)

    def number(self, low: int, high: int) -> int:
        """Choose a number."""
        return low + next(self._numbers, 0) % (high - low + 1)

    def one_of(self, options: Sequence[T]) -> T:
        """Choose one of these."""
        return options[self.number(0, len(options) - 1)]


class Scenario:
    """A run in both worlds."""

    def __init__(self, engine: Engine, plan: Plan, choices: Choices, now: int) -> None:
        """Define everything and start."""
        self.model = Model(plan.defaults, dict(plan.quotas), now)
        self._started = plan.started
        self._engine = engine
        self._choices = choices
        self._ids: dict[int, Step] = {}
        self._steps: dict[Step, int] = {}
        self.log: list[str] = []
        engine.set_clock(now)
        for quota in plan.quotas:
            engine.set_quota(quota, ROOM)
        for name, defaults in plan.defaults.items():
            engine.define_step(name, defaults)
        for flow in plan.flow.mounted():
            engine.define_workflow(flow)
        for quota, capacity in plan.quotas.items():
            engine.set_quota(quota, capacity)
        root = self.model.start(plan.flow, plan.input, plan.layers)
        self.run_id = engine.start(plan.flow, plan.input, plan.layers)
        self._bind(root, self.run_id)
        self._after("start")

    @property
    def root(self) -> Step:
        """The run itself."""
        return self.model.steps[0]

    # -- what is drawn --------------------------------------------------------------------------------

    def play(self) -> None:
        """Do a number of drawn operations, then bring the run to its end."""
        for _ in range(self._choices.number(0, 40)):
            if self.root.over:
                break
            self._operation()
        if self._choices.number(0, 4) == 4:
            self._cancel()
        self._finish()

    def _operation(self) -> None:
        """Draw one that makes sense now."""
        choices = ["signal", "quota", "ask"]
        choices += ["resume", "stand", "stand"] if self.model.paused else ["pause"]
        if self.model.claimable():
            choices += ["claim"] * 8
        if self._running():
            choices += ["complete"] * 6 + ["child"] * 4 + ["fail"] * 3 + ["stage", "beat"] * 2
            choices += ["skip", "release", "sleep", "wait", "crash"]
        if self.model.abandoned:
            choices.append("late")
        if self.model.next_moment() is not None:
            choices += ["advance"] * 3 + ["unswept"] * 4
        getattr(self, f"_{self._choices.one_of(choices)}")()

    def _finish(self) -> None:
        """Complete whatever there is, until the run is over."""
        for quota in self.model.capacities:
            self._set_quota(quota, ROOM)
        for _ in range(MOST):
            if self.root.over:
                break
            self._finish_one()
        else:
            self._cancel()
        if self.root.state == "completed":
            self._same("result", self._engine.result(self.run_id), self.root.output)
        for step, _ in self.model.abandoned:
            self._late_of(step)
        if self.root.state == "discarded":
            self._reopen()

    def _finish_one(self) -> None:
        running, claimable, after = self._running(), self.model.claimable(), self.model.next_moment()
        if self.model.paused:
            self._resume()
        elif after is not None and self._choices.number(0, 5) == 5:
            self._advance_to(after)
        elif running:
            self._complete_step(running[0], 1)
        elif claimable:
            self._claim_step(claimable[0])
        elif any(step.state == "waiting_signal" for step in self.model.steps):
            for name in SIGNALS:
                self._signal_named(name)
        else:
            assert after is not None, f"nothing will ever happen\n{self.story()}"
            self._advance_to(after)

    def _reopen(self) -> None:
        """Retry what was discarded, and complete whatever comes of it: the engine alone, for it must end."""
        self.log.append("retry")
        self._engine.retry(self.run_id)
        for _ in range(MOST):
            self._engine.sweep()
            rows = self._engine.rows(self.run_id)
            _check_invariants(rows)
            if rows[0].state in TERMINAL:
                return
            claimed = self._engine.claim(None)
            if claimed is not None:
                self._engine.complete(claimed.step_id, claimed.generation, 1)
                continue
            for name in SIGNALS:
                self._engine.signal(self.run_id, name)
            self.model.now += MINUTE
            self._engine.set_clock(self.model.now)
        raise AssertionError(f"the reopened run does not end\n{self.story()}")

    def _running(self) -> list[Step]:
        return [step for step in self.model.steps if step.state == "running"]

    def _pick(self, steps: list[Step]) -> Step:
        return self._choices.one_of(steps)

    # -- operations -----------------------------------------------------------------------------------

    def _claim(self) -> None:
        self._claim_step(self._pick(self.model.claimable()))

    def _claim_step(self, wanted: Step) -> None:
        """Claim by name, and follow the engine among those that are equally due."""
        claimed = self._engine.claim(wanted.name)
        assert claimed is not None, f"nothing was claimed of {wanted.name}\n{self.story()}"
        self._claimed(claimed)

    def _ask(self) -> None:
        """Claim whatever there is, which may be nothing."""
        claimed = self._engine.claim(None)
        if claimed is not None:
            self._claimed(claimed)
        else:
            assert not self.model.claimable(), f"nothing was claimed\n{self.story()}"
            self._after("ask")

    def _claimed(self, claimed: Claim) -> None:
        step = self._ids[claimed.step_id]
        assert step in self.model.claimable(), f"{self._path(step)} was claimed\n{self.story()}"
        self.model.claim(step)
        self._same("generation", claimed.generation, step.generation)
        self._same("time left", claimed.time_left, self._time_left(step))
        if not step.is_element:
            self._same("keys", claimed.keys, self.model.seen(step))
        self._after(f"claim {self._path(step)}")

    def _time_left(self, step: Step) -> timedelta | None:
        left = self.model.time_left(step)
        return None if left is None else timedelta(microseconds=left)

    def _beat(self) -> None:
        step = self._pick(self._running())
        verdict, left = self._engine.heartbeat(self._steps[step], step.generation)
        expected = self.model.heartbeat(step)
        self._same("heartbeat", verdict, expected)
        self._same("time left", left, None if expected == "cancelled" else self._time_left(step))
        self._after(f"beat {self._path(step)}")

    def _child(self) -> None:
        """Have a handler start a step."""
        if sum(step.node is None and step is not self.root for step in self.model.steps) == CHILDREN:
            return
        by = self._pick(self._running())
        name = self._choices.one_of(sorted(self._started))
        given = self._started[name] if self._choices.one_of([False, True]) else ()
        child_id = self._engine.start_child(self._steps[by], by.generation, name, given)
        self._bind(self.model.start_child(by, name, given), child_id)
        self._after(f"child {name} {given} by {self._path(by)}")

    def _quota(self) -> None:
        self._set_quota(self._choices.one_of(sorted(self.model.capacities)), self._choices.number(0, 4))

    def _set_quota(self, quota: str, capacity: int) -> None:
        self._engine.set_quota(quota, capacity)
        self.model.capacities[quota] = capacity
        self._after(f"quota {quota} {capacity}")

    def _unswept(self) -> None:
        """Let something happen that time has decided already, and that no sweep has seen."""
        after = self.model.next_moment()
        assert after is not None
        self.model.now = after
        self._engine.set_clock(after)
        self.log.append(f"clock {after / 1_000_000:.6f}, unswept")
        choices = ["ask"]
        if self._running():
            choices += ["beat", "complete", "complete", "fail", "skip", "release", "sleep", "wait", "stage"]
        getattr(self, f"_{self._choices.one_of(choices)}")()

    def _complete(self) -> None:
        step = self._pick(self._running())
        self._complete_step(step, self._choices.number(0, 4))

    def _complete_step(self, step: Step, output: Any) -> None:
        self._report("complete", step, output)

    def _skip(self) -> None:
        self._report("skip", self._pick(self._running()))

    def _fail(self) -> None:
        self._report("fail", self._pick(self._running()), self._choices.one_of(KINDS))

    def _release(self) -> None:
        self._report("release", self._pick(self._running()))

    def _sleep(self) -> None:
        self._report("sleep", self._pick(self._running()), self._seconds())

    def _wait(self) -> None:
        step = self._pick(self._running())
        timeout = self._seconds() if self._choices.one_of([False, True]) else None
        self._report("wait_signal", step, self._choices.one_of(SIGNALS), timeout)

    def _stage(self) -> None:
        step = self._pick(self._running())
        if step.node is not None and step.node.provides and not step.is_element:
            key = self._choices.one_of(step.node.provides)
            self._report("stage", step, key, self._choices.number(5, 9))
            if step.state == "running":
                staged = self._engine.staged(self._steps[step], step.generation, key)
                self._same("staged", staged, step.staged.get(key))

    def _crash(self) -> None:
        step = self._pick(self._running())
        self._engine.expire_lease(self._steps[step])
        self.model.crash(step)
        self._after(f"crash {self._path(step)}")

    def _late(self) -> None:
        self._late_of(self._pick([step for step, _ in self.model.abandoned]))

    def _late_of(self, step: Step) -> None:
        """A worker reports an execution that was ended from outside."""
        for of_step, generation in self.model.abandoned:
            if of_step is step:
                verdict = self._engine.complete(self._steps[step], generation, "too late")
                self._same("late", verdict, "cancelled" if step.state == "cancelled" else "stale")
        self._after(f"late {self._path(step)}")

    def _signal(self) -> None:
        self._signal_named(self._choices.one_of(SIGNALS))

    def _signal_named(self, name: str) -> None:
        self._same("signal", self._engine.signal(self.run_id, name), self.model.signal(name))
        self._after(f"signal {name}")

    def _advance(self) -> None:
        after = self.model.next_moment()
        assert after is not None
        whole = self._choices.one_of([False, True])
        self._advance_to(after if whole else self.model.now + (after - self.model.now) // 2)

    def _advance_to(self, now: int) -> None:
        self.model.now = now
        self._engine.set_clock(now)
        self._after(f"clock {now / 1_000_000:.6f}")

    def _cancel(self) -> None:
        self._same("cancel", self._engine.cancel(self.run_id), self.model.cancel())
        self._after("cancel")

    def _pause(self) -> None:
        self._same("pause", self._engine.pause(self.run_id), self.model.pause())
        self._after("pause")

    def _resume(self) -> None:
        self._same("resume", self._engine.resume(self.run_id), self.model.resume())
        self._after("resume")

    def _stand(self) -> None:
        """Let a paused run stand for a while."""
        until = self.model.now + 2 * self._seconds()
        while (after := self.model.next_moment()) is not None and after < until:
            self._advance_to(after)
        self._advance_to(until)

    def _seconds(self) -> int:
        return self._choices.number(1, 10) * 1_000_003

    def _report(self, verb: str, step: Step, *arguments: Any) -> None:
        generation = step.generation
        verdict = getattr(self._engine, verb)(self._steps[step], generation, *arguments)
        self._same(verb, verdict, getattr(self.model, verb)(step, *arguments))
        self._after(f"{verb} {self._path(step)} {arguments or ''}")

    # -- comparison -----------------------------------------------------------------------------------

    def _after(self, what: str) -> None:
        """Sweep both, then compare every step, and what must hold whatever happened."""
        self.log.append(what)
        self._engine.sweep()
        rows = self._engine.rows(self.run_id)
        self.model.sweep(self._follow(rows))
        self._bind_new(rows)
        self._check_bound(rows)
        for row in rows:
            step = self._ids[row.step_id]
            self._same(self._path(step), self._shown(row), self._expected(step), row=row)
        _check_invariants(rows)

    def _follow(self, rows: list[Row]) -> Callable[[Step], int]:
        """Tell in which order the engine seems to have taken what was due at one moment.

        Last, what it ended for the sake of others before anything else happened to it; and first what
        waited for keys, for a group that goes on after a failure ends without it.
        """
        shown = {row.step_id: row for row in rows}

        def rank(step: Step) -> int:
            if step not in self._steps:
                self._bind_new(rows)
            row = shown.get(self._steps.get(step, 0))
            if row is not None and row.state == "cancelled" and row.attempt == step.attempt:
                return 2
            return 0 if step.state == "pending" else 1

        return rank

    def _bind(self, step: Step, step_id: int) -> None:
        self._ids[step_id] = step
        self._steps[step] = step_id

    def _bind_new(self, rows: list[Row]) -> None:
        """Find the model's step for each new row, as far as it has made them."""
        made = {(step.parent, step.position, step.of_attempt, step.name): step for step in self.model.steps}
        for row in rows:
            if row.step_id not in self._ids and row.parent_id in self._ids:
                parent = self._ids[row.parent_id]
                name = row.node if row.position is None else parent.name
                step = made.get((parent, row.position, row.group_attempt, name or ""))
                if step is not None:
                    self._bind(step, row.step_id)

    def _check_bound(self, rows: list[Row]) -> None:
        """Both have made the same steps."""
        unknown = [row for row in rows if row.step_id not in self._ids]
        assert not unknown, f"the model has no step for {unknown[0]}\n{self.story()}"
        missing = [self._path(step) for step in self.model.steps if step not in self._steps]
        assert not missing, f"the engine has no step {missing}\n{self.story()}"

    def _same(self, what: str, engine: Any, model: Any, row: Row | None = None) -> None:
        assert engine == model, f"{what}: the engine says {engine}, the model {model}\n{row}\n{self.story()}"

    def _path(self, step: Step) -> str:
        above = "" if step.parent is None else f"{self._path(step.parent)}/"
        place = "" if step.position is None else f"[{step.position}]"
        again = "" if step.of_attempt in {None, 1} else f"#{step.of_attempt}"
        return f"{above}{step.name}{place}{again}"

    def story(self) -> str:
        """What has been done so far, and how the model stands."""
        steps = [f"{self._path(step)}: {self._expected(step)}" for step in self.model.steps]
        return "\n".join([f"now {self.model.now}", *self.log, "--", *steps])

    def _shown(self, row: Row) -> dict[str, Any]:
        """What is compared, as the engine has it."""
        waits = row.state == "available" and row.scheduled_at and row.scheduled_at > moment(self.model.now)
        return {
            "state": row.state,
            "generation": row.lease_generation,
            "attempt": row.attempt,
            "due": row.scheduled_at if waits else None,
            "kind": row.error_kind if row.state == "discarded" else None,
            "reason": row.cancel_reason if row.cancel_reason == SIBLING else None,
            "output": row.output if row.state == "completed" else None,
        }

    def _expected(self, step: Step) -> dict[str, Any]:
        """What is compared, as the model has it."""
        waits = step.state == "available" and step.due > self.model.now
        return {
            "state": step.state,
            "generation": step.generation,
            "attempt": step.attempt,
            "due": moment(step.due) if waits else None,
            "kind": step.error_kind if step.state == "discarded" else None,
            "reason": step.reason if step.reason == SIBLING else None,
            "output": step.output if step.state == "completed" else None,
        }


def _check_invariants(rows: list[Row]) -> None:
    """A terminal group has no child that has not ended."""
    states = {row.step_id: row.state for row in rows}
    for row in rows:
        if row.parent_id is not None and states[row.parent_id] in TERMINAL:
            assert row.state in TERMINAL, f"{row} lives on in a group that has ended"
