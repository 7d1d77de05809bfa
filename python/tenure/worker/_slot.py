"""A process for one process handler at a time, which is killed when its handler does not stop."""

from __future__ import annotations

import asyncio
import logging
import time

from tenure.worker._bell import Bell
from tenure.worker._process import HandlerProcess
from tenure.worker._relay import Body, Duties, Relay
from tenure.worker._settings import Settings

log = logging.getLogger(__name__)


class Slot(Relay):
    """A handler process with one execution in it.

    What it is told leaves the last part of the reserve out, which is for ending it: first by SIGTERM, which
    interrupts a handler and asks the programs that it started, then by SIGKILL, which nothing in its group
    survives.
    """

    role = "slot"
    kills = True

    def __init__(self, settings: Settings, duties: Duties) -> None:
        super().__init__(settings, duties, capacity=1)
        self._guard: asyncio.Task[None] | None = None

    def begun(self, body: Body, child: HandlerProcess) -> None:
        body.bell = Bell()
        self._guard = asyncio.create_task(self._see_to_its_end(body, child, body.bell))

    def runs_on(self, body: Body) -> None:
        body.ring()

    def look_behind(self, body: Body, child: HandlerProcess) -> list[int]:
        lease = body.lease
        left = child.left(time.monotonic() - lease.held_since)
        lease.strays = left.strayed
        if lease.strays:
            log.error(
                "step %d: processes %s have left the group of its process %d: nothing ends them",
                *(lease.step_id, lease.strays, child.pid),
            )
        return left.stayed

    async def _see_to_its_end(self, body: Body, child: HandlerProcess, bell: Bell) -> None:
        kept = body.lease.budget.killing()
        try:
            await self._wait_for_term(body, kept, bell)
            if body.ended:
                return
            log.warning("step %d: its process %d has not stopped: SIGTERM", body.lease.step_id, child.pid)
            child.terminate()
            if not await self._wait_for_end(body, time.monotonic() + kept, bell):
                log.warning("step %d: its process %d has not stopped: SIGKILL", body.lease.step_id, child.pid)
                self.look_behind(body, child)
        finally:
            # Whatever went wrong: nothing that nobody watches is left running.
            if not body.ended:
                body.killed = True
                child.kill()

    async def _wait_for_term(self, body: Body, kept: float, bell: Bell) -> None:
        """Wait until it has ended, or its own time is over, or some of it runs on."""
        while not body.ended and body.outcome is None:
            left = None if body.end_at is None else body.end_at - kept - time.monotonic()
            if left is not None and left <= 0:
                return
            await bell.wait(left)

    async def _wait_for_end(self, body: Body, until: float, bell: Bell) -> bool:
        while not body.ended and (left := until - time.monotonic()) > 0:
            await bell.wait(left)
        return body.ended
