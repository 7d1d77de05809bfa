"""One handler process after another, and what runs in it.

A handler process that dies is replaced, not followed: connections and other duties go on, and a step that
kills its process is bounded by `max_reclaims` just as if the whole worker had died. Nothing is released for
the steps that ran in it. What they did cannot be known, and a hand-back would cost them no reclaim; their
leases are simply not renewed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import dataclass
from typing import Any, Protocol

from tenure._rows import Claimed
from tenure.worker._bell import Bell
from tenure.worker._claimed import to_wire
from tenure.worker._errors import WorkerError
from tenure.worker._leases import Key, Lease
from tenure.worker._link import Backoff
from tenure.worker._outcome import Outcome, dropped
from tenure.worker._process import HandlerProcess, Role
from tenure.worker._questions import Question, Refusal
from tenure.worker._settings import Settings
from tenure.worker._token import Reason
from tenure.worker._watch import Term
from tenure.worker._wire import GarbledError, Message

log = logging.getLogger(__name__)

STEADY = 10.0
"""Seconds that a handler process must have lived for its death to be replaced without a pause."""

PINGS = 10
"""Questions within one stall limit."""

FRESH = 0.25
"""Seconds for which it is believed to answer after it has said anything."""

LAST_WORDS = 1.0
"""Seconds for what a process has said before its end to be read: what it has started may keep the pipe."""


class Duties(Protocol):
    """What the supervisor does with what comes from handler processes."""

    def done(self, lease: Lease, outcome: Outcome) -> None:
        """An execution has ended."""

    def runs_on(self, lease: Lease) -> None:
        """An execution has ended, and some of it still runs: it keeps its slot."""

    def given_up(self, lease: Lease) -> None:
        """The time of an execution is over, and some of it still runs."""

    def lost(self, lease: Lease) -> None:
        """Nothing can be reported: the lease is to run out."""

    def progress(self, step_id: int, generation: int, text: str) -> None:
        """A handler reported progress."""

    def ask(self, question: Question) -> None:
        """A handler waits for an answer."""

    def room(self) -> None:
        """There may be free slots."""

    def failed(self, error: WorkerError) -> None:
        """The application does not run."""


@dataclass(slots=True, eq=False)
class Body:
    """A handler that runs, as far as anybody knows."""

    lease: Lease
    reason: Reason | None = None
    """Why it was told to stop by the supervisor."""
    end_at: float | None = None
    """When it must be over; None: it has no limit and was not told to stop."""
    outcome: Outcome | None = None
    """What its pipeline said, although some of it runs on."""
    reported: bool = False
    """Its outcome has been passed on."""
    ended: bool = False
    """Nothing of it runs any more."""
    given_up: bool = False
    """Its time is over and it has not ended: it keeps its slot, and nobody knows for how long."""
    killed: bool = False
    """Its process is ended because it, or what it has started, would not stop."""
    bell: Bell | None = None
    """Rung when any of this changes, where somebody waits for that."""

    def ring(self) -> None:
        """Something has changed."""
        if self.bell is not None:
            self.bell.ring()


class Relay:
    """Keeps one handler process and knows what runs in it."""

    role: Role
    kills: bool
    """Whether what does not stop is killed: then it gets all of its time but the part that killing takes."""

    def __init__(self, settings: Settings, duties: Duties, *, capacity: int) -> None:
        """`capacity` is how many executions the process takes at a time."""
        self.settings = settings
        self.duties = duties
        self._capacity = capacity
        self.child: HandlerProcess | None = None
        self._ready = False
        self._frozen = False
        self._spent = False
        self._stopping = False
        self.bodies: dict[Key, Body] = {}
        self._gone = asyncio.Event()
        self._gone.set()
        self._answered = asyncio.Event()
        """It has said something since it was last asked whether it answers."""
        self.names: list[str] = []
        """The steps that the application has handlers for; empty until it was loaded."""

    @property
    def free(self) -> int:
        """How many executions could start at once."""
        return self._capacity - len(self.bodies) if self._ready and not (self._frozen or self._spent) else 0

    @property
    def answers(self) -> bool:
        """Whether it has answered when it was last asked."""
        return self._answered.is_set()

    async def probe(self) -> None:
        """Ask whether it answers, unless it has said something just now, and wait a moment for that.

        Whatever is sent to a process whose loop is blocked waits there while its time runs.
        """
        child = self.child
        if child is None or not self.answers or time.monotonic() - child.heard_at < FRESH:
            return
        self._answered.clear()
        child.send(["ping"])
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FRESH):
                await self._answered.wait()

    @property
    def running(self) -> list[Lease]:
        """The executions whose pipelines have not ended."""
        return [body.lease for body in self.bodies.values() if body.outcome is None]

    @property
    def busy(self) -> bool:
        """Whether a pipeline has not ended."""
        return any(body.outcome is None for body in self.bodies.values())

    def frozen(self, lease: Lease) -> bool:
        """Whether an execution is in a process that has not answered for the stall limit."""
        return self._frozen and lease.key in self.bodies

    def start(self, claimed: Claimed, lease: Lease) -> bool:
        """Run a step's handler; False: the process is not there, and nothing has started."""
        if self.child is None or self.free <= 0 or self._stopping:
            return False
        body = self.bodies[lease.key] = Body(lease, end_at=lease.budget.limit_at)
        budget = lease.budget.inside() if self.kills else lease.budget
        self.child.send(["start", *lease.key, self._term(lease), to_wire(claimed, budget)])
        self.begun(body, self.child)
        return True

    def begun(self, body: Body, child: HandlerProcess) -> None:
        """The process has been told to run it."""

    def cancel(self, lease: Lease, reason: Reason, until: float) -> None:
        """Tell a handler that it is to stop, why, and when it must be over."""
        body = self.bodies.get(lease.key)
        if body is None or self.child is None:
            return
        body.reason = reason
        body.end_at = until if body.end_at is None else min(until, body.end_at)
        inside = until - lease.budget.killing() if self.kills else until
        self.child.send(["cancel", *lease.key, reason, inside])
        body.ring()

    def renewed(self, lease: Lease) -> None:
        """Tell its process that the lease of a handler was renewed."""
        if lease.key in self.bodies and self.child is not None:
            self.child.send(["renewed", *lease.key, self._term(lease)])

    def _term(self, lease: Lease) -> Term:
        until = lease.ends_at - lease.budget.killing() if self.kills else lease.ends_at
        return Term(lease.fence_at, until, lease.ends_at)

    def answer(self, question: Question, value: Any, refusal: Refusal | None) -> None:
        """Answer a handler's question."""
        if self.child is not None and (question.step_id, question.generation) in self.bodies:
            self.child.send(["answer", question.ask_id, value, refusal])

    async def run(self) -> None:
        """Keep a handler process until stopped."""
        backoff = Backoff()
        while not self._stopping:
            began = time.monotonic()
            await self._one_life()
            if time.monotonic() - began >= STEADY:
                backoff.reset()
            if not self._stopping:
                await asyncio.sleep(backoff.pause())

    def retire(self, until: float) -> None:
        """Nothing will be started any more: end the process by then, if nothing runs in it."""
        if self.bodies or self._stopping:
            return
        self._stopping = True
        if self.child is not None:
            self.child.send(["quit", until])

    async def stop(self, until: float) -> None:
        """End the handler process by then, by force if need be; when this returns nothing of it runs."""
        self._stopping = True
        if self.child is not None:
            self.child.send(["quit", until])
            try:
                async with asyncio.timeout_at(until):
                    await self._gone.wait()
            except TimeoutError:
                log.warning("handler process %d did not end by itself and is killed", self.child.pid)
                for body in self.bodies.values():
                    body.reason, body.killed = body.reason or "shutdown", True
                self._kill(self.child)
        await self._gone.wait()

    # -- a process's life ------------------------------------------------------------------------------

    async def _one_life(self) -> None:
        """One process, from its start to its end."""
        child = self.child = await HandlerProcess.spawn(self.settings, self.role)
        self._spent = False
        self._gone.clear()
        if self._stopping:
            child.kill()
        reading = asyncio.create_task(self._read(child))
        dying = asyncio.create_task(child.ended())
        pulse = asyncio.create_task(self._pulse(child))
        try:
            await asyncio.wait({reading, dying}, return_when=asyncio.FIRST_COMPLETED)
            # At the end of its messages it has closed its side: it is dying, or is about to be made to.
            if not self._stopping:
                child.kill()
            await asyncio.wait({dying})
            await asyncio.wait({reading}, timeout=LAST_WORDS)
        finally:
            pulse.cancel()
            reading.cancel()
            if not dying.done():
                child.kill()
            status, gone = await dying
            was_ready, self.child, self._ready, self._frozen = self._ready, None, False, False
            self._answered.clear()
            self._gone.set()
            if was_ready and not self._stopping:
                self._tell_end(status)
            self._bury(gone=gone)
        error = reading.exception() if reading.done() and not reading.cancelled() else None
        if isinstance(error, GarbledError):
            log.error("handler process %d is replaced: its pipe brought %s", child.pid, error)
        elif error is not None:
            raise error
        if not was_ready and not self._stopping:
            app = self.settings.app
            raise WorkerError(f"the handler process ended with status {status} before it had loaded {app}")

    def _tell_end(self, status: int) -> None:
        ours = self._spent or any(body.killed for body in self.bodies.values())
        level = logging.WARNING if ours else logging.ERROR
        log.log(level, "a handler process ended with status %d; steps in it: %d", status, len(self.bodies))

    def _bury(self, *, gone: bool) -> None:
        """Let go of what was in a process that is not there any more."""
        for body in list(self.bodies.values()):
            if gone and not body.lease.strays:
                body.lease.proof = "process ended"
            if body.outcome is None and body.killed:
                body.outcome = dropped(body.reason or "timed_out", body.lease.name)
            self._forget(body)
            self._settle(body)
        self.duties.room()

    def _settle(self, body: Body) -> None:
        """Report an execution of which nothing is expected any more, if that is right to do."""
        lease, outcome = body.lease, body.outcome
        if outcome is None or (lease.proof is None and is_repeated(body)):
            self.duties.lost(lease)
        elif not body.reported:
            self.report(body, outcome)

    def report(self, body: Body, outcome: Outcome) -> None:
        """Pass on how an execution ended."""
        body.reported = True
        self.duties.done(body.lease, outcome)

    async def _pulse(self, child: HandlerProcess) -> None:
        """Ask for signs of life, and notice when there are none."""
        limit = self.settings.stall_limit
        while True:
            await asyncio.sleep(limit / PINGS)
            if not self._ready:
                continue
            child.send(["ping"])
            silent = time.monotonic() - child.heard_at
            if silent < limit:
                self._thaw(child)
                continue
            if not self._frozen:
                self._frozen = True
                log.error(
                    "handler process %d has not answered for %.1f s: no more heartbeats for its %d steps",
                    *(child.pid, silent, len(self.bodies)),
                )
            if all(body.lease.over for body in self.bodies.values()):
                # Nobody has a lease to lose any more, and it is of no use to anybody.
                log.error("handler process %d is killed: its steps are fenced", child.pid)
                self._kill(child)

    def _thaw(self, child: HandlerProcess) -> None:
        if self._frozen:
            self._frozen = False
            log.warning("handler process %d answers again", child.pid)
            self.duties.room()

    # -- what it says ----------------------------------------------------------------------------------

    async def _read(self, child: HandlerProcess) -> None:
        async for message in child.messages():
            self._hear(message)
            child.heard_at = time.monotonic()
            if not self.answers:
                self._answered.set()
                self.duties.room()

    def _hear(self, message: Message) -> None:
        match message:
            case ["done", step_id, generation, verb, arguments, stack]:
                self._done(self._body(step_id, generation), Outcome(verb, tuple(arguments)), stack)
            case ["there", step_id, generation, stack]:
                self._overdue(self.bodies.get((step_id, generation)), stack)
            case ["ended", step_id, generation]:
                self._ended(self._body(step_id, generation))
            case ["holds", step_id, generation]:
                self._body(step_id, generation).lease.reported = True
            case ["progress", step_id, generation, text]:
                self.duties.progress(step_id, generation, text)
            case ["ask", ask_id, step_id, generation, verb, arguments]:
                self.duties.ask(Question(ask_id, step_id, generation, verb, tuple(arguments)))
            case ["pong"]:
                pass
            case ["ready", names]:
                self.names = names
                self._ready = True
                self.duties.room()
            case ["broken", sentence]:
                raise WorkerError(sentence)
            case _:
                raise GarbledError(f"the message {message!r:.200}")

    def _body(self, step_id: int, generation: int) -> Body:
        try:
            return self.bodies[step_id, generation]
        except (KeyError, TypeError) as error:
            raise GarbledError(f"of step {step_id!r:.50}, generation {generation!r:.50}") from error

    def _done(self, body: Body, outcome: Outcome, stack: str | None) -> None:
        body.outcome = outcome
        if stack is None:
            self._ended(body)
        else:
            body.lease.stack = stack
            self.runs_on(body)
            self.duties.room()

    def _overdue(self, body: Body | None, stack: str) -> None:
        if body is not None and body.outcome is None:
            body.lease.stack = stack
            self.runs_on(body)

    def _ended(self, body: Body) -> None:
        stayed = [] if self.child is None else self.look_behind(body, self.child)
        if stayed and not body.lease.strays and not may_leave_helpers(body):
            log.warning("step %d: its handler has ended, processes %s have not", body.lease.step_id, stayed)
            self._spent = True
            self.runs_on(body)
            self.duties.room()
            return
        if not body.lease.strays:
            body.lease.proof = "returned"
        elif self.child is not None:
            # Nor is what it has left behind to be beside the next one.
            self._spent = True
            self.child.kill()
        self._forget(body)
        self._settle(body)
        self.duties.room()

    def look_behind(self, body: Body, child: HandlerProcess) -> list[int]:  # noqa: ARG002 - for slots
        """Note what an execution has started that no kill would reach, where that can be told.

        Answers what a kill would reach: it may be at work for this execution, whoever has started it.
        """
        return []

    def _kill(self, child: HandlerProcess) -> None:
        for body in self.bodies.values():
            self.look_behind(body, child)
        child.kill()

    def runs_on(self, body: Body) -> None:
        """A pipeline has ended, and some of the execution still runs."""

    def _forget(self, body: Body) -> None:
        del self.bodies[body.lease.key]
        body.ended = True
        body.ring()


def is_repeated(body: Body) -> bool:
    """Whether what it says, now that it is over, lets another execution begin that needs proof of its end."""
    match body.outcome:
        case Outcome("release"):
            return True
        case Outcome("fail", (_, kind, _)):
            return body.lease.blocks_retry and kind in {"retryable", "timeout"}
        case Outcome("sleep" | "wait_signal"):
            return body.lease.blocks_retry
        case _:
            return False


def may_leave_helpers(body: Body) -> bool:
    """Whether its step is done: what it has started may stay, such as a pool that is kept warm."""
    return body.outcome is not None and body.outcome.verb in {"complete", "skip", "settled"}


def is_timeout(outcome: Outcome | None) -> bool:
    """Whether its time was over before it had ended."""
    match outcome:
        case Outcome("fail", (_, "timeout", _)):
            return True
        case _:
            return False
