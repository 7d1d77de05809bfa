"""The loop of a process for process handlers, and the thread that runs it.

Such a process gives its main thread to its handler: signals reach it there and nowhere else. A synchronous
handler has it for itself, and the loop is run by a thread beside, which keeps its time. An asynchronous one
lives in the loop, so the loop itself is run by the main thread for as long.
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
        self._in_main = False

    def run(self, main: Coroutine[Any, Any, None]) -> None:
        """Run a loop until `main` has ended; called in the thread beside."""
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            task = loop.create_task(main)
            task.add_done_callback(lambda _: loop.stop())
            while not task.done():
                if self._in_main:
                    self.lane.lend(loop).result()
                else:
                    loop.run_forever()
            task.result()

    def begin(self, *, in_main: bool) -> None:
        """A handler begins, with the loop in the main thread or beside it; called in the loop."""
        self.lane.interrupted = None
        self._move(in_main=in_main)

    def end(self) -> None:
        """It has ended; called in the loop."""
        self._move(in_main=False)

    def _move(self, *, in_main: bool) -> None:
        if self._in_main != in_main:
            # From its next turn on.
            self._in_main = in_main
            asyncio.get_running_loop().stop()
