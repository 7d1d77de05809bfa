"""One delivery without a worker, a process or a database, in a time that is not the machine's.

The loop's clock stands while code runs, and jumps to the next timer when everything waits. So a handler that
takes 29 seconds takes none, and a millisecond more or less is one whatever the machine's speed.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import selectors
import threading
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from tenure import App
from tenure._rows import Claimed
from tenure.worker._budget import Budget
from tenure.worker._deliver import deliver
from tenure.worker._execution import Execution
from tenure.worker._limits import Limits
from tenure.worker._outcome import Outcome
from tenure.worker._sync_context import SyncContext
from tenure.worker._threads import Lane, Threads
from tenure.worker._token import Reason

BEGIN = 1000.0

STAGE: ContextVar[Stage] = ContextVar("STAGE")
"""The stage of a test, for what stands outside it, as resources do."""

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """Waits for nobody but threads that are at work: where all wait for time, time passes."""

    loop: StageLoop

    def select(self, timeout: float | None = None) -> Any:
        events = super().select(0)
        if events or timeout == 0:
            return events
        if self.loop.at_work:
            return super().select(10)
        if timeout is None:
            raise AssertionError("everything waits, and for nothing that will come")
        self.loop.now += timeout
        return []


class StageLoop(asyncio.SelectorEventLoop):
    """An event loop with a clock of its own."""

    def __init__(self) -> None:
        """Begin at an instant that is none of the machine's."""
        selector = _Selector()
        selector.loop = self
        self.now = BEGIN
        self.at_work = 0
        """Threads that neither have ended nor wait for time."""
        self.interrupt: Callable[[], None] | None = None
        """Ends the sleep of the thread that sleeps."""
        self.interrupted_at_work = False
        super().__init__(selector)

    def time(self) -> float:
        """The instant."""
        return self.now

    def count(self, change: int) -> None:
        """A thread goes to work, or to wait."""
        self.at_work += change

    def sleep(self, seconds: float, *, deaf: bool = False) -> None:
        """Let a thread wait for time; CancelledError when it is interrupted, unless it is deaf."""
        woken = threading.Event()
        interrupted = False
        timer: asyncio.TimerHandle | None = None
        if self.interrupted_at_work:
            raise asyncio.CancelledError

        def wake() -> None:
            self.at_work += 1
            self.interrupt = None
            woken.set()

        def interrupt() -> None:
            nonlocal interrupted
            interrupted = True
            if timer is not None:
                timer.cancel()
            wake()

        def park() -> None:
            nonlocal timer
            self.at_work -= 1
            timer = self.call_later(seconds, wake)
            self.interrupt = None if deaf else interrupt

        self.call_soon_threadsafe(park)
        woken.wait()
        if interrupted:
            raise asyncio.CancelledError


class StageThreads(Threads):
    """Threads that the loop knows of; in a `slot`, a process of its own, they can be interrupted."""

    def __init__(self, loop: StageLoop, *, slot: bool) -> None:
        """As the loop's."""
        super().__init__("on stage")
        self._loop = loop
        self._slot = slot

    @property
    def interruptible(self) -> bool:
        """Whether it plays the main thread of a process."""
        return self._slot

    def interrupt(self) -> bool:
        """Interrupt the sleep of the thread."""
        if not self._slot:
            return False
        if self._loop.interrupt is not None:
            self._loop.interrupt()
        elif threading.current_thread() is not threading.main_thread():
            self._loop.interrupted_at_work = True
        return True

    def _submit(self, lane: Lane, function: Callable[[], Any]) -> asyncio.Future[Any]:
        self._loop.at_work += 1
        future = super()._submit(lane, function)
        inner = list(self._open)[-1]
        inner.add_done_callback(lambda _: self._loop.call_soon_threadsafe(self._ended))
        return future

    def _ended(self) -> None:
        self._loop.at_work -= 1


@dataclass
class Report:
    """What came of a delivery."""

    outcome: Outcome
    at: float
    """Seconds after the claim at which deliver() returned."""
    execution: Execution

    @property
    def verb(self) -> str:
        """How it is reported."""
        return self.outcome.verb

    @property
    def kind(self) -> str | None:
        """The kind of a failure."""
        return self.outcome.arguments[1] if self.verb == "fail" else None

    @property
    def message(self) -> str:
        """What a failure says."""
        text: str = self.outcome.arguments[0]["message"]
        return text


@dataclass
class Stage:
    """Runs the steps of its app, one delivery at a time; handlers say what happens by `note`."""

    app: App = field(default_factory=App)
    events: list[Any] = field(default_factory=list)
    told: list[Any] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    loop: StageLoop = field(init=False)

    def note(self, event: Any) -> None:
        """Say that something happens now."""
        self.events.append((event, round(self.loop.now - BEGIN, 3)))

    @property
    def happened(self) -> list[Any]:
        """What happened, without the time."""
        return [event for event, _ in self.events]

    def sleep(self, seconds: float, *, deaf: bool = False) -> None:
        """Block the thread of a handler for so long; `deaf`: as in C, where no interruption reaches it."""
        self.loop.sleep(seconds, deaf=deaf)

    def listen(self, ctx: SyncContext) -> None:
        """Let the thread of a handler wait until it is told to stop; time passes meanwhile."""

        def told() -> None:
            self.loop.call_soon_threadsafe(self.loop.count, 1)

        # In this order: time passes only when it is sure to be told.
        ctx._execution.token.add(told)
        self.loop.call_soon_threadsafe(self.loop.count, -1)
        assert ctx.wait_cancelled()

    def block(self, seconds: float) -> None:
        """Block the loop for so long, as a handler does that never awaits."""
        self.loop.now += seconds

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run anything in the time of the stage."""
        self.loop = StageLoop()
        try:
            return self.loop.run_until_complete(work)
        finally:
            self.loop.close()

    def deliver(
        self,
        name: str,
        *,
        timeout: float | None = None,
        input: str = "null",
        keys: str | None = None,
        waits: str | None = None,
        on_timeout: str = "abandon",
        stops: tuple[tuple[float, Reason, float | None], ...] = (),
        slot: bool = False,
        after: Callable[[Report], None] | None = None,
    ) -> Report:
        """Deliver a step with this timeout; `stops`: after so many seconds, for what reason, until when.

        `slot`: as if in a process of its own, whose main thread can be interrupted. `after` is called before
        the loop ends.
        """
        claimed = Claimed(
            7,
            7,
            name,
            "default",
            input,
            1,
            5,
            3,
            datetime(2026, 1, 1, tzinfo=UTC),
            None,
            0,
            None,
            keys,
            None,
            on_timeout,
            waits,
        )
        return self.run(self._deliver(claimed, timeout, stops, slot, after))

    async def _deliver(
        self,
        claimed: Claimed,
        timeout: float | None,  # noqa: ASYNC109 - the step's
        stops: tuple[tuple[float, Reason, float | None], ...],
        slot: bool,
        after: Callable[[Report], None] | None,
    ) -> Report:
        threads = StageThreads(self.loop, slot=slot)
        execution = Execution(
            self.app.steps[claimed.name],
            claimed,
            Budget.of(BEGIN, timeout),
            host=self,
            dsn="",
            owner="stage",
            threads=threads,
        )
        execution.task = asyncio.create_task(deliver(execution))
        Limits().watch(execution)
        for delay, reason, until in stops:
            end = None if until is None else BEGIN + until
            self.loop.call_at(BEGIN + delay, functools.partial(execution.stop, reason, end))
        report = Report(await execution.task, round(self.loop.now - BEGIN, 3), execution)
        execution.ended = True
        if after is not None:
            after(report)
        if execution.leftovers:
            await asyncio.wait(execution.leftovers)
        while threads.busy:  # noqa: ASYNC110 - it has no event, and time is cheap here
            await asyncio.sleep(1)
        threads.close()
        return report

    # -- the host's part -------------------------------------------------------------------------------

    def progress(self, claimed: Claimed, text: str) -> None:
        """Keep it."""
        self.told.append(("progress", claimed.step_id, text))

    def holds(self, claimed: Claimed) -> None:
        """Keep it."""
        self.told.append(("holds", claimed.step_id))

    def ask(self, claimed: Claimed, verb: str, *arguments: Any) -> concurrent.futures.Future[Any]:
        """Answer from `answers`, or never."""
        self.told.append((verb, claimed.step_id, *arguments))
        answer = _Answer(self.loop)
        if verb in self.answers:
            answer.set_result(self.answers[verb])
        return answer


class _Answer(concurrent.futures.Future[Any]):
    """A thread that waits for it is not at work."""

    def __init__(self, loop: StageLoop) -> None:
        super().__init__()
        self._stage_loop = loop

    def result(self, timeout: float | None = None) -> Any:
        """Wait, in a thread or not at all."""
        if not self.done():
            self.add_done_callback(lambda _: self._stage_loop.count(1))
            self._stage_loop.call_soon_threadsafe(self._stage_loop.count, -1)
        return super().result(timeout)
