"""Where synchronous code of a delivery runs, and whether it still does."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import tenure
from tenure.worker._pool import CURRENT

T = TypeVar("T")

STACK_CHARACTERS = 4000
"""What is kept of a stack, its innermost part."""


TRIES = 5
"""How often a signal is sent at most: one that comes just before a system call begins does not end it."""

HEARD = 0.001
"""Seconds after which one that was heard has raised."""


class Place:
    """Where something runs."""

    def __init__(self) -> None:
        self.thread: int | None = None
        """The number of the thread; None: it has not begun."""


class Lane(Place):
    """Runs what it is given, one piece after another, in the thread that serves it."""

    def __init__(self) -> None:
        super().__init__()
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()

    def submit(self, function: Callable[[], T]) -> concurrent.futures.Future[T]:
        """Run it after what was given before."""
        future: concurrent.futures.Future[T] = concurrent.futures.Future()
        context = contextvars.copy_context()
        self._work.put(lambda: _fulfil(future, lambda: context.run(function)))
        return future

    def serve(self) -> None:
        """Run what comes, in this thread, until closed."""
        self.thread = threading.get_ident()
        while (work := self._work.get()) is not None:
            work()

    def close(self) -> None:
        """End `serve` after what was given before."""
        self._work.put(None)

    def interrupt(self) -> bool:
        """Interrupt what it runs, where that is possible: not in a thread."""
        return False


class MainLane(Lane):
    """A lane that the main thread of a process serves: what it runs can be interrupted by a signal.

    It raises CancelledError in foreign code, and only there; one that blocks in a system call leaves that.
    """

    def __init__(self) -> None:
        super().__init__()
        self._inside = False
        self._lent = False
        self._asked = False
        self.interrupted: asyncio.Task[Any] | None = None
        """The task of a loop in which it was, since `reset`."""

    def submit(self, function: Callable[[], T]) -> concurrent.futures.Future[T]:
        return super().submit(lambda: self._enter(function))

    def lend(self, run: Callable[[], None]) -> concurrent.futures.Future[None]:
        """Run a loop: of that, what a delivery does can be interrupted."""
        return super().submit(lambda: self._run(run))

    def interrupt(self) -> bool:
        if not (self._inside or self._lent) or self.thread is None:
            return False
        self._asked = True
        for _ in range(TRIES):
            # To the thread, not to the process: the kernel would be free to give it to another one.
            signal.pthread_kill(self.thread, signal.SIGTERM)
            time.sleep(HEARD)
            if not (self._asked and (self._inside or self._lent)):
                break
        return True

    def reset(self) -> None:
        """Another delivery begins: what was asked for in vain is not for that."""
        self._asked = False
        self.interrupted = None

    def _enter(self, function: Callable[[], T]) -> T:
        self._listen()
        self._inside = True
        try:
            return function()
        finally:
            self._inside = False

    def _run(self, run: Callable[[], None]) -> None:
        self._listen()
        self._lent = True
        try:
            run()
        finally:
            self._lent = False

    def _listen(self) -> None:
        self._asked = False
        # Anew each time: what ran here before may have set another handler, or blocked the signal.
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def _on_signal(self, _number: int, frame: FrameType | None) -> None:
        """Raise where it was asked for; a signal from elsewhere is for the supervisor, which gets it too."""
        if self._asked and (self._inside or (self._lent and _delivers() and _in_foreign_callback(frame))):
            self._asked = False
            self.interrupted = _task_at_work()
            raise asyncio.CancelledError


_OURS = tuple(f"{Path(file).parent}{os.sep}" for file in (asyncio.__file__, tenure.__file__) if file)

_CALLBACK = asyncio.Handle._run.__code__
"""What calls each task and callback of a loop."""


def _delivers() -> bool:
    """Whether what is at work belongs to a delivery that has not ended."""
    execution = CURRENT.get()
    return execution is not None and not execution.ended


def _in_foreign_callback(frame: FrameType | None) -> bool:
    """Whether a loop is kept by foreign code, itself or by what it calls; it may just be waiting."""
    foreign = False
    while frame is not None and frame.f_code is not _CALLBACK:
        foreign = foreign or not frame.f_code.co_filename.startswith(_OURS)
        frame = frame.f_back
    return foreign and frame is not None


def _task_at_work() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        # No loop: a synchronous handler.
        return None


def _fulfil(future: concurrent.futures.Future[T], function: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = function()
    except StopIteration as error:
        # No future of asyncio takes it: whoever awaited it would wait for ever.
        wrapped = RuntimeError("the function raised StopIteration")
        wrapped.__cause__ = error
        future.set_exception(wrapped)
    except BaseException as error:  # noqa: BLE001 - foreign code; it is raised where it is awaited
        future.set_exception(error)
    else:
        future.set_result(result)


class Threads:
    """The threads of one delivery.

    They are daemons: one that never ends holds its slot, and its process can leave all the same.
    """

    def __init__(self, name: str, own: Lane | None = None) -> None:
        """`own` is a lane that somebody else serves: the main thread of a process for one handler."""
        self._name = name
        self._own = own
        self._made_own = False
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None
        self._open: dict[concurrent.futures.Future[Any], Place] = {}

    def run(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Run it in the delivery's own thread, the same one each time.

        To cancel the future gives up waiting, and no more: what has begun runs on.
        """
        if self._own is None:
            self._own, self._made_own = self._start(self._name), True
        return self._submit(self._own, function)

    def aside(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Run it in a thread made for it: the own one may be busy with what would not stop."""
        lane = self._start(f"{self._name} aside")
        future = self._submit(lane, function)
        lane.close()
        return future

    def pooled(self, function: Callable[[], T]) -> concurrent.futures.Future[T]:
        """Run it in one of a few more threads, made when needed; RuntimeError after `close_pool`."""
        if self._pool is None:
            self._pool = concurrent.futures.ThreadPoolExecutor(thread_name_prefix=self._name)
        place = Place()

        def run() -> T:
            place.thread = threading.get_ident()
            return function()

        future = self._pool.submit(run)
        self._open[future] = place
        # There may be thousands at a time.
        future.add_done_callback(lambda ended: self._open.pop(ended, None))
        return future

    def close_pool(self) -> None:
        """Have nothing begin there any more; what has begun runs on."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def interruptible(self) -> bool:
        """Whether its own thread can be interrupted, and ended with its process."""
        return isinstance(self._own, MainLane)

    def interrupt(self) -> bool:
        """Interrupt what its own thread runs, where that is possible; answers whether it was."""
        return self._own is not None and self._own.interrupt()

    @property
    def main(self) -> MainLane | None:
        """Its own thread, where that is the main one of a process."""
        return self._own if isinstance(self._own, MainLane) else None

    def close(self) -> None:
        """The delivery is over: its own thread ends when it has nothing left to run."""
        if self._own is not None and self._made_own:
            self._own.close()

    @property
    def busy(self) -> bool:
        """Whether foreign code still runs in one of its threads."""
        return any(not future.done() for future in self._open.copy())

    def stacks(self) -> str:
        """Where the threads are that still run foreign code."""
        frames = sys._current_frames()
        busy = {place.thread for future, place in self._open.copy().items() if not future.done()}
        texts = [_foreign_stack(frames[number]) for number in busy if number in frames]
        return "\n".join(texts)[-STACK_CHARACTERS:]

    def when_idle(self, tell: Callable[[], object]) -> None:
        """Call `tell`, in any thread and perhaps twice, when no foreign code runs in them any more."""

        def look(_: concurrent.futures.Future[Any]) -> None:
            if not self.busy:
                tell()

        for future in list(self._open):
            future.add_done_callback(look)

    def _start(self, name: str) -> Lane:
        lane = Lane()
        threading.Thread(target=lane.serve, name=name, daemon=True).start()
        return lane

    def _submit(self, lane: Lane, function: Callable[[], T]) -> asyncio.Future[T]:
        future = lane.submit(function)
        self._open = {old: its for old, its in self._open.copy().items() if not old.done()}
        self._open[future] = lane
        waited = asyncio.wrap_future(future)
        # Where nobody waits for it any more, that was said when the wait was given up.
        waited.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        return waited


def _foreign_stack(frame: FrameType) -> str:
    """A stack without the frames of this module, on which all others stand."""
    frames = traceback.extract_stack(frame)
    ours = max((depth for depth, found in enumerate(frames, 1) if found.filename == __file__), default=0)
    return "".join(traceback.format_list(frames[ours:]))
