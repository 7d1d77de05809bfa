"""Claiming: as many steps as there are free slots, and not one more.

A claimed step's time runs at once, so it must start at once.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from tenure import _calls
from tenure._rows import Claimed
from tenure.worker._bell import Bell
from tenure.worker._handlers import Room
from tenure.worker._hello import Hello
from tenure.worker._link import Backoff, Link, UnavailableError
from tenure.worker._settings import Settings
from tenure.worker._sweeps import poll_pause

log = logging.getLogger(__name__)

MOST = 250
"""Steps in one claim: while they run the next are claimed. The database would give a thousand."""


class Claims:
    """Claims while there is room, waits for work or room otherwise."""

    def __init__(
        self,
        settings: Settings,
        link: Link,
        hello: Hello,
        *,
        probe: Callable[[], Awaitable[None]],
        rooms: Sequence[Callable[[], Room]],
        start: Callable[[list[Claimed], float], None],
    ) -> None:
        """`rooms` tell what can be started, `probe` has them look again whether it would be.

        `start` gets what was claimed, and when the claim was sent.
        """
        self._settings = settings
        self._link = link
        self._hello = hello
        self._probe = probe
        self._rooms = list(rooms)
        self._start = start
        self._bell = Bell()
        self._backoff = Backoff()
        self._stopped = False

    def wake(self) -> None:
        """There may be work, or room for it."""
        self._bell.ring()

    def stop(self) -> None:
        """Claim no more. A claim that is under way is answered first: its steps are leased to us."""
        self._stopped = True
        self._bell.ring()

    async def run(self) -> None:
        """Claim until stopped; a refusal by the engine (an unknown queue) is an error of the operator."""
        while not self._stopped:
            try:
                await self._once()
            except UnavailableError as error:
                log.warning("no claim: %s", error)
                await self._bell.wait(self._backoff.pause())
            else:
                self._backoff.reset()
        if self._hello.told_idle:
            # Else an enqueue would wake this worker instead of one that claims.
            with contextlib.suppress(UnavailableError):
                await self._hello.say(idle=False)

    async def _once(self) -> None:
        await self._probe()
        if not self._has_room():
            if self._hello.told_idle:
                await self._hello.say(idle=False)
            if not self._has_room():
                await self._bell.wait(None)
        elif await self._claim_all() > 0:
            return
        elif self._hello.listening and not self._hello.waits:
            # Then look once more: what came between that claim and this hello woke nobody.
            await self._hello.say(idle=True)
        else:
            await self._bell.wait(poll_pause(self._settings))

    def _has_room(self) -> bool:
        return any(room().slots > 0 for room in self._rooms)

    async def _claim_all(self) -> int:
        """Claim for each room; how many steps came."""
        # They share the slots: each is the first in its turn.
        self._rooms.reverse()
        count = 0
        for room in self._rooms:
            if (now := room()).slots > 0 and now.names and not self._stopped:
                count += await self._claim(now)
        return count

    async def _claim(self, room: Room) -> int:
        settings = self._settings
        sent_at = time.monotonic()
        claimed = await self._link.call(
            _calls.claim(
                settings.queues,
                settings.owner,
                max_steps=min(room.slots, MOST),
                lease_ttl=settings.lease_ttl,
                names=room.names,
            )
        )
        if claimed:
            self._start(claimed, sent_at)
        return len(claimed)
