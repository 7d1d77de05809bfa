"""One execution in a handler process: its time, and how it is stopped step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tenure._rows import Claimed
from tenure.registry import Step
from tenure.worker._budget import Budget, heard_until
from tenure.worker._context import Context
from tenure.worker._facts import Host
from tenure.worker._leases import Key
from tenure.worker._leash import Leash
from tenure.worker._ledger import Ledger
from tenure.worker._sync_context import SyncContext
from tenure.worker._threads import Threads
from tenure.worker._token import Reason, Token
from tenure.worker._transaction import SyncTransaction, Transaction
from tenure.worker._waits import Waits

UNWIND_SHARE = 2
"""What did not stop when it was cancelled has one part in so many of the time that is left to do so."""


class Execution:
    """What the worker knows of a delivery under way.

    It is told to stop once, and then has less and less say: the token is set; a moment later the pipeline is
    dropped, that is cancelled, and what it says counts no more; halfway to the end a handler that is still
    there is let go of; at the end everything is. All of that happens in the loop that drives the delivery.
    """

    def __init__(
        self,
        step: Step[Any],
        claimed: Claimed,
        budget: Budget,
        *,
        host: Host,
        dsn: str,
        owner: str,
        threads: Threads,
    ) -> None:
        self.step = step
        self.claimed = claimed
        self.budget = budget
        self.host = host
        self.owner = owner
        self.threads = threads
        self.token = Token()
        self.waits = Waits(claimed)
        self.ledger = Ledger()
        self.leash = Leash()
        self._lane = None if step.threaded else threads.main
        """The thread of an asynchronous handler that has the main one of its process."""
        self.task: asyncio.Task[Any] | None = None
        self.tasks: set[asyncio.Task[Any] | None] = set()
        """Where its pipeline runs: hooks may go on in tasks of their own."""
        self.leftovers: list[asyncio.Task[Any]] = []
        """Cleanup that waits for a thread which has not come back; it goes on when deliver() has returned."""
        self.ended = False
        """Its outcome is known: nothing can stop it any more."""
        self.dropped = False
        """Its time to cooperate is over: what the pipeline returns or raises now counts no more."""
        self.ends_at: float | None = None
        """By when everything must be over; None: nobody has told it to stop."""
        self._dsn = dsn
        self._context: Context | None = None
        self._sync_context: SyncContext | None = None
        self._transaction: Transaction | SyncTransaction | None = None
        self._loop = asyncio.get_running_loop()
        self._heard_until = budget.heard_until()
        self._timers: list[asyncio.TimerHandle] = []
        self._at_drop: list[Callable[[], Any]] = []
        self._open = False
        self._shields = 0
        self._interruption_waits = False

    @property
    def key(self) -> Key:
        return (self.claimed.step_id, self.claimed.generation)

    def now(self) -> float:
        """The instant, on the clock of the budget; from any thread."""
        return self._loop.time()

    @property
    def context(self) -> Context:
        """What asynchronous code gets as `ctx`."""
        if self._context is None:
            self._context = Context(self)
        return self._context

    @property
    def sync_context(self) -> SyncContext:
        """What code in the delivery's own thread gets as `ctx`."""
        if self._sync_context is None:
            self._sync_context = SyncContext(self)
        return self._sync_context

    @property
    def begun(self) -> Transaction | SyncTransaction | None:
        """The transaction, if the handler has asked for one."""
        return self._transaction

    def transaction(self) -> Transaction:
        """The one transaction of this execution, for asynchronous code."""
        if self._transaction is None:
            self._transaction = Transaction(self._dsn)
        if not isinstance(self._transaction, Transaction):
            raise TypeError("the transaction of a synchronous handler is for its own thread")
        self._refuse_late(self._transaction)
        return self._transaction

    def sync_transaction(self) -> SyncTransaction:
        """The one transaction of this execution, for code in its own thread."""
        if self._transaction is None:
            self._transaction = SyncTransaction(self._dsn, self.threads)
        if not isinstance(self._transaction, SyncTransaction):
            raise TypeError("the transaction is for the loop already")
        self._refuse_late(self._transaction)
        return self._transaction

    def _refuse_late(self, transaction: Transaction | SyncTransaction) -> None:
        """Have it lend nothing where whoever drops or ends the execution may not have seen it."""
        if self.dropped or self.ended:
            transaction.drop()

    # -- told by deliver() -----------------------------------------------------------------------------

    def open(self) -> bool:
        """The pipeline begins, and may be stopped from now on; False: it was, or its time has passed."""
        if self.budget.cutoff_at is not None and self.now() >= self.budget.cutoff_at:
            self.token.set("timed_out")
        self._open = self.token.reason is None
        self.tasks.add(self.task)
        return self._open

    def over(self) -> bool:
        """Whether what the pipeline returns or raises now comes too late to count."""
        if not self.dropped and self.now() >= self._heard_until:
            # It has blocked the loop, and the timers with it.
            self.stop("timed_out")
            self.dropped = True
        return self.dropped

    def shut(self) -> None:
        """The pipeline has ended. What is left, a commit for instance, is not to be cut in the middle."""
        self.over()
        self._open = False
        for timer in self._timers:
            timer.cancel()

    def left(self) -> float | None:
        """Seconds that are left to clean up; None: nobody has told it to stop."""
        return None if self.ends_at is None else max(0.0, self.ends_at - self.now())

    def calm(self) -> None:
        """The task has been cancelled for what is over now; from here on it is not."""
        while self.task is not None and self.task.cancelling():
            self.task.uncancel()

    def part(self) -> None:
        """Let go of what holds this in turn: thousands a second are not to wait for the collector."""
        self._context = self._sync_context = None

    @contextmanager
    def at_drop(self, then: Callable[[], Any]) -> Iterator[None]:
        """Call `then` if the delivery is dropped within this block, or has been; for its own thread."""
        self._at_drop.append(then)
        try:
            if self.dropped:
                then()
            yield
        finally:
            self._at_drop.remove(then)

    # -- told by whoever runs it -----------------------------------------------------------------------

    def warn(self, reason: Reason) -> None:
        """Set the token, from any thread, and nothing else.

        A lease that is lost after the limit was lost to it: the sweep has timed the step out.
        """
        limit_at = self.budget.limit_at
        if reason == "lease_lost" and limit_at is not None and self.now() >= limit_at:
            reason = "lease_lost" if self.claimed.on_timeout == "wait" else "timed_out"
        self.token.set(reason)

    def break_in(self) -> None:
        """Its time to cooperate is over: interrupt it if it blocks its loop; from any thread.

        Where it does not, the loop has dropped it, or is about to.
        """
        if self._lane is not None and self._open and not self.dropped and not self._shields:
            self._lane.interrupt()

    def stop(self, reason: Reason, until: float | None = None) -> None:
        """Tell the delivery to stop, so that all is over by `until`, or sooner by its budget.

        To be told again may change what is reported, and never gives more time.
        """
        self.warn(reason)
        if not self._open:
            return
        now = self.now()
        end = self.budget.until(now)
        if until is not None:
            end = min(end, until)
        if self.ends_at is not None and end >= self.ends_at:
            return
        self._heard_until = min(self._heard_until, heard_until(now, max(now, end)))
        self.ends_at = end
        self._time(self._heard_until, self._drop)
        self._time(end, self._let_go)

    # -- in a cleanup block ----------------------------------------------------------------------------

    def shield(self) -> None:
        """A `ctx.cleanup()` block begins: it is not interrupted before the end."""
        self._shields += 1

    def unshield(self) -> None:
        """It ends: an interruption that has waited for that comes now, unless the block was cut."""
        self._shields -= 1
        if self._interruption_waits and not self._shields and not self.leash.slack:
            self._interruption_waits = False
            self._interrupt()

    # -- step by step ----------------------------------------------------------------------------------

    def _time(self, at: float, then: Callable[[], None]) -> None:
        self._timers.append(self._loop.call_at(at, then))

    def _drop(self) -> None:
        if not self._open or self.dropped:
            return
        self.dropped = True
        if self._transaction is not None:
            self._transaction.drop()
        for then in list(self._at_drop):
            then()
        if self._shields:
            self._interruption_waits = True
        else:
            self._interrupt()
        if self.step.threaded and self.task is not None:
            # What of it waits in the loop: the thread itself cannot be cancelled.
            self.task.cancel()
        left = self.left() or 0.0
        self._time(self.now() + left / UNWIND_SHARE, self._let_go_of_handler)

    def _interrupt(self) -> None:
        if self._lane is not None and self._lane.interrupted in self.tasks:
            # It was, by `break_in`; once more would hit what it does to end.
            return
        if self.step.threaded:
            self.threads.interrupt()
        elif self.task is not None:
            self.task.cancel()

    def _let_go_of_handler(self) -> None:
        """It was interrupted and has not ended: what it entered is to be left while there is time.

        Not where it runs in a thread that cannot be interrupted: there, leaving waits for it.
        """
        stubborn = not self.ledger.leaving and not self._shields
        if stubborn and (self.threads.interruptible or not self.step.threaded):
            self._let_go()

    def _let_go(self) -> None:
        self._drop()
        if self._open and self.task is not None:
            self.leash.let_go(self.task)
