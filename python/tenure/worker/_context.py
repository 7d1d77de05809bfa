"""`ctx` of asynchronous code."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Unpack

import psycopg

from tenure import _check, _json
from tenure._durations import Duration
from tenure._options import NO_INPUT, EnqueueOptions
from tenure.worker._children import child
from tenure.worker._facts import Cleanup, Facts, check_staged, key_name, output_text, record_text, recorded

if TYPE_CHECKING:
    from tenure.registry import Step
    from tenure.workflow import Key


class Context(Facts):
    """One execution of a step, as its asynchronous handler sees it.

    `step_id` stays the same over the attempts of this step, over crashes and sleeps, and can key an outside
    effect. A retry around its workflow or mount makes new steps with new ids, which do again what had
    completed: there, key effects by `run_id` and something of the input. `generation` rises with every
    execution: it is for systems that can refuse an older one.
    """

    async def wait_cancelled(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - as Event.wait
        """Wait until the handler is to stop, or for `timeout` seconds; answers whether it is."""
        loop, told = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(told.set)

        token = self._execution.token
        token.add(tell)
        try:
            async with asyncio.timeout(timeout):
                await told.wait()
        except TimeoutError:
            pass
        finally:
            token.forget(tell)
        return self.cancelled

    async def checkpoint(self, key: str, value: object) -> Any:
        """Return what is recorded under `key`, after recording `value` if nothing was.

        `value` may be a function, plain or async: it is called only when nothing is recorded. The first
        record stands, over attempts and crashes; one that two executions write is written by one of them.
        """
        _check.name("key", key)
        if not callable(value):
            return await self._record(key, value)
        stored = await self._ask("checkpoint", key, None)
        if stored is not None:
            return _json.decode(stored)
        made = value()
        return await self._record(key, await made if inspect.isawaitable(made) else made)

    async def stage(self, key: str | Key[Any], value: object) -> None:
        """Stage a value for a key that the step's node provides, in place of an earlier one.

        It is published with all others when the step completes or is skipped, and dropped when this attempt
        fails. Sleeps and waits keep it. A handler that stages nothing publishes what it returns.
        """
        check_staged(await self._ask("stage", key_name(key), output_text(value)))

    async def staged(self, key: str | Key[Any]) -> Any:
        """Return what this attempt has staged for a key, None where that is nothing."""
        stored = await self._ask("staged", key_name(key))
        return None if stored is None else _json.decode(stored)

    async def start_child(
        self, step: str | Step[Any], input: object = NO_INPUT, **options: Unpack[EnqueueOptions]
    ) -> int:
        """Create a step in the run of this one; returns its id.

        What this step stands in waits for it, and it is cancelled with the run. A step given as its handler
        brings its policy.
        """
        started: int = await self._ask("start_child", *child(step, input, options))
        return started

    async def sleep(self, duration: Duration, key: str | None = None) -> None:
        """Sleep without a worker: the handler is invoked again from its start, and passes here at once.

        Sleeps are told apart by `key`, by default the number of the sleep in this execution, so a handler
        that sleeps in another order each time names its sleeps.
        """
        self._execution.waits.sleep(duration, key)

    async def wait_signal(
        self,
        name: str,
        timeout: Duration | None = None,  # noqa: ASYNC109 - the database's time, not the loop's
        key: str | None = None,
    ) -> Any:
        """Wait without a worker for a signal to the run; returns its payload.

        TimeoutError when it did not come in time; that is recorded too, and comes again at the same place.
        Waits are told apart as sleeps are, for each signal name by itself.
        """
        return self._execution.waits.signal(name, timeout, key)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """Lend a connection whose changes commit together with the step's completion, or not at all.

        The worker commits after the last hook has returned. An error that leaves the block undoes what the
        block did; an error that leaves the handler, a sleep, or any verdict but `completed` undoes it all.
        A later block of the same execution goes on in the same transaction.
        """
        async with self._execution.transaction().block() as conn:
            yield conn

    @asynccontextmanager
    async def cleanup(self) -> AsyncIterator[Cleanup]:
        """Clean up in this block: being cancelled waits until it ends, or until its time is over.

        That time is the rest of the reserve, which all cleanup of the execution shares. At its end the block
        is interrupted where it waits and is not gone on with.
        """
        self._execution.shield()
        try:
            yield Cleanup(self._execution)
        finally:
            self._execution.unshield()

    async def _record(self, key: str, value: object) -> Any:
        text = record_text(value)
        return recorded(await self._ask("checkpoint", key, text), text)

    async def _ask(self, verb: str, *arguments: Any) -> Any:
        return await asyncio.wrap_future(self._execution.host.ask(self._claimed, verb, *arguments))
