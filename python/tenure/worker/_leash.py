"""Foreign coroutines that can be let go of: a cancellation can be swallowed, this cannot."""

from __future__ import annotations

import asyncio
import logging
import types
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

log = logging.getLogger(__name__)

WAYS_OUT = 10
"""How often a coroutine is told so that waits once more on its way out: as many blocks may be left so."""

T = TypeVar("T")


class LetGo(BaseException):
    """Raised where a coroutine waits that is not gone on with, so that its `finally` blocks run.

    Like the GeneratorExit of a closed coroutine, and caught by nobody who catches CancelledError. But to
    close one that waits inside an asynchronous generator, a context manager's say, leaves that as it is.
    """


class Leash:
    """Drives a coroutine step by step, until it ends or is let go of.

    `asyncio` can only ask a task to stop. Whoever drives its coroutine can do more: not go on with it.
    """

    __slots__ = ("slack",)

    def __init__(self) -> None:
        self.slack = False
        """The coroutine is not gone on with."""

    def let_go(self, task: asyncio.Task[Any]) -> None:
        """Never resume the coroutine again: CancelledError is raised where it is driven, in `task`."""
        self.slack = True
        task.cancel()

    @types.coroutine
    def drive(self, coroutine: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
        """Await the coroutine."""
        send, throw = coroutine.send, coroutine.throw
        error: BaseException | None = None
        value: Any = None
        while True:
            try:
                awaited = send(value) if error is None else throw(error)
            except StopIteration as stop:
                result: T = stop.value
                return result
            value = error = None
            if asyncio.isfuture(awaited) and type(awaited) is not asyncio.Future:
                awaited = _StandIn(awaited, self)
            try:
                value = yield awaited
            except BaseException as thrown:
                # The driver itself may be closed, too.
                if self.slack or isinstance(thrown, GeneratorExit):
                    self.slack = True
                    _unwind(coroutine)
                    raise
                error = thrown


class _StandIn(asyncio.Future[None]):
    """Waits for a future that may be long in being cancelled, such as a task that swallows that.

    It passes a cancellation on, as whoever awaits the future itself does; but once its leash is slack, it
    waits no more.
    """

    def __init__(self, awaited: asyncio.Future[Any], leash: Leash) -> None:
        super().__init__(loop=awaited.get_loop())
        self._awaited = awaited
        self._leash = leash
        # By this an awaited future tells a task from a generator: said to us, and said on.
        awaited._asyncio_future_blocking = False
        self._asyncio_future_blocking = True
        awaited.add_done_callback(self._wake)

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel what is awaited, or the wait."""
        if self._leash.slack:
            self._awaited.remove_done_callback(self._wake)
            return super().cancel(msg)
        return not self.done() and self._awaited.cancel(msg)

    def _wake(self, _: asyncio.Future[Any]) -> None:
        if not self.done():
            self.set_result(None)


def _unwind(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Let each of its `finally` blocks run as far as it goes without waiting; what it raises is only told.

    One that would wait is told again where it waits. Else it would stay so, with the locks that it holds.
    """
    for _ in range(WAYS_OUT):
        try:
            coroutine.throw(LetGo())
        except (LetGo, StopIteration):
            return
        except BaseException as error:  # noqa: BLE001 - foreign code
            log.warning("a coroutine that was let go of has raised %r", error)
            return
    log.warning("a coroutine that was let go of has waited %d times more, and is left there", WAYS_OUT)


async def within(coroutine: Coroutine[Any, Any, T], end: float) -> T:
    """Await it until `end`, an instant of the loop; then interrupt it, and do not wait for what it does then.

    It runs until it waits for the first time, even when the end has passed. TimeoutError when it was cut off.
    """
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("there is no task to interrupt")
    leash, cut = Leash(), False

    def interrupt() -> None:
        nonlocal cut
        cut = True
        leash.let_go(task)

    timer = asyncio.get_running_loop().call_at(end, interrupt)
    try:
        return await leash.drive(coroutine)
    except asyncio.CancelledError:
        if not cut:
            raise
        task.uncancel()
        raise TimeoutError("it was interrupted at the end of the time for cleanup") from None
    finally:
        timer.cancel()
