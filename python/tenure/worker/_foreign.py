"""Calls functions of the application where they belong: in the loop, or in the delivery's own thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from tenure._hooks import Callee

if TYPE_CHECKING:
    from tenure.worker._context import Context
    from tenure.worker._execution import Execution
    from tenure.worker._sync_context import SyncContext


class Foreign:
    """The application's code, for one delivery.

    What is async runs in the loop. What is not runs there too when the handler is async, since it then shares
    its thread; and in the thread of a synchronous handler, one piece after another.
    """

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._threaded = execution.step.threaded
        self._running: asyncio.Future[Any] | None = None
        self.beside = False
        """The own thread does not come back, and its process will end: what is left runs beside it."""

    def context(self, callee: Callee) -> Context | SyncContext:
        """The `ctx` that this function gets."""
        threaded = self._threaded and not callee.asynchronous
        return self._execution.sync_context if threaded else self._execution.context

    async def call(self, callee: Callee, *arguments: Any, **named: Any) -> Any:
        """Call a function of the application on the way to its handler, or the handler.

        CancelledError when the delivery was dropped meanwhile, even if the function does not say so.
        """
        with self.own_errors(callee.name):
            if callee.manager:
                result = callee.function(*arguments, **named)
            elif callee.asynchronous:
                result = await callee.function(*arguments, **named)
            else:
                result = await self.run(partial(callee.function, *arguments, **named))
        if self._execution.over():
            raise asyncio.CancelledError("dropped")
        return result

    @contextmanager
    def own_errors(self, name: str) -> Iterator[None]:
        """Tell a GeneratorExit of foreign code's own from that of a closed loop: it is an error like any."""
        try:
            yield
        except GeneratorExit as error:
            if self._execution.leash.slack:
                raise
            raise RuntimeError(f"{name!r} raised GeneratorExit") from error

    async def run(self, function: Callable[[], Any]) -> Any:
        """Call a synchronous function, and wait for it."""
        if not self._threaded:
            return function()
        threads = self._execution.threads
        running = self._running = threads.aside(function) if self.beside else threads.run(function)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # Nothing takes a function out of its thread. What follows is not to run beside it, nor before.
            await asyncio.wait({running})
            if not running.cancelled() and (error := running.exception()) is not None:
                raise error from None
            raise

    @property
    def busy(self) -> bool:
        """Whether the own thread has not come back."""
        return self._running is not None and not self._running.done()

    async def idle(self) -> None:
        """Wait until it has."""
        if self._running is not None:
            await asyncio.wait({self._running})
