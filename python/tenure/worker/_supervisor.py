"""The supervisor: puts the duties together, and takes them apart in order.

It runs no handler code. Each duty is a task of its own over one of two connections: heartbeats have theirs,
so that nothing else a worker asks of the database can hold them up.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import psycopg

from tenure._calls import Call
from tenure._rows import Claimed
from tenure.errors import TenureError
from tenure.registry import Step
from tenure.worker._account import TOLD, Account
from tenure.worker._beats import Beats
from tenure.worker._claims import Claims
from tenure.worker._errors import WorkerError
from tenure.worker._farewell import farewell
from tenure.worker._fence import Fence
from tenure.worker._handlers import Handlers, Room
from tenure.worker._hello import Hello
from tenure.worker._leases import Lease, Leases
from tenure.worker._link import Link
from tenure.worker._listener import Listener
from tenure.worker._outcome import RELEASE, Outcome
from tenure.worker._progress import Progress
from tenure.worker._questions import Question, Questions
from tenure.worker._reports import Reports
from tenure.worker._settings import Settings
from tenure.worker._shutdown import Shutdown
from tenure.worker._start import prepare
from tenure.worker._sweeps import Sweeps
from tenure.worker._token import Reason

log = logging.getLogger(__name__)

GIVEN_UP_SHARE = 2
"""The worker leaves when one slot in so many is held by a handler that does not end."""


class Supervisor:
    """One worker, from its start to its report."""

    def __init__(self, settings: Settings, steps: list[Step[Any]], definitions: list[Call[Any]]) -> None:
        self._settings = settings
        self._definitions = definitions
        self._leases = Leases()
        self._account = Account()
        self._link = Link(settings.dsn, "worker")
        # A heartbeat is short, and one more does no harm: what counts is to be heard within the lease.
        self._beat_link = Link(settings.dsn, "heartbeats", stop=False)
        self._shutdown = Shutdown(settings.shutdown_timeout, settings.settlement_timeout)
        self._handlers = Handlers(settings, steps, self)
        self._hello = Hello(settings, self._link, unheard=self._look_for_work)
        self._beats = Beats(
            *(settings, self._leases, self._beat_link),
            renewed=self._handlers.renewed,
            tell=self._stop,
            frozen=self._handlers.frozen,
        )
        self._fence = Fence(self._fence_off)
        self._reports = Reports(settings, self._link, settled=self._settled)
        self._sweeps = Sweeps(settings, self._link, moved=self._look_for_work)
        self._progress = Progress(settings, self._leases, self._link, judge=self._beats.judge)
        self._questions = Questions(settings, self._link, answer=self._handlers.answer)
        rooms = [self._bounded(self._handlers.shared_room), self._bounded(self._handlers.separate_room)]
        self._claims = Claims(
            settings, self._link, self._hello, probe=self._handlers.probe, rooms=rooms, start=self._start
        )
        self._listener = Listener(settings, self._hello, work=self._look_for_work, beat=self._beats.beat_now)

    async def run(self) -> None:
        """Work until told to stop; raises what made the worker leave of itself, once its report was given."""
        with self._shutdown.on_signals():
            try:
                channel = await self._unless_leaving(prepare(self._link, self._hello, self._definitions))
                if channel is not None:
                    await self._work(channel)
            except (WorkerError, TenureError, psycopg.Error) as error:
                self._shutdown.abort(error)
            except Exception as error:  # noqa: BLE001 - not foreseen; the report is due all the same
                self._break(error)
            finally:
                await self._leave()
        if self._shutdown.failure is not None:
            raise self._shutdown.failure

    # -- Duties: what comes from handler processes -----------------------------------------------------

    def done(self, lease: Lease, outcome: Outcome) -> None:
        """Report how an execution ended."""
        lease.reported = True
        self._reports.add(lease, outcome)

    def runs_on(self, lease: Lease) -> None:
        """Note that its end is not proven."""
        self._account.given_up(lease)

    def given_up(self, lease: Lease) -> None:
        """Note a handler that does not end; with too many of them the worker is of no use."""
        log.warning("step %d: its time is over and it has not ended: it keeps its slot", lease.step_id)
        self._account.given_up(lease)
        held, slots = self._handlers.given_up, self._settings.concurrency
        if held * GIVEN_UP_SHARE >= slots:
            self._fail(WorkerError(f"{held} of {slots} slots are held by handlers that do not end"))

    def lost(self, lease: Lease) -> None:
        """Renew the lease no more."""
        self._account.lost(lease)
        self._leases.drop(lease)

    def progress(self, step_id: int, generation: int, text: str) -> None:
        """Pass on progress."""
        self._progress.add(step_id, generation, text)

    def ask(self, question: Question) -> None:
        """Pass on a question."""
        self._questions.add(question)

    def room(self) -> None:
        """Use what has become free."""
        self._handlers.changed()
        self._look_for_work()

    def failed(self, error: WorkerError) -> None:
        """Leave: the application does not run."""
        self._fail(error)

    # -- leases ----------------------------------------------------------------------------------------

    def _look_for_work(self) -> None:
        self._claims.wake()

    def _bounded(self, room: Callable[[], Room]) -> Callable[[], Room]:
        """Room that also minds the reports.

        Executions that wait for their reports hold no slot. But when reports do not come through there must
        be an end to claiming, too.
        """

        def bounded() -> Room:
            found = room()
            return Room(min(found.slots, 2 * self._settings.concurrency - len(self._leases)), found.names)

        return bounded

    def _settled(self, lease: Lease, verdict: str) -> None:
        self._account.settled(lease, verdict)
        self._leases.drop(lease)
        self._look_for_work()

    def _start(self, claimed: list[Claimed], sent_at: float) -> None:
        """Start what was claimed; what cannot be started (any more) is handed back."""
        for step in claimed:
            lease = Lease.of(step, sent_at, self._settings.lease_ttl)
            self._leases.add(lease)
            self._beats.hold(lease)
            if self._shutdown.draining.is_set() or not self._handlers.start(step, lease):
                lease.proof = "not started"
                self.done(lease, RELEASE)
            else:
                self._fence.hold(lease)
        self._handlers.changed()

    def _stop(self, lease: Lease, reason: Reason) -> None:
        """Tell a handler that it is to stop."""
        until = lease.budget.until(time.monotonic())
        self._handlers.cancel(lease, reason, min(until, self._shutdown.root))

    def _fence_off(self, lease: Lease) -> None:
        until = min(lease.budget.until(time.monotonic()), lease.ends_at)
        self._handlers.cancel(lease, "lease_lost", min(until, self._shutdown.root))

    async def _claim(self) -> None:
        try:
            await self._claims.run()
        except TenureError as error:
            self._fail(error)

    # -- life and end ----------------------------------------------------------------------------------

    async def _unless_leaving(self, start: Coroutine[Any, Any, str]) -> str | None:
        """What `start` answers; None where a signal came first."""
        starting = asyncio.create_task(start)
        leaving = asyncio.create_task(self._shutdown.draining.wait())
        await asyncio.wait({starting, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if starting.done():
            return starting.result()
        starting.cancel()
        await asyncio.wait({starting})
        return None

    async def _work(self, channel: str) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                reporting = [
                    group.create_task(self._duty(duty))
                    for duty in (self._beats.run(), self._fence.run(), self._reports.run())
                ]
                others = [
                    group.create_task(self._duty(duty))
                    for duty in (
                        self._sweeps.run(),
                        self._progress.run(),
                        self._questions.run(),
                        self._hello.run(),
                        self._listener.run(channel),
                    )
                ]
                handlers = group.create_task(self._duty(self._handlers.run()))
                claims = group.create_task(self._duty(self._claim()))
                await self._shutdown.draining.wait()
                self._account.leave()
                self._claims.stop()
                self._handlers.drain(self._shutdown.root)
                await self._empty()
                await handlers
                await asyncio.wait({claims}, timeout=self._shutdown.settlement() / 2)
                # What still waits for the database would be in the way of the last reports.
                await _end([claims, *others])
                await self._reports.settle(self._shutdown.settlement())
                await _end(reporting)
        finally:
            await self._handlers.stop(0.0)

    async def _duty(self, duty: Coroutine[Any, Any, None]) -> None:
        """Run a duty. One that ends while the worker is at work is missed as much as one that fails."""
        task = asyncio.current_task()
        try:
            await duty
        except asyncio.CancelledError:
            if task is None or task.cancelling():
                raise
            self._break(RuntimeError("a duty was cancelled"))
        except Exception as error:  # noqa: BLE001 - not foreseen; the report is due all the same
            self._break(error)
        else:
            if not self._shutdown.draining.is_set():
                self._break(RuntimeError("a duty has ended"))

    def _fail(self, error: Exception) -> None:
        self._shutdown.fail(error, len(self._leases))

    def _break(self, error: Exception) -> None:
        """Leave at once: nobody knows what else is wrong."""
        log.error("the worker is broken", exc_info=error)
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        self._shutdown.abort(WorkerError(f"the worker is broken: {type(error).__name__}: {error}"))

    async def _empty(self) -> None:
        """Let handlers finish, then make them; when this returns no handler process is there any more."""
        ending = asyncio.create_task(self._shutdown.ending.wait())
        idle = asyncio.create_task(self._handlers.idle(self._shutdown.stop_at))
        await asyncio.wait({ending, idle}, return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        idle.cancel()
        until = self._shutdown.cleanup_until()
        for lease in self._handlers.running:
            self._handlers.cancel(lease, "shutdown", min(until, lease.budget.until(time.monotonic())))
        await self._handlers.idle(until)
        await self._handlers.stop(self._shutdown.exit_until())

    async def _leave(self) -> None:
        """Say and store what is proven and what is not, and why the worker leaves."""
        unanswered = [(lease, outcome.verb) for lease, outcome in self._reports.unsettled]
        report = self._account.report(self._leases, unanswered, str(self._shutdown.failure or TOLD))
        try:
            await farewell(
                self._link, self._settings.owner, report, self._shutdown.rest(), self._shutdown.failure
            )
        finally:
            await self._link.close()
            await self._beat_link.close()


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
