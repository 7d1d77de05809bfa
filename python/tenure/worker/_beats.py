"""Heartbeats: every step at a third of its lease, on a connection of their own.

Independent of the poll interval and of everything else the worker does. The first beat comes at a random
phase and each interval varies by a tenth, so that workers started together do not beat together.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterable

from tenure import _calls
from tenure.worker._bell import Bell
from tenure.worker._leases import Lease, Leases
from tenure.worker._link import REFUSED, Backoff, Link, UnavailableError
from tenure.worker._schedule import Schedule
from tenure.worker._settings import Settings
from tenure.worker._token import Reason

log = logging.getLogger(__name__)

BATCH = 1000
"""Leases renewed by one call."""

LEAST_LIMIT = 0.5
"""Seconds that a heartbeat may take at least, however short the lease."""

REASONS: dict[str, Reason] = {"cancelled": "cancelled", "timed_out": "timed_out", "lost": "lease_lost"}
"""What the handler is told for each verdict that is not a renewal."""


class Beats:
    """Renews the leases that it was given until they are over."""

    def __init__(
        self,
        settings: Settings,
        leases: Leases,
        link: Link,
        *,
        renewed: Callable[[Lease], None],
        tell: Callable[[Lease, Reason], None],
        frozen: Callable[[Lease], bool],
    ) -> None:
        """`renewed` hears of each renewal, `tell` of a reason for which a handler is to stop.

        `frozen` says for whom not to beat.
        """
        self._owner = settings.owner
        self._interval = settings.lease_ttl / 3
        self._leases = leases
        self._link = link
        self._renewed = renewed
        self._tell = tell
        self._frozen = frozen
        self._bell = Bell()
        self._due = Schedule[Lease](lambda due, lease: not lease.over and lease.beat_at == due)
        self._backoff = Backoff()

    def hold(self, lease: Lease) -> None:
        """Beat for a new lease from now on."""
        self._schedule(lease, self._interval * random.random())  # noqa: S311

    def beat_now(self) -> None:
        """Beat for all at once: one of them was cancelled."""
        for lease in self._leases:
            if not lease.over:
                self._schedule(lease, 0.0)

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            if batch := self._take():
                await self._beat(batch)
            else:
                await self._bell.wait(self._until_next())

    def judge(self, lease: Lease, verdict: str, sent_at: float) -> None:
        """Do what the verdict of a heartbeat, sent at an instant, obliges to."""
        if verdict == "renewed":
            self._renew(lease, sent_at)
        elif verdict == "busy":
            # Somebody holds the row, most often the handler's own transaction with the completion in it.
            # Nothing was renewed: ask again well before the lease ends.
            self._schedule(lease, self._interval / 4)
        else:
            self._tell(lease, REASONS[verdict])
            if verdict == "timed_out" and lease.blocks_retry:
                # It was renewed all the same.
                self._renew(lease, sent_at)
            else:
                lease.over = True

    def _renew(self, lease: Lease, sent_at: float) -> None:
        lease.renewed_at = sent_at
        self._renewed(lease)
        self._schedule(lease, self._interval * random.uniform(0.9, 1.1))  # noqa: S311

    def _schedule(self, lease: Lease, delay: float) -> None:
        lease.beat_at = time.monotonic() + delay
        if self._due.add(lease.beat_at, lease):
            self._bell.ring()

    def _until_next(self) -> float | None:
        first = self._due.first()
        return None if first is None else max(0.0, first - time.monotonic())

    def _take(self) -> list[Lease]:
        """The leases that are due, at most one execution of each step: verdicts come by step."""
        # Whoever is due within a thirtieth of the interval comes along: fewer calls, well within the jitter.
        until = time.monotonic() + self._interval / 30
        batch: dict[int, Lease] = {}
        again: list[Lease] = []
        while len(batch) < BATCH and (lease := self._due.pop(until)):
            if self._frozen(lease):
                self._schedule(lease, self._interval / 4)
            elif lease.step_id in batch:
                again.append(lease)
            else:
                batch[lease.step_id] = lease
        for lease in again:
            self._due.add(lease.beat_at, lease)
        return list(batch.values())

    async def _beat(self, batch: list[Lease]) -> None:
        call = _calls.heartbeat_many(
            [lease.step_id for lease in batch], self._owner, [lease.generation for lease in batch]
        )
        sent_at = time.monotonic()
        try:
            # So soon that there is time within the lease for another one, on another connection.
            answers = await self._link.call(call, limit=max(LEAST_LIMIT, self._interval / 2))
        except (UnavailableError, *REFUSED) as error:
            log.warning("no heartbeat for %d steps: %s", len(batch), error)
            self._again(batch, self._backoff.pause())
            return
        self._backoff.reset()
        missing = {lease.step_id: lease for lease in batch}
        for answer in answers:
            lease = missing.pop(answer.step_id)
            if not lease.over:
                self.judge(lease, answer.verdict, sent_at)
        self._again(missing.values(), self._interval / 4)

    def _again(self, leases: Iterable[Lease], delay: float) -> None:
        for lease in leases:
            if not lease.over:
                self._schedule(lease, delay)
