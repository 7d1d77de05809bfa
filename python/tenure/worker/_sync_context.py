"""`ctx` of synchronous code, which runs in a thread or as the main thread of a process of its own."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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


class SyncContext(Facts):
    """One execution of a step, as its synchronous handler sees it: the methods of `Context`, not awaited.

    `step_id` stays the same over the attempts of this step, over crashes and sleeps, and can key an outside
    effect. A retry around its workflow or mount makes new steps with new ids, which do again what had
    completed: there, key effects by `run_id` and something of the input. `generation` rises with every
    execution: it is for systems that can refuse an older one.
    """

    def wait_cancelled(self, timeout: float | None = None) -> bool:
        """Wait until the handler is to stop, or for `timeout` seconds; answers whether it is.

        To sleep with open ears: ``if ctx.wait_cancelled(5): return``.
        """
        told = threading.Event()
        token = self._execution.token
        token.add(told.set)
        try:
            return told.wait(timeout)
        finally:
            token.forget(told.set)

    def checkpoint(self, key: str, value: object) -> Any:
        """Return what is recorded under `key`, after recording `value` if nothing was.

        `value` may be a function: it is called only when nothing is recorded. The first record stands, over
        attempts and crashes; one that two executions write is written by one of them.
        """
        _check.name("key", key)
        if callable(value):
            stored = self._ask("checkpoint", key, None)
            if stored is not None:
                return _json.decode(stored)
            value = value()
        text = record_text(value)
        return recorded(self._ask("checkpoint", key, text), text)

    def stage(self, key: str | Key[Any], value: object) -> None:
        """Stage a value for a key that the step's node provides, in place of an earlier one.

        It is published with all others when the step completes or is skipped, and dropped when this attempt
        fails. Sleeps and waits keep it. A handler that stages nothing publishes what it returns.
        """
        check_staged(self._ask("stage", key_name(key), output_text(value)))

    def staged(self, key: str | Key[Any]) -> Any:
        """Return what this attempt has staged for a key, None where that is nothing."""
        stored = self._ask("staged", key_name(key))
        return None if stored is None else _json.decode(stored)

    def start_child(
        self, step: str | Step[Any], input: object = NO_INPUT, **options: Unpack[EnqueueOptions]
    ) -> int:
        """Create a step in the run of this one; returns its id.

        What this step stands in waits for it, and it is cancelled with the run. A step given as its handler
        brings its policy.
        """
        started: int = self._ask("start_child", *child(step, input, options))
        return started

    def sleep(self, duration: Duration, key: str | None = None) -> None:
        """Sleep without a worker: the handler is invoked again from its start, and passes here at once.

        Sleeps are told apart by `key`, by default the number of the sleep in this execution, so a handler
        that sleeps in another order each time names its sleeps.
        """
        self._execution.waits.sleep(duration, key)

    def wait_signal(self, name: str, timeout: Duration | None = None, key: str | None = None) -> Any:
        """Wait without a worker for a signal to the run; returns its payload.

        TimeoutError when it did not come in time; that is recorded too, and comes again at the same place.
        Waits are told apart as sleeps are, for each signal name by itself.
        """
        return self._execution.waits.signal(name, timeout, key)

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Connection[Any]]:
        """Lend a connection whose changes commit together with the step's completion, or not at all.

        The worker commits after the last hook has returned. An error that leaves the block undoes what the
        block did; an error that leaves the handler, a sleep, or any verdict but `completed` undoes it all.
        A later block of the same execution goes on in the same transaction.
        """
        with self._execution.sync_transaction().block() as conn:
            yield conn

    @contextmanager
    def cleanup(self) -> Iterator[Cleanup]:
        """Clean up in this block: a process is not interrupted in it before its time is over.

        That time is the rest of the reserve, which all cleanup of the execution shares. A thread is never
        interrupted: it is to look at `remaining()`.
        """
        self._execution.shield()
        try:
            yield Cleanup(self._execution)
        finally:
            self._execution.unshield()

    def _ask(self, verb: str, *arguments: Any) -> Any:
        answer = self._execution.host.ask(self._claimed, verb, *arguments)
        # Whoever is dropped while the database does not answer is not to wait on for it.
        with self._execution.at_drop(answer.cancel):
            try:
                return answer.result()
            except concurrent.futures.CancelledError:
                raise asyncio.CancelledError("dropped while the database had not answered") from None
