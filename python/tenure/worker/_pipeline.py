"""The way of a delivery: hooks, guards, arguments, the handler, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tenure._hooks import Hook
from tenure._once import once
from tenure._resources import MISSING, Opened, Source, TheContext, TheKey
from tenure.errors import ArgumentInvalid
from tenure.worker._execution import Execution
from tenure.worker._foreign import Foreign
from tenure.worker._leash import LetGo
from tenure.worker._outcome import Outcome, not_storable
from tenure.worker._verdict import outcome_of
from tenure.worker._waits import Suspended


class Pipeline:
    """One delivery through the application's code.

    Hooks are entered in order, then guards are asked, then the input is read and resources are opened, then
    the handler is called. The way back is the same in reverse, whatever happened.
    """

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._step = execution.step
        self._hooks = execution.step.hooks.around
        self._ledger = execution.ledger
        self._opened: dict[Callable[..., Any], Any] = {}
        self._hopeless = False
        self.foreign = Foreign(execution)
        self.errors: list[BaseException] = []
        """What was raised on the way, the innermost first; without what only stops or suspends."""

    async def run(self) -> Any:
        """Go all the way; returns what the handler returned, or what a hook made of it."""
        return await (self._level(0) if self._hooks else self._handle())

    def note(self, error: BaseException) -> None:
        """Keep an error, once."""
        if not _only_unwinds(error) and not any(known is error for known in self.errors):
            self.errors.append(error)

    def failure(self) -> Outcome:
        """What the errors come to."""
        return outcome_of(self.errors, hopeless=self._hopeless)

    def output(self, value: Any) -> Outcome:
        """What a success comes to."""
        try:
            return Outcome("complete", (self._step.encode_output(value),))
        except BaseException as error:  # noqa: BLE001 - a value of foreign code may raise anything when looked at
            return not_storable(error)

    # -- hooks -----------------------------------------------------------------------------------------

    async def _level(self, depth: int) -> Any:
        """Through the hook of this depth, to the next."""
        if depth == len(self._hooks):
            return await self._handle()
        hook = self._hooks[depth]
        within = self._block if hook.form == "block" else self._around
        return await within(hook, depth + 1)

    async def _block(self, hook: Hook, inner: int) -> Any:
        mark = len(self._ledger)
        manager = hook.callee.function(self.foreign.context(hook.callee))
        await self._enter(hook.callee.name, manager)
        return await self._back_to(mark, self._level(inner))

    async def _around(self, hook: Hook, inner: int) -> Any:
        before = len(self.errors)
        ended = begun = returned = False
        task: asyncio.Task[Any] | None = None

        async def further() -> Any:
            nonlocal ended, task
            if returned:
                raise RuntimeError(f"the hook {hook.callee.name!r} called next after it had returned")
            task = asyncio.current_task()
            self._execution.tasks.add(task)
            try:
                return await self._level(inner)
            finally:
                ended = True

        def begin() -> Any:
            nonlocal begun
            begun = True
            return further()

        next_once = once(begin, hook.callee.name)
        try:
            result = await self._call(hook.callee, self._execution.context, next_once)
        except LetGo:
            raise
        except BaseException as error:
            self.note(error)
            raise
        finally:
            returned = True
            if task is not None and not ended and task is not asyncio.current_task():
                # It has left what is inside to a task of its own, where nobody waits for it.
                task.cancel()
        if len(self.errors) > before:
            # The hook has swallowed it, and hooks do not decide whether a step is tried again.
            raise self.errors[-1]
        if begun and not ended:
            raise self._noted(RuntimeError(f"the hook {hook.callee.name!r} did not await next()"))
        return result

    # -- the handler -----------------------------------------------------------------------------------

    async def _handle(self) -> Any:
        step = self._step
        for guard in step.hooks.guards:
            try:
                await self._call(guard, self.foreign.context(guard))
            except Exception as error:
                self.note(error)
                raise
        return await self._back_to(len(self._ledger), self._invoke())

    async def _invoke(self) -> Any:
        step = self._step
        named: dict[str, Any] = {}
        try:
            value = self._read(step.read_input, self._execution.claimed.input_text)
            for name, source in step.injected:
                named[name] = await self._value(source)
            return await self._call(step.callee, self.foreign.context(step.callee), value, **named)
        finally:
            self._ledger.leaving = True

    async def _back_to(self, mark: int, inner: Any) -> Any:
        """Go further in, and leave on the way back what was entered since `mark`."""
        error: BaseException | None = None
        result = None
        try:
            result = await inner
        except LetGo:
            raise
        except BaseException as caught:  # noqa: BLE001 - raised again below, when all is left
            error = caught
            self.note(error)
        if len(self._ledger) > mark:
            error = await self._ledger.back_to(mark, error, self.note)
        if error is not None:
            raise error
        return result

    async def _call(self, callee: Any, *arguments: Any, **named: Any) -> Any:
        return await self.foreign.call(callee, *arguments, **named)

    # -- what is injected ------------------------------------------------------------------------------

    async def _value(self, source: Source) -> Any:
        match source:
            case TheContext():
                raise TypeError("only resources take ctx by name")
            case TheKey():
                return self._read(self._key, source)
            case Opened():
                if source.opener not in self._opened:
                    self._opened[source.opener] = await self._open(source)
                return self._opened[source.opener]

    async def _open(self, source: Opened) -> Any:
        named = {}
        for name, need in source.needs:
            context = self.foreign.context(source.callee)
            named[name] = context if isinstance(need, TheContext) else await self._value(need)
        made = await self._call(source.callee, **named)
        return await self._enter(source.callee.name, made)

    def _key(self, source: TheKey) -> Any:
        keys = self._execution.context.keys
        if source.name in keys:
            return source.read(keys[source.name], source.name)
        if source.default is MISSING:
            raise ArgumentInvalid(f"the step has no key {source.name!r}", detail="its handler needs it")
        return source.default

    def _read(self, read: Callable[..., Any], *arguments: Any) -> Any:
        """Read what was stored; what does not fit will not fit at the next attempt either."""
        try:
            return read(*arguments)
        except Exception:
            self._hopeless = True
            raise

    # -- entering --------------------------------------------------------------------------------------

    async def _enter(self, name: str, made: Any) -> Any:
        """Enter a context manager and note how to leave it; anything else is its own value."""
        kind = type(made)
        sync = hasattr(kind, "__enter__") and hasattr(kind, "__exit__")
        awaited = hasattr(kind, "__aenter__") and hasattr(kind, "__aexit__")
        if awaited and not (sync and self._step.threaded):
            with self.foreign.own_errors(name):
                value = await made.__aenter__()
            self._ledger.enter(name, lambda error: self._exit_async(name, made, error))
            return value
        if sync:
            with self.foreign.own_errors(name):
                return await self.foreign.run(lambda: self._enter_sync(name, made))
        return made

    def _enter_sync(self, name: str, made: Any) -> Any:
        value = made.__enter__()
        # Here, where it was entered: should nobody wait for this thread any more, it is left all the same.
        self._ledger.enter(name, lambda error: self._exit_sync(name, made, error))
        return value

    async def _exit_sync(self, name: str, made: Any, error: BaseException | None) -> None:
        with self.foreign.own_errors(name):
            await self.foreign.run(lambda: _exit(made, error))

    async def _exit_async(self, name: str, made: Any, error: BaseException | None) -> None:
        with self.foreign.own_errors(name):
            await made.__aexit__(*_about(error))

    def _noted(self, error: BaseException) -> BaseException:
        self.note(error)
        return error


def _exit(made: Any, error: BaseException | None) -> None:
    made.__exit__(*_about(error))


def _about(error: BaseException | None) -> tuple[Any, Any, Any]:
    return (None, None, None) if error is None else (type(error), error, error.__traceback__)


def _only_unwinds(error: BaseException) -> bool:
    """Whether this only stops or suspends the handler, by itself or as a task group wraps it."""
    if isinstance(error, BaseExceptionGroup):
        return all(_only_unwinds(member) for member in error.exceptions)
    return isinstance(error, Suspended | asyncio.CancelledError)
