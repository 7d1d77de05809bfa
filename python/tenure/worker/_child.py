"""A handler process's own start and end."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import math
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from types import FrameType
from typing import Any

from tenure import _json
from tenure._once import once
from tenure.app import App
from tenure.worker._budget import RESERVE_MOST
from tenure.worker._exit import leave
from tenure.worker._groups import adopt_orphans, end_with, signal_group
from tenure.worker._host import Host
from tenure.worker._logging import set_up
from tenure.worker._pool import Pool
from tenure.worker._threads import MainLane
from tenure.worker._watch import Watch
from tenure.worker._wheel import Wheel, turn
from tenure.worker._wire import GarbledError, Message, Unpacker, pack

log = logging.getLogger(__name__)

_CHUNK = 1 << 18

_LONGEST_WAIT = 3600.0
"""Seconds for which it waits at once: the system call takes no more than some weeks."""

ORPHAN_GRACE = 0.8
"""Seconds for handlers to clean up when the supervisor is gone: nobody renews their leases any more.

Less than the second after which the kernel ends this process."""

WorkerHook = Callable[[Callable[[], Awaitable[None]]], Awaitable[None]]


def main(fd: int, parent: int) -> None:
    """Serve the supervisor, process `parent`, at the other end of the socket `fd` until it says quit."""
    end_with(parent)
    pipe = Pipe(fd)
    begin = pipe.first()
    _leave_signals_to_the_supervisor()
    wheel = None
    if begin["role"] == "slot":
        adopt_orphans()
        wheel = Wheel(MainLane())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})
    try:
        # Foreign code: whatever it raises must reach a person.
        app = load(begin["app"])
    except Exception as error:
        pipe.send([["broken", f"cannot load {begin['app']}: {_sentence(error)}"]])
        raise SystemExit(1) from error
    if begin["logs"]:
        # Only now: the application comes first.
        set_up()
    if wheel is None:
        with asyncio.Runner() as runner:
            turn(runner.get_loop(), _serve(app, begin, pipe, None), lambda loop: loop.run_forever())
    else:
        _serve_beside(wheel, app, begin, pipe)
    leave(0)


def load(reference: str) -> App:
    """Import the application named `module:attribute`."""
    module, _, attribute = reference.partition(":")
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    if not isinstance(found, App):
        raise TypeError(f"{reference} is a {type(found).__name__}, not a tenure.App")
    return found


def _leave_signals_to_the_supervisor() -> None:
    """Do nothing on a signal that is meant for all: the supervisor gets it too, and says what is to be done.

    A handler that does nothing, and not SIG_IGN: programs that handlers start inherit the latter.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _nothing)
    os.register_at_fork(after_in_child=_end_on_signals)


def _end_on_signals() -> None:
    """In what handlers fork: whoever ends a process of `multiprocessing` does it by SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _nothing(number: int, frame: FrameType | None) -> None:
    """Leave it to the supervisor."""


def _serve_beside(wheel: Wheel, app: App, begin: dict[str, Any], pipe: Pipe) -> None:
    """Run the loop in a thread, so that the main thread is free for handlers: signals reach it alone."""
    lane = wheel.lane

    def loop() -> None:
        try:
            wheel.run(_serve(app, begin, pipe, wheel))
        finally:
            lane.close()

    thread = threading.Thread(target=loop, name="loop", daemon=True)
    thread.start()
    lane.serve()
    thread.join()


class Pipe:
    """The child's end of the socket: a thread reads, the loop writes."""

    def __init__(self, fd: int) -> None:
        # What handlers start must not hold it open: its end is how the other side learns of ours.
        os.set_inheritable(fd, False)  # noqa: FBT003 - its own signature
        self._end = socket.socket(fileno=fd)
        os.register_at_fork(after_in_child=self._end.close)
        self._unpacker = Unpacker()
        self._early: list[Message] = []

    def first(self) -> dict[str, Any]:
        """Wait for the first message, `begin`."""
        while not self._early:
            data = self._end.recv(_CHUNK)
            if not data:
                raise SystemExit(1)
            self._early = self._unpacker.feed(data)
        begin: dict[str, Any] = self._early.pop(0)[1]
        return begin

    def send(self, messages: list[Message]) -> None:
        """Write a batch.

        This may block for a moment only: the supervisor runs no foreign code and always reads.
        """
        try:
            self._end.sendall(pack(messages))
        except OSError:
            # It is gone: the reading thread sees it too, and ends this process.
            return

    def read(self, receive: Callable[[list[Message]], None], gone: Callable[[], None], watch: Watch) -> None:
        """Read until the other end closes, and miss what should have come.

        In a thread of its own, so that a process whose loop is blocked does not outlive its supervisor.
        """
        receive(self._early)
        try:
            while True:
                # All that was said comes first, however late this thread is.
                if not self._readable(watch.rest(time.monotonic())):
                    receive(watch.look(time.monotonic()))
                    continue
                if not (data := self._end.recv(_CHUNK)):
                    break
                if messages := self._unpacker.feed(data):
                    receive(messages)
        except (OSError, GarbledError):
            # As good as closed: a handler may have read from it.
            pass
        gone()

    def _readable(self, seconds: float | None) -> bool:
        """Wait for something to read. A limit of the socket itself would hold for writing, too."""
        poll = select.poll()
        poll.register(self._end, select.POLLIN)
        return bool(poll.poll(None if seconds is None else math.ceil(min(seconds, _LONGEST_WAIT) * 1000)))


async def _serve(app: App, begin: dict[str, Any], pipe: Pipe, wheel: Wheel | None) -> None:
    # What its handlers enqueue goes to the database that the worker serves, whatever the module says.
    app.dsn = begin["dsn"]
    # A handler that shares its process is told that its lease is lost, and no more: others run beside it.
    watch = Watch(expired=_let_be if wheel is None else _end_group)
    host = Host(app.steps, dsn=begin["dsn"], owner=begin["owner"], send=pipe.send, watch=watch, wheel=wheel)
    loop = asyncio.get_running_loop()
    loop.set_default_executor(Pool())
    left, orphaned = threading.Event(), threading.Event()

    def gone() -> None:
        if left.is_set():
            return
        orphaned.set()
        until = time.monotonic() + ORPHAN_GRACE
        host.warn_all("lease_lost")
        # The loop may be closed already; then there is nothing to stop.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(host.stop_all, "lease_lost", until)
            loop.call_soon_threadsafe(host.leave, until)
        left.wait(ORPHAN_GRACE)
        # Also when the loop is blocked: a body without a lease must not go on, nor what it has started.
        _end_group()

    def receive(messages: list[Message]) -> None:
        if not left.is_set():
            host.forewarn(messages)
            loop.call_soon_threadsafe(host.receive, messages)

    threading.Thread(target=pipe.read, args=(receive, gone, watch), name="pipe", daemon=True).start()

    async def serve() -> None:
        pipe.send([["ready", sorted(app.steps)]])
        try:
            await host.quit.wait()
        except asyncio.CancelledError:
            # Nobody of ours does that: a handler has cancelled all that runs in the loop. Its neighbours are
            # not to answer for that with an attempt, as they would in a moment.
            log.critical("process %d ends: all tasks of its loop were cancelled", os.getpid())
            os._exit(1)
        host.stop_all("shutdown", host.quit_at)
        await host.wind_up()
        host.flush()

    try:
        await _within(app.worker_hooks, serve)
    except Exception as error:  # noqa: BLE001 - foreign code: before `ready` whatever it raises must reach a person
        pipe.send([["broken", f"a hook around the worker failed: {_sentence(error)}"]])
    left.set()
    if orphaned.is_set():
        # Nobody else is there to end what handlers have started.
        _end_group()
    if host.busy or not await _tasks_end():
        # What will not stop: asyncio would wait for it for ever.
        os._exit(0)


async def _tasks_end() -> bool:
    """Cancel what handlers have left behind in the loop; whether that ends soon."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=RESERVE_MOST)
    return all(task.done() for task in left)


def _end_group() -> None:
    """End this process and what its handlers have started, now."""
    signal_group(os.getpid(), signal.SIGKILL)


def _let_be() -> None:
    """Do nothing."""


async def _within(hooks: Sequence[WorkerHook], serve: Callable[[], Awaitable[None]]) -> None:
    """Serve inside the hooks, the first of them outermost."""
    if not hooks:
        await serve()
        return
    hook, name = hooks[0], getattr(hooks[0], "__name__", repr(hooks[0]))
    served = False

    async def inner() -> None:
        nonlocal served
        served = True
        await _within(hooks[1:], serve)

    await hook(once(inner, name))
    if not served:
        raise RuntimeError(f"{name!r} did not await next()")


def _sentence(error: BaseException) -> str:
    document = _json.error_document(error)
    return f"{document['type']}: {document['message']}"
