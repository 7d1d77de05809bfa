"""The loop of a process for process handlers, and the thread that runs it.

Such a process gives its main thread to its handler: signals reach it there and nowhere else. An asynchronous
one lives in the loop, which the main thread runs for it, as it does for the hooks around the worker. A
synchronous one has the main thread for itself: for as long the loop, which keeps its time, is run by a thread
beside.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from tenure.worker._threads import MainLane


class Wheel:
    """Turns the loop, in one thread or in the other."""

    def __init__(self, lane: MainLane) -> None:
        """`lane` is the main thread."""
        self.lane = lane
        self._in_main = True

    def run(self, main: Coroutine[Any, Any, None]) -> None:
        """Run a loop until `main` has ended; called in the thread beside."""
        runner = asyncio.Runner()
        loop = runner.get_loop()
        task = loop.create_task(main)
        task.add_done_callback(lambda _: loop.stop())
        try:
            while not task.done():
                if self._in_main:
                    self.lane.lend(loop.run_forever).result()
                else:
                    loop.run_forever()
            task.result()
        finally:
            self.lane.lend(runner.close).result()

    def begin(self, *, in_main: bool) -> None:
        """A handler begins, with the loop in the main thread or beside it; called in the loop."""
        self.lane.interrupted = None
        self._move(in_main=in_main)

    def end(self) -> None:
        """It has ended; called in the loop."""
        self._move(in_main=True)

    def _move(self, *, in_main: bool) -> None:
        if self._in_main != in_main:
            # From its next turn on.
            self._in_main = in_main
            asyncio.get_running_loop().stop()
