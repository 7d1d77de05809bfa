"""The handler process at work: it starts executions, stops them, and tells how they ended."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from tenure._rows import Claimed
from tenure.errors import SQLSTATES, TenureError
from tenure.registry import Step
from tenure.worker._claimed import from_wire
from tenure.worker._deliver import deliver
from tenure.worker._execution import Execution
from tenure.worker._leases import Key
from tenure.worker._limits import Limits
from tenure.worker._outcome import RELEASE, Outcome
from tenure.worker._token import Reason
from tenure.worker._wire import Message

log = logging.getLogger(__name__)


class Host:
    """Runs handlers, each in a task of this process's one loop."""

    def __init__(
        self, steps: Mapping[str, Step[Any]], *, dsn: str, owner: str, send: Callable[[list[Message]], None]
    ) -> None:
        """`send` passes a batch to the supervisor."""
        self._steps = steps
        self._dsn = dsn
        self._owner = owner
        self._send = send
        self._outbox: list[Message] = []
        self._executions: dict[Key, Execution] = {}
        self._limits = Limits()
        # Not from 1: an answer to the process before this one may come late.
        self._asks = itertools.count(time.monotonic_ns())
        self._asked: dict[int, asyncio.Future[str | None]] = {}
        self.quit = asyncio.Event()
        """The supervisor wants this process to end, or is gone."""

    def receive(self, messages: list[Message]) -> None:
        """Do what the supervisor says."""
        for message in messages:
            match message:
                case ["start", fields]:
                    self._start(*from_wire(fields))
                case ["cancel", step_id, generation, reason]:
                    if execution := self._executions.get((step_id, generation)):
                        execution.stop(reason)
                case ["answer", ask_id, value, refusal]:
                    self._answer(ask_id, value, refusal)
                case ["quit"]:
                    self.quit.set()
                case _:
                    raise ValueError(f"the supervisor says {message!r:.200}")

    def stop_all(self, reason: Reason) -> None:
        """Stop whatever runs."""
        for execution in list(self._executions.values()):
            execution.stop(reason)

    async def wind_up(self, limit: float) -> bool:
        """Wait for what was stopped, at most `limit` seconds; whether all of it has ended."""
        tasks = [execution.task for execution in self._executions.values() if execution.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=limit)
        return not self._executions

    def progress(self, claimed: Claimed, text: str) -> None:
        """Pass on progress."""
        self._say(["progress", claimed.step_id, claimed.generation, text])

    async def checkpoint(self, claimed: Claimed, key: str, value: str | None) -> str | None:
        """Ask the database through the supervisor, which has the connections."""
        ask_id = next(self._asks)
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._asked[ask_id] = answer
        self._say(["ask", ask_id, claimed.step_id, claimed.generation, key, value])
        try:
            return await answer
        finally:
            del self._asked[ask_id]

    def _start(self, claimed: Claimed, limit_at: float | None) -> None:
        execution = Execution(claimed, limit_at, host=self, dsn=self._dsn, owner=self._owner)
        self._executions[execution.key] = execution
        execution.task = asyncio.create_task(self._run(execution), name=f"step {claimed.step_id}")
        self._limits.watch(execution)

    async def _run(self, execution: Execution) -> None:
        step = self._steps.get(execution.claimed.name)
        # A name that an earlier process of this worker had, and this one has not any more.
        outcome = RELEASE if step is None else await deliver(step, execution)
        execution.ended = True
        del self._executions[execution.key]
        self._say_done(execution, outcome)

    def _say_done(self, execution: Execution, outcome: Outcome) -> None:
        self._say(["done", *execution.key, outcome.verb, list(outcome.arguments)])

    def _answer(self, ask_id: int, value: str | None, refusal: list[Any] | None) -> None:
        answer = self._asked.get(ask_id)
        if answer is None or answer.done():
            return
        if refusal is None:
            answer.set_result(value)
        else:
            code, message, detail, hint = refusal
            answer.set_exception(SQLSTATES.get(code, TenureError)(message, detail=detail, hint=hint))

    def _say(self, message: Message) -> None:
        """Say it with the next batch: whatever else happens in this turn of the loop comes along."""
        if not self._outbox:
            asyncio.get_running_loop().call_soon(self.flush)
        self._outbox.append(message)

    def flush(self) -> None:
        """Send what has been said."""
        batch, self._outbox = self._outbox, []
        if batch:
            self._send(batch)
