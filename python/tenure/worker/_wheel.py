"""The loop of a process for process handlers, and the thread that runs it.

Such a process gives its main thread to its handler: signals reach it there and nowhere else. An asynchronous
one lives in the loop, which the main thread runs for it, as it does for the hooks around the worker. A
synchronous one has the main thread for itself: for as long the loop, which keeps its time, is run by a thread
beside.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from tenure.worker._threads import MainLane

log = logging.getLogger(__name__)


def turn(
    loop: asyncio.AbstractEventLoop,
    main: Coroutine[Any, Any, None],
    run: Callable[[asyncio.AbstractEventLoop], None],
) -> None:
    """Have a loop run until `main` has ended, whatever handlers do to it."""
    task = loop.create_task(main)
    task.add_done_callback(lambda _: loop.stop())
    while not task.done():
        try:
            run(loop)
        except (SystemExit, KeyboardInterrupt):
            # These two alone leave a loop. Whoever waits for the task that raised it gets it, too.
            log.exception("a task has left the loop, as a program is left: the loop goes on")
    task.result()


class Wheel:
    """Turns the loop, in one thread or in the other."""

    def __init__(self, lane: MainLane) -> None:
        """`lane` is the main thread."""
        self.lane = lane
        self._in_main = True
        self._then: Callable[[], object] | None = None

    def run(self, main: Coroutine[Any, Any, None]) -> None:
        """Run a loop until `main` has ended; called in the thread beside."""
        runner = asyncio.Runner()
        try:
            turn(runner.get_loop(), main, self._turn)
        finally:
            self.lane.lend(runner.close).result()

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        then, self._then = self._then, None
        if then is not None:
            loop.call_soon(then)
        if self._in_main:
            self.lane.lend(loop.run_forever).result()
        else:
            loop.run_forever()

    def begin(self, then: Callable[[], object], *, in_main: bool) -> None:
        """Call `then`, by which a handler begins, with the loop in the main thread or beside.

        Called in the loop. Not before it is there: not every loop ends its turn at once when it is stopped.
        """
        self.lane.reset()
        self._move(in_main=in_main)
        if (threading.get_ident() == self.lane.thread) == in_main:
            then()
        else:
            self._then = then

    def end(self) -> None:
        """It has ended; called in the loop."""
        self._move(in_main=True)

    def _move(self, *, in_main: bool) -> None:
        if self._in_main != in_main:
            # From its next turn on.
            self._in_main = in_main
            asyncio.get_running_loop().stop()
