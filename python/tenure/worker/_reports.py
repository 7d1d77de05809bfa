"""Reports: each execution's outcome, told to the database until it has answered.

Successes go in batches, everything else singly. A report whose answer got lost is sent again: the engine
gives the same verdict to the same report. A lease that has run out meanwhile is no reason to stop: as long as
nobody has swept it, the work still counts, and once it was, the verdict says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from tenure import _calls
from tenure.worker._bell import Bell
from tenure.worker._leases import Key, Lease
from tenure.worker._link import REFUSED, Backoff, BlockedError, Link, UnavailableError
from tenure.worker._logging import tell
from tenure.worker._outcome import Outcome
from tenure.worker._settings import Settings

log = logging.getLogger(__name__)

BATCH = 500
BATCH_CHARACTERS = 8_000_000
"""Successes in one call, and about how much output it may carry."""

Report = tuple[Lease, Outcome]


class Reports:
    """Takes outcomes and settles them, in the order they came as far as batches allow."""

    def __init__(self, settings: Settings, link: Link, *, settled: Callable[[Lease, str], None]) -> None:
        """`settled` gets the verdict when the database has answered, or will never take the report."""
        self._owner = settings.owner
        self._link = link
        self._settled = settled
        self._pending: dict[Key, Report] = {}
        self._blocked: set[Key] = set()
        self._runs: set[int] = set()
        """Runs of which children were reported: what that makes possible may be left to do."""
        self._bell = Bell()
        self._idle = asyncio.Event()
        self._idle.set()
        self._backoff = Backoff()

    def add(self, lease: Lease, outcome: Outcome) -> None:
        """Report an outcome as soon as possible."""
        if outcome.verb in {"settled", "nothing"}:
            self._finish(lease, outcome, str(outcome.arguments[0]))
            return
        self._pending[lease.key] = (lease, outcome)
        self._idle.clear()
        self._bell.ring()

    @property
    def unsettled(self) -> list[Report]:
        """What the database has not answered yet."""
        return list(self._pending.values())

    async def settle(self, limit: float) -> None:
        """Wait until all is answered, at most `limit` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit):
                await self._idle.wait()

    async def run(self) -> None:
        """Report until cancelled."""
        while True:
            await self._bell.wait(None)
            while self._pending or self._runs:
                try:
                    await self._flush()
                    await self._fold()
                except UnavailableError as error:
                    log.warning("%d reports wait for the database: %s", len(self._pending), error)
                    await asyncio.sleep(self._backoff.pause())
                else:
                    self._backoff.reset()
                if self._blocked:
                    await asyncio.sleep(Backoff.FIRST)
            self._idle.set()

    async def _flush(self) -> None:
        """Send what is pending now; what gets no answer stays pending."""
        batch = self._successes()
        alone = [
            (lease, outcome)
            for lease, outcome in self._pending.values()
            if outcome.verb != "complete" or lease.key in self._blocked
        ]
        if len(batch) > 1:
            try:
                await self._complete(batch)
            except (*REFUSED, BlockedError) as error:
                # One of them spoils all: ask for each alone, so that only that one fails or waits.
                log.warning("%d completions are sent one by one: %s", len(batch), error)
                alone += batch
        else:
            alone += batch
        # The row of a blocked step may stay locked for long: every other report goes first.
        alone.sort(key=lambda report: report[0].key in self._blocked)
        for lease, outcome in alone:
            await self._report(lease, outcome)

    async def _fold(self) -> None:
        """Have done what the reports of children left to whoever comes next; the sweep is the net."""
        runs, self._runs = self._runs, set()
        if not runs:
            return
        try:
            await self._link.call(_calls.fold(sorted(runs)))
        except (*REFUSED, BlockedError) as error:
            log.warning("what follows in %d runs waits for a sweep: %s", len(runs), error)

    def _successes(self) -> list[Report]:
        """The next batch of completions, at most one execution of each step: verdicts come by step."""
        batch: dict[int, Report] = {}
        characters = 0
        for lease, outcome in self._pending.values():
            if outcome.verb != "complete" or lease.step_id in batch or lease.key in self._blocked:
                continue
            output = outcome.arguments[0]
            characters += len(output) if output else 0
            if batch and (characters > BATCH_CHARACTERS or len(batch) == BATCH):
                break
            batch[lease.step_id] = (lease, outcome)
        # In order of step: the engine is quickest with a batch that is.
        return [batch[step_id] for step_id in sorted(batch)]

    async def _complete(self, batch: list[Report]) -> None:
        verdicts = await self._link.call(
            _calls.complete_many(
                [lease.step_id for lease, _ in batch],
                self._owner,
                [lease.generation for lease, _ in batch],
                [outcome.arguments[0] for _, outcome in batch],
            )
        )
        reports = {report[0].step_id: report for report in batch}
        for answer in verdicts:
            self._done(reports.pop(answer.step_id)[0], answer.verdict)

    async def _report(self, lease: Lease, outcome: Outcome) -> None:
        try:
            call = outcome.call(lease.step_id, self._owner, lease.generation)
            if call is not None:
                self._done(lease, await self._link.call(call))
        except REFUSED as error:
            self._refused(lease, outcome, error)
        except BlockedError:
            self._blocked.add(lease.key)

    def _refused(self, lease: Lease, outcome: Outcome, error: Exception) -> None:
        log.error("step %d: the report %r was refused: %s", lease.step_id, outcome.verb, error)
        other = outcome.instead(error)
        if other == outcome:
            # Nothing better could be said: the lease runs out and the sweep decides.
            self._done(lease, "refused")
        else:
            self._pending[lease.key] = (lease, other)

    def _done(self, lease: Lease, verdict: str) -> None:
        _, outcome = self._pending.pop(lease.key)
        self._blocked.discard(lease.key)
        self._finish(lease, outcome, verdict)

    def _finish(self, lease: Lease, outcome: Outcome, verdict: str) -> None:
        tell(lease, outcome, verdict)
        if lease.run_id != lease.step_id:
            self._runs.add(lease.run_id)
            self._idle.clear()
            self._bell.ring()
        log.debug("step %d, generation %d: %s", lease.step_id, lease.generation, verdict)
        self._settled(lease, verdict)
