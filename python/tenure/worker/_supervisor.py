"""The supervisor: puts the duties together, and takes them apart in order.

It runs no handler code. Each duty is a task of its own over one of two connections: heartbeats have theirs,
so that nothing else a worker asks of the database can hold them up.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any

from tenure import _calls
from tenure._calls import Call
from tenure._rows import Claimed
from tenure.errors import TenureError
from tenure.worker._beats import Beats
from tenure.worker._checkpoints import Checkpoints
from tenure.worker._claims import Claims, Room
from tenure.worker._errors import WorkerError
from tenure.worker._hello import Hello
from tenure.worker._leases import Lease, Leases
from tenure.worker._link import REFUSED, Link, UnavailableError
from tenure.worker._listener import Listener
from tenure.worker._outcome import RELEASE, Outcome
from tenure.worker._progress import Progress
from tenure.worker._relay import Relay
from tenure.worker._reports import Reports
from tenure.worker._settings import Settings
from tenure.worker._shutdown import CANCEL_GRACE, EXIT_GRACE, SETTLEMENT_LIMIT, Shutdown, shutdown_report
from tenure.worker._start import prepare
from tenure.worker._sweeps import Sweeps

log = logging.getLogger(__name__)


class Supervisor:
    """One worker, from its start to its report."""

    def __init__(self, settings: Settings, definitions: list[Call[Any]]) -> None:
        self._settings = settings
        self._definitions = definitions
        self._began = time.monotonic()
        self._leases = Leases()
        self._link = Link(settings.dsn, "worker")
        self._beat_link = Link(settings.dsn, "heartbeats")
        self._shutdown = Shutdown()
        self._relay = Relay(settings, self)
        self._hello = Hello(settings, self._link, unheard=self.room)
        self._beats = Beats(settings, self._leases, self._beat_link, tell=self._relay.cancel)
        self._reports = Reports(settings, self._link, settled=self._settled)
        self._sweeps = Sweeps(settings, self._link, moved=self.room)
        self._progress = Progress(settings, self._leases, self._link, judge=self._beats.judge)
        self._checkpoints = Checkpoints(settings, self._link, answer=self._relay.answer)
        self._claims = Claims(settings, self._link, self._hello, room=self._room, start=self._start)
        self._listener = Listener(settings, self._hello, work=self.room, beat=self._beats.beat_now)

    async def run(self) -> None:
        """Work until told to stop; raises what made the worker leave of itself."""
        try:
            with self._shutdown.on_signals():
                await self._work(await prepare(self._link, self._hello, self._definitions))
        finally:
            await self._link.close()
            await self._beat_link.close()
        if self._shutdown.failure is not None:
            raise self._shutdown.failure

    # -- Duties: what comes from the handler process ---------------------------------------------------

    def done(self, lease: Lease, outcome: Outcome) -> None:
        """Report how an execution ended."""
        self._reports.add(lease, outcome)

    def progress(self, step_id: int, generation: int, text: str) -> None:
        """Pass on progress."""
        self._progress.add(step_id, generation, text)

    def ask(self, ask_id: int, step_id: int, generation: int, key: str, value: str | None) -> None:
        """Pass on a question."""
        self._checkpoints.add(ask_id, step_id, generation, key, value)

    def lost(self, lease: Lease) -> None:
        """Renew the lease no more."""
        self._leases.drop(lease)

    def room(self) -> None:
        """Look for work."""
        self._claims.wake()

    # -- claims ----------------------------------------------------------------------------------------

    def _room(self) -> Room:
        # Executions that wait for their reports hold no slot. But when reports do not come through there must
        # be an end to claiming, too.
        unsettled = 2 * self._settings.concurrency - len(self._leases)
        return Room(min(self._relay.free, unsettled), self._relay.names)

    def _settled(self, lease: Lease) -> None:
        self._leases.drop(lease)
        self.room()

    def _start(self, claimed: list[Claimed], sent_at: float) -> None:
        """Start what was claimed; what cannot be started (any more) is handed back."""
        for step in claimed:
            lease = Lease.of(step, sent_at)
            self._leases.add(lease)
            self._beats.hold(lease)
            if self._shutdown.draining.is_set() or not self._relay.start(step, lease):
                self._reports.add(lease, RELEASE)

    async def _claim(self) -> None:
        try:
            await self._claims.run()
        except TenureError as error:
            self._shutdown.fail(error)

    async def _keep_handlers(self) -> None:
        try:
            await self._relay.run()
        except WorkerError as error:
            self._shutdown.fail(error)

    # -- life and end ----------------------------------------------------------------------------------

    async def _work(self, channel: str) -> None:
        duties: list[Coroutine[Any, Any, None]] = [
            self._beats.run(),
            self._reports.run(),
            self._sweeps.run(),
            self._progress.run(),
            self._checkpoints.run(),
            self._hello.run(),
            self._listener.run(channel),
        ]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(duty) for duty in duties]
                relay = group.create_task(self._keep_handlers())
                claims = group.create_task(self._claim())
                await self._shutdown.draining.wait()
                self._claims.stop()
                interrupted = await self._empty()
                await asyncio.gather(relay, claims)
                await self._reports.settle(SETTLEMENT_LIMIT)
                await self._leave(interrupted)
                for task in tasks:
                    task.cancel()
        finally:
            await self._relay.stop(0)

    async def _empty(self) -> list[Lease]:
        """Let handlers finish, then make them; answers those that were cut down with their process."""
        await self._wait_idle()
        for lease in self._relay.running:
            self._relay.cancel(lease, "shutdown")
        await self._relay.idle(CANCEL_GRACE)
        interrupted = await self._relay.stop(EXIT_GRACE)
        for lease in interrupted:
            # The process is gone, and the handler with it: that is the proof that a hand-back needs.
            self._reports.add(lease, RELEASE)
        return interrupted

    async def _wait_idle(self) -> None:
        idle = asyncio.ensure_future(self._relay.idle())
        ending = asyncio.ensure_future(self._shutdown.ending.wait())
        _, late = await asyncio.wait(
            {idle, ending},
            timeout=self._settings.shutdown_timeout,
            return_when=asyncio.FIRST_COMPLETED,
        )
        for task in late:
            task.cancel()

    async def _leave(self, interrupted: list[Lease]) -> None:
        """Say and store what is proven and what is not."""
        unsettled = [(lease, outcome.verb) for lease, outcome in self._reports.unsettled]
        report = shutdown_report(self._reports.verdicts, interrupted, unsettled, began=self._began)
        log.info("leaving: %s", report)
        try:
            await self._link.call(_calls.worker_report(self._settings.owner, report), limit=SETTLEMENT_LIMIT)
        except (UnavailableError, *REFUSED) as error:
            log.warning("the shutdown report could not be stored: %s", error)
