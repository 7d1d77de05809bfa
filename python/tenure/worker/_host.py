"""A handler process at work: it starts executions, stops them, and tells how they ended."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import itertools
import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tenure._rows import Claimed
from tenure.errors import SQLSTATES, TenureError
from tenure.registry import Step
from tenure.worker._budget import MARGIN, Budget, heard_until
from tenure.worker._claimed import from_wire
from tenure.worker._deliver import deliver
from tenure.worker._execution import Execution
from tenure.worker._leases import Key
from tenure.worker._limits import Limits
from tenure.worker._outcome import RELEASE, Outcome, failure
from tenure.worker._pool import CURRENT
from tenure.worker._threads import Threads
from tenure.worker._token import Reason
from tenure.worker._watch import Term, Watch
from tenure.worker._wheel import Wheel
from tenure.worker._wire import Message

log = logging.getLogger(__name__)

LOOP_FIRST = 0.02
"""Seconds after which a delivery that its loop should have dropped is taken to block that."""


class Host:
    """Runs the pipelines of handlers, each in a task of this process's one loop."""

    def __init__(
        self,
        steps: Mapping[str, Step[Any]],
        *,
        dsn: str,
        owner: str,
        send: Callable[[list[Message]], None],
        watch: Watch,
        wheel: Wheel | None = None,
    ) -> None:
        """Made in its loop. `send` passes a batch to the supervisor; `watch` learns of leases.

        `wheel` where a handler has the process for itself, and its main thread; without one each synchronous
        handler gets a thread.
        """
        self._steps = steps
        self._dsn = dsn
        self._owner = owner
        self._send = send
        self._watch = watch
        self._wheel = wheel
        self._loop = asyncio.get_running_loop()
        self._outbox: list[Message] = []
        self._executions: dict[Key, Execution] = {}
        self._limits = Limits()
        # Not from 1: an answer to the process before this one may come late.
        self._asks = itertools.count(time.monotonic_ns())
        self._asked: dict[int, tuple[Key, concurrent.futures.Future[Any]]] = {}
        self.quit = asyncio.Event()
        """The supervisor wants this process to end, or is gone."""
        self.quit_at = 0.0
        """When it must be gone by."""

    # -- what the supervisor says ----------------------------------------------------------------------

    def forewarn(self, messages: list[Message]) -> None:
        """Do at once, in the thread that reads, what must not wait for the loop: it may be blocked."""
        for message in messages:
            match message:
                case ["start", step_id, generation, term, fields]:
                    self._watch_over((step_id, generation), Term(*term), Budget(*fields[:3]))
                case ["cutoff", step_id, generation]:
                    # Its timer in the loop stops it; this tells it also while that is blocked.
                    self._warn((step_id, generation), "timed_out")
                case ["drop", step_id, generation]:
                    if execution := self._executions.get((step_id, generation)):
                        execution.break_in()
                case ["renewed", step_id, generation, term]:
                    self._watch.renew((step_id, generation), Term(*term))
                case ["cancel", step_id, generation, reason, until]:
                    self._warn((step_id, generation), reason)
                    now = time.monotonic()
                    self._watch.drop((step_id, generation), heard_until(now, max(now, until)) + LOOP_FIRST)
                case ["terminate"] if self._wheel is not None:
                    self._wheel.lane.interrupt()

    def receive(self, messages: list[Message]) -> None:
        """Do what the supervisor says."""
        for message in messages:
            match message:
                case ["start", _, _, _, fields]:
                    self._start(*from_wire(fields))
                case ["cancel", step_id, generation, reason, until]:
                    if execution := self._executions.get((step_id, generation)):
                        execution.stop(reason, until)
                case ["answer", ask_id, value, refusal]:
                    self._answer(ask_id, value, refusal)
                case ["where", step_id, generation]:
                    self._loop.call_later(MARGIN, self._tell_where, (step_id, generation))
                case ["ping"]:
                    self._say(["pong"])
                case ["terminate"] | ["renewed", _, _, _] | ["cutoff" | "drop", _, _]:
                    # Done already: see `forewarn`.
                    pass
                case ["quit", until]:
                    self.leave(until)
                case _:
                    raise ValueError(f"the supervisor says {message!r:.200}")

    def _watch_over(self, key: Key, term: Term, budget: Budget) -> None:
        self._watch.hold(key, term, budget.cutoff_at)
        if self._wheel is not None:
            self._watch.drop(key, budget.heard_until() + LOOP_FIRST)

    def _warn(self, key: Key, reason: Reason) -> None:
        if execution := self._executions.get(key):
            execution.warn(reason)

    def leave(self, until: float) -> None:
        """End this process by then."""
        self.quit_at = until
        self.quit.set()

    @property
    def busy(self) -> bool:
        """Whether a pipeline has not ended."""
        return bool(self._executions)

    def stop_all(self, reason: Reason, until: float) -> None:
        """Stop whatever runs."""
        for execution in list(self._executions.values()):
            execution.stop(reason, until)

    def warn_all(self, reason: Reason) -> None:
        """Set all tokens, in any thread."""
        for execution in list(self._executions.values()):
            execution.warn(reason)

    async def wind_up(self) -> None:
        """Wait for what was stopped, until this process must be gone."""
        tasks = [execution.task for execution in self._executions.values() if execution.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=max(0.0, self.quit_at - time.monotonic()))

    # -- what executions ask for, in any thread --------------------------------------------------------

    def progress(self, claimed: Claimed, text: str) -> None:
        """Pass on progress; RuntimeError where the execution has ended."""
        key = (claimed.step_id, claimed.generation)
        if key not in self._executions:
            raise _ended(key)
        self._say(["progress", *key, text])

    def holds(self, claimed: Claimed) -> None:
        """The execution's open transaction holds its report: the row's lock keeps everybody off."""
        self._watch.let_go((claimed.step_id, claimed.generation))
        self._say(["holds", claimed.step_id, claimed.generation])

    def ask(self, claimed: Claimed, verb: str, *arguments: Any) -> concurrent.futures.Future[Any]:
        """Ask the database through the supervisor, which has the connections.

        RuntimeError where the execution has ended, or ends before the answer: whoever asks was left behind.
        """
        ask_id, key = next(self._asks), (claimed.step_id, claimed.generation)
        answer: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._asked[ask_id] = (key, answer)
        answer.add_done_callback(lambda _: self._asked.pop(ask_id, None))
        if key not in self._executions:
            _refuse(answer, key)
            return answer
        self._say(["ask", ask_id, claimed.step_id, claimed.generation, verb, list(arguments)])
        return answer

    # -- executions ------------------------------------------------------------------------------------

    def _start(self, claimed: Claimed, budget: Budget) -> None:
        key = (claimed.step_id, claimed.generation)
        step = self._steps.get(claimed.name)
        if step is None:
            # A name that an earlier process of this worker had, and this one has not any more.
            self._say_done(key, RELEASE, None)
            return
        threads = Threads(f"step {claimed.step_id}", None if self._wheel is None else self._wheel.lane)
        execution = Execution(
            step, claimed, budget, host=self, dsn=self._dsn, owner=self._owner, threads=threads
        )
        self._executions[key] = execution
        if self._wheel is None:
            self._begin(execution)
        else:
            self._wheel.begin(partial(self._begin, execution), in_main=not step.threaded)

    def _begin(self, execution: Execution) -> None:
        name = f"step {execution.claimed.step_id}"
        execution.task = self._loop.create_task(self._run(execution), name=name)
        self._limits.watch(execution)

    async def _run(self, execution: Execution) -> None:
        CURRENT.set(execution)
        try:
            outcome = await deliver(execution)
        except BaseException as error:
            # Not foreseen. But a step that nobody reports would keep its slot and its lease for ever.
            log.exception("step %d: its delivery failed", execution.claimed.step_id)
            outcome = failure(error)
        execution.ended = True
        execution.threads.close_pool()
        del self._executions[execution.key]
        for key, answer in list(self._asked.values()):
            if key == execution.key:
                _refuse(answer, key)
        if _runs_on(execution):
            self._say_done(execution.key, outcome, execution.threads.stacks())
            self._tell_end(execution)
        else:
            execution.threads.close()
            self._say_done(execution.key, outcome, None)
        if self._wheel is not None:
            self._wheel.end()

    def _tell_end(self, execution: Execution) -> None:
        """Tell when nothing of an execution runs on any more."""
        told = False

        def look() -> None:
            nonlocal told
            if not told and not _runs_on(execution):
                told = True
                execution.threads.close()
                self._watch.let_go(execution.key)
                self._say(["ended", *execution.key])

        execution.threads.when_idle(lambda: self._loop.call_soon_threadsafe(look))
        for task in execution.leftovers:
            task.add_done_callback(lambda _: look())

    def _tell_where(self, key: Key) -> None:
        """Tell that it has not ended, if that is so, though this loop had time for it."""
        execution = self._executions.get(key)
        self._say(["there", *key, execution.threads.stacks() if execution is not None else ""])

    def _say_done(self, key: Key, outcome: Outcome, stack: str | None) -> None:
        if stack is None:
            self._watch.let_go(key)
        self._say(["done", *key, outcome.verb, list(outcome.arguments), stack])

    def _answer(self, ask_id: int, value: Any, refusal: list[Any] | None) -> None:
        _, answer = self._asked.get(ask_id, (None, None))
        # Whoever asked may have given up just now, in another thread.
        if answer is None or not answer.set_running_or_notify_cancel():
            return
        if refusal is None:
            answer.set_result(value)
        else:
            code, message, detail, hint = refusal
            answer.set_exception(SQLSTATES.get(code, TenureError)(message, detail=detail, hint=hint))

    # -- the pipe --------------------------------------------------------------------------------------

    def _say(self, message: Message) -> None:
        """Say it with the next batch: whatever else happens in this turn of the loop comes along."""
        if not self._in_loop():
            self._loop.call_soon_threadsafe(self._say, message)
            return
        if not self._outbox:
            self._loop.call_soon(self.flush)
        self._outbox.append(message)

    def _in_loop(self) -> bool:
        # Not by the thread, for it may be another one in a moment.
        with contextlib.suppress(RuntimeError):
            return asyncio.get_running_loop() is self._loop
        return False

    def flush(self) -> None:
        """Send what has been said."""
        batch, self._outbox = self._outbox, []
        if not batch:
            return
        try:
            self._send(batch)
        except (TypeError, ValueError):
            for message in batch:
                self._send_alone(message)

    def _send_alone(self, message: Message) -> None:
        """One that holds what is no JSON, a fault of ours, must not take the others along."""
        try:
            self._send([message])
        except (TypeError, ValueError) as error:
            log.exception("a message to the supervisor is not sent: %r", message[:3])
            if message[0] == "done":
                outcome, stack = failure(error), message[-1]
                self._send([["done", *message[1:3], outcome.verb, list(outcome.arguments), stack]])


def _runs_on(execution: Execution) -> bool:
    return execution.threads.busy or not all(task.done() for task in execution.leftovers)


def _refuse(answer: concurrent.futures.Future[Any], key: Key) -> None:
    # In whatever thread: it may be refused twice, or have been given up.
    with contextlib.suppress(concurrent.futures.InvalidStateError):
        answer.set_exception(_ended(key))


def _ended(key: Key) -> RuntimeError:
    return RuntimeError(f"step {key[0]}: its execution has ended, ctx is of no use any more")
