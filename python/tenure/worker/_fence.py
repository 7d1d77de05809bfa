"""The worker fences itself: a handler whose lease nobody could renew is stopped before the lease ends.

It counts by its own monotonic clock from when the last claim or heartbeat that succeeded was sent. The
database counted from later than that: so the handler is out of the way before the step can be handed on.
Handler processes watch their leases too, see `Watch`: there it works while this process stands still.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from tenure.worker._bell import Bell
from tenure.worker._leases import Lease
from tenure.worker._schedule import Schedule

log = logging.getLogger(__name__)


class Fence:
    """Watches the leases that it was given until they are over."""

    def __init__(self, stop: Callable[[Lease], None]) -> None:
        """`stop` tells a handler that its lease is lost."""
        self._stop = stop
        self._bell = Bell()
        self._due = Schedule[Lease](lambda _, lease: not lease.over and not lease.reported)

    def hold(self, lease: Lease) -> None:
        """Watch a lease from now on."""
        if self._due.add(lease.fence_at, lease):
            self._bell.ring()

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            first = self._due.first()
            await self._bell.wait(None if first is None else max(0.0, first - time.monotonic()))
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Fence whatever was not renewed in time."""
        while lease := self._due.pop(now):
            if lease.fence_at > now:
                self.hold(lease)
                continue
            log.error(
                "step %d: no heartbeat has succeeded for %.1f s: its handler is stopped",
                *(lease.step_id, now - lease.renewed_at),
            )
            lease.over = True
            self._stop(lease)
