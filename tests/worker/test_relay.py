"""What the supervisor makes of what handler processes say, and of their end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from tenure.worker import _slot
from tenure.worker._bell import Bell
from tenure.worker._budget import Budget
from tenure.worker._errors import WorkerError
from tenure.worker._groups import Left
from tenure.worker._handlers import Handlers
from tenure.worker._leases import Lease
from tenure.worker._outcome import RELEASE, Outcome
from tenure.worker._process import HandlerProcess
from tenure.worker._relay import Body, Relay
from tenure.worker._settings import Settings
from tenure.worker._shared import Shared
from tenure.worker._slot import Slot
from tenure.worker._token import Reason
from tenure.worker._wire import GarbledError, pack
from tests.support.wait import LIMIT
from tests.worker.stage import BEGIN, Stage

SETTINGS = Settings(
    app="a:b",
    dsn="",
    queues=("default",),
    concurrency=2,
    lease_ttl=30.0,
    poll_interval=1.0,
    shutdown_timeout=30.0,
    settlement_timeout=5.0,
    stall_limit=300.0,
)


class Notes:
    """Duties that only note what they are asked for."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def done(self, lease: Lease, outcome: Outcome) -> None:
        self.calls.append(("done", lease.step_id, outcome.verb, lease.proof))

    def runs_on(self, lease: Lease) -> None:
        self.calls.append(("runs on", lease.step_id))

    def given_up(self, lease: Lease) -> None:
        self.calls.append(("given up", lease.step_id))

    def lost(self, lease: Lease) -> None:
        self.calls.append(("lost", lease.step_id))

    def progress(self, step_id: int, generation: int, text: str) -> None:
        """Not asked for here."""

    def ask(self, question: object) -> None:
        """Not asked for here."""

    def room(self) -> None:
        """Always welcome."""

    def failed(self, error: Exception) -> None:
        raise error


class Scene:
    """A process in which one execution runs."""

    def __init__(self, *, blocks_retry: bool = False, slot: bool = False) -> None:
        self.notes = Notes()
        self.shared = Shared(SETTINGS, self.notes, capacity=2)
        self.relay: Relay = Slot(SETTINGS, self.notes) if slot else self.shared
        lease = Lease(
            step_id=1,
            run_id=1,
            generation=7,
            name="ship",
            attempt=1,
            budget=Budget.of(0.0, None),
            blocks_retry=blocks_retry,
            ttl=30.0,
            renewed_at=0.0,
        )
        self.body = self.relay.bodies[lease.key] = Body(lease)

    def says(self, *message: Any) -> None:
        self.relay._hear(list(message))


@pytest.mark.parametrize(
    ("outcome", "reason", "end_at", "patience"),
    [
        (["fail", [{}, "timeout", None]], None, 1.0, 2.0),
        (["complete", [None]], "cancelled", 1.0, 2.0),
        (["complete", [None]], None, 40.0, 42.0),
        (["complete", [None]], None, None, 300.0),
    ],
)
def test_what_runs_on_is_reported_at_once_and_given_up_when_its_time_is_over(
    outcome: list[Any], reason: Reason | None, end_at: float | None, patience: float
) -> None:
    """R-320, R-318: two seconds after that; the stall limit is the time of what has no limit."""
    stage, notes, given_up = Stage(), list[list[Any]](), list[int]()

    async def act() -> Scene:
        scene = Scene()
        scene.body.reason = reason
        scene.body.end_at = None if end_at is None else BEGIN + end_at
        scene.says("done", 1, 7, *outcome, "its stack")
        for pause in (patience - 0.1, 0.2, 1000):
            await asyncio.sleep(pause)
            notes.append(list(scene.notes.calls))
            given_up.append(scene.shared.given_up)
        scene.says("ended", 1, 7)
        return scene

    scene = stage.run(act())
    reported = [("done", 1, outcome[0], None), ("runs on", 1)]
    assert notes == [reported, [*reported, ("given up", 1)], [*reported, ("given up", 1)]]
    assert (given_up, scene.shared.given_up) == ([0, 1, 1], 0)
    assert (scene.body.lease.stack, scene.body.lease.proof) == ("its stack", "returned")


def test_what_is_overdue_and_says_nothing_is_given_up_without_a_report() -> None:
    """R-318: it is heard all the same, should it end one day."""
    scene = Scene()
    for _ in range(2):
        # It is asked after again, for it was told to stop again; and that is not said twice.
        scene.says("there", 1, 7, "")
    assert scene.notes.calls == [("given up", 1)]
    assert scene.shared.given_up == 1
    scene.says("done", 1, 7, "complete", [None], None)
    assert scene.notes.calls[1:] == [("done", 1, "complete", "returned")]
    assert scene.shared.given_up == 0
    # An answer that comes too late.
    scene.says("there", 1, 7, "")
    assert len(scene.notes.calls) == 2


def test_what_is_overdue_is_asked_after_once_it_has_had_time_to_end() -> None:
    """R-318: also what has no limit, once it is told to stop."""
    stage = Stage()

    async def scene() -> tuple[list[Any], list[Any]]:
        overdue, child = Scene(), Child(0.0)
        overdue.relay.child = child  # type: ignore[assignment]
        overdue.relay.cancel(overdue.body.lease, "cancelled", BEGIN + 1.0)
        await asyncio.sleep(2.9)
        early = child.sent[1:]
        await asyncio.sleep(1000)
        return early, child.sent[1:]

    assert stage.run(scene()) == ([], [["where", 1, 7]])


@pytest.mark.parametrize(
    ("blocks_retry", "said", "rule"),
    [(False, ("release", []), "R-313"), (True, ("fail", [{}, "timeout", None]), "R-329")],
)
def test_what_lets_another_execution_begin_waits_for_the_end_of_this_one(
    *, blocks_retry: bool, said: tuple[str, list[Any]], rule: str
) -> None:
    """R-313 and R-329."""

    async def act() -> None:
        scene = Scene(blocks_retry=blocks_retry)
        scene.says("done", 1, 7, *said, "its stack")
        assert scene.notes.calls == [("runs on", 1)], rule
        scene.says("ended", 1, 7)
        assert scene.notes.calls[1:] == [("done", 1, said[0], "returned")], rule

    asyncio.run(act())


@pytest.mark.parametrize("said", [("complete", [None]), ("fail", [{}, "permanent", None])])
def test_what_lets_none_begin_is_reported_at_once_also_under_wait(said: tuple[str, list[Any]]) -> None:
    """R-329: else a result that was there in time would come too late."""

    async def act() -> list[Any]:
        scene = Scene(blocks_retry=True)
        scene.says("done", 1, 7, *said, "the stack of what it has left")
        return scene.notes.calls

    assert asyncio.run(act()) == [("done", 1, said[0], None), ("runs on", 1)]


@pytest.mark.parametrize(
    ("gone", "strays", "told"),
    [(True, [], ("done", 1, "release", "process ended")), (True, [9], ("lost", 1)), (False, [], ("lost", 1))],
)
def test_a_release_needs_proof_that_all_of_it_has_ended(
    gone: bool, strays: list[int], told: tuple[Any, ...]
) -> None:
    """R-313, R-324."""
    scene = Scene()
    scene.body.outcome = RELEASE
    scene.body.lease.strays = strays
    scene.relay._bury(gone=gone)
    assert scene.notes.calls == [told]


def test_a_process_that_dies_by_itself_reports_nothing() -> None:
    """R-328."""
    scene = Scene()
    scene.relay._bury(gone=True)
    assert scene.notes.calls == [("lost", 1)]


def test_a_report_that_an_open_transaction_holds_is_not_to_be_fenced() -> None:
    """R-303."""
    scene = Scene()
    scene.says("holds", 1, 7)
    assert scene.body.lease.reported


class Leaver:
    """A process whose handlers leave something behind: out of its group, or in it."""

    pid = 8

    def __init__(self, left: Left) -> None:
        self.killed = False
        self._left = left

    def left(self, seconds: float) -> Left:
        assert seconds > 0
        return self._left

    def kill(self) -> None:
        self.killed = True


TIMEOUT: tuple[str, list[Any]] = ("fail", [{}, "timeout", None])


@pytest.mark.parametrize(
    ("blocks_retry", "said", "told"),
    [
        (False, ("release", []), "lost"),
        (False, TIMEOUT, "done"),
        (True, TIMEOUT, "lost"),
        (True, ("fail", [{}, "permanent", None]), "done"),
        (True, ("sleep", [1.0, None]), "lost"),
        (True, ("complete", [None]), "done"),
    ],
)
def test_a_process_handler_that_ends_and_leaves_something_behind_is_no_proof(
    *, blocks_retry: bool, said: tuple[str, list[Any]], told: str
) -> None:
    """R-324, R-329: what lets another execution begin is not reported; what ends the step is."""
    scene, child = Scene(blocks_retry=blocks_retry, slot=True), Leaver(Left(stayed=[10], strayed=[9]))
    scene.relay.child = child  # type: ignore[assignment]
    scene.says("ready", ["ship"])
    scene.says("done", 1, 7, *said, None)
    assert scene.notes.calls[0][0] == told
    assert (scene.body.lease.proof, scene.body.lease.strays) == (None, [9])
    assert (child.killed, scene.relay.free) == (True, 0)


@pytest.mark.parametrize("blocks_retry", [False, True])
@pytest.mark.parametrize(
    "said",
    [
        ("release", []),
        TIMEOUT,
        ("fail", [{}, "retryable", None]),
        ("fail", [{}, "permanent", None]),
        ("sleep", [1.0, None]),
        ("nothing", ["cancelled"]),
    ],
)
def test_what_a_process_handler_leaves_in_its_group_ends_before_it_is_reported(
    *, blocks_retry: bool, said: tuple[str, list[Any]]
) -> None:
    """R-388: with its process, which takes no other step until then."""
    scene, child = Scene(blocks_retry=blocks_retry, slot=True), Leaver(Left(stayed=[9], strayed=[]))
    scene.relay.child = child  # type: ignore[assignment]
    scene.says("ready", ["ship"])
    scene.says("done", 1, 7, *said, None)
    assert (scene.notes.calls, scene.relay.busy, scene.relay.free) == ([], False, 0)
    scene.relay._bury(gone=True)
    assert scene.notes.calls == [("done", 1, said[0], "process ended")]


def test_what_does_not_end_with_its_group_is_no_proof() -> None:
    """R-388, R-313."""
    scene, child = Scene(slot=True), Leaver(Left(stayed=[9], strayed=[]))
    scene.relay.child = child  # type: ignore[assignment]
    scene.says("done", 1, 7, "release", [], None)
    scene.relay._bury(gone=False)
    assert scene.notes.calls == [("lost", 1)]


def test_the_group_of_a_handler_that_leaves_something_in_it_is_ended_step_by_step() -> None:
    """R-388: SIGTERM, a moment, SIGKILL, although the handler has no limit."""
    signals: list[str] = []

    class Group(Leaver):
        def terminate(self) -> None:
            signals.append("SIGTERM")

        def kill(self) -> None:
            signals.append("SIGKILL")

    async def scene() -> None:
        began = Scene(slot=True)
        relay, child = began.relay, Group(Left(stayed=[9], strayed=[]))
        relay.child = child  # type: ignore[assignment]
        relay.begun(began.body, child)  # type: ignore[arg-type]
        await asyncio.sleep(0)
        began.says("done", 1, 7, *TIMEOUT, None)
        await relay._guard  # type: ignore[attr-defined]

    asyncio.run(scene())
    assert signals == ["SIGTERM", "SIGKILL"]


@pytest.mark.parametrize("said", [("complete", [None]), ("skip", ["enough"]), ("settled", ["completed"])])
def test_a_step_that_is_done_may_leave_helpers_in_its_group(said: tuple[str, list[Any]]) -> None:
    """R-389: the process takes the next step."""
    scene, child = Scene(blocks_retry=True, slot=True), Leaver(Left(stayed=[9], strayed=[]))
    scene.relay.child = child  # type: ignore[assignment]
    scene.says("ready", ["ship"])
    scene.says("done", 1, 7, *said, None)
    assert scene.notes.calls == [("done", 1, said[0], "returned")]
    assert (child.killed, scene.relay.free) == (False, 1)


class Child:
    """A process that hears, and answers when the test has it answer."""

    def __init__(self, heard_at: float) -> None:
        self.heard_at = heard_at
        self.sent: list[list[Any]] = []
        self.says: asyncio.Queue[list[Any] | None] = asyncio.Queue()

    def send(self, message: list[Any]) -> None:
        self.sent.append(message)

    async def messages(self) -> AsyncIterator[list[Any]]:
        while (message := await self.says.get()) is not None:
            yield message


def test_a_process_is_asked_whether_it_answers_unless_it_has_just_said_something() -> None:
    """R-335."""
    asyncio.run(probed())


async def probed() -> None:
    scene, child = Scene(), Child(time.monotonic() + LIMIT)
    scene.relay.child = child  # type: ignore[assignment]
    reading = asyncio.create_task(scene.relay._read(child))  # type: ignore[arg-type]
    child.says.put_nowait(["ready", ["ship"]])
    await scene.relay._answered.wait()
    child.heard_at = time.monotonic() + LIMIT
    await scene.relay.probe()
    assert child.sent == []
    child.heard_at = time.monotonic() - 1
    await scene.relay.probe()
    await scene.relay.probe()
    assert (child.sent, scene.relay.answers) == ([["ping"]], False)
    child.says.put_nowait(["done", 1, 7, "complete", [None], None])
    child.says.put_nowait(None)
    await reading
    assert scene.relay.answers


def test_only_what_is_understood_counts_as_an_answer() -> None:
    """R-377: not the bytes of a message that never ends, nor a message that is none."""

    async def scene() -> tuple[bool, bool]:
        listening, reader = Scene(), asyncio.StreamReader()
        child = HandlerProcess(None, reader, None)  # type: ignore[arg-type]
        child.heard_at = 0.0
        reading = asyncio.create_task(listening.relay._read(child))
        whole = pack([["pong"]])
        reader.feed_data(whole[:-1])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        before = child.heard_at == 0.0
        reader.feed_data(whole[-1:])
        await listening.relay._answered.wait()
        after = child.heard_at > 0.0
        reader.feed_data(pack([["done", 99, 1, "complete", [None], None]]))
        with pytest.raises(GarbledError, match="of step 99, generation 1"):
            await reading
        return before, after

    assert asyncio.run(scene()) == (True, True)


@pytest.mark.parametrize("message", [[], ["pongs"], ["there", 1], ["ended", [], {}], ["holds", 2, 7]])
def test_a_message_that_nobody_would_say_is_garbage(message: list[Any]) -> None:
    """R-377."""
    with pytest.raises(GarbledError):
        Scene().says(*message)


def test_a_machine_that_has_no_process_left_makes_the_worker_drain(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-334: what is at work elsewhere may finish."""

    async def fails(settings: Settings, role: str) -> NoReturn:
        raise BlockingIOError("no more processes")

    async def scene() -> None:
        handlers = Handlers(SETTINGS, [], Notes())
        await handlers._keep(handlers._shared)

    monkeypatch.setattr(HandlerProcess, "spawn", fails)
    with pytest.raises(WorkerError, match="no handler process can be started: no more processes"):
        asyncio.run(scene())


class Patient(Child):
    """A process that does not stop before it is killed, and says when it was asked and when that was."""

    pid = 8

    def __init__(self, stage: Stage) -> None:
        super().__init__(0.0)
        self.stage = stage

    def left(self, _: float) -> Left:
        return Left([], [])

    def terminate(self) -> None:
        self.stage.note("SIGTERM")

    def kill(self) -> None:
        self.stage.note("SIGKILL")


async def told(stage: Stage, reason: Reason, says: list[Any] | None) -> tuple[Scene, Patient]:
    """Tell a process handler to stop within a second, and let it say this a quarter of a second later."""
    scene, child = Scene(slot=True), Patient(stage)
    scene.relay.child = child  # type: ignore[assignment]
    scene.relay.begun(scene.body, child)  # type: ignore[arg-type]
    scene.relay.cancel(scene.body.lease, reason, BEGIN + 1.0)
    await asyncio.sleep(0.25)
    if says is not None:
        scene.says("done", 1, 7, *says, None)
    await asyncio.sleep(1000)
    return scene, child


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A stage whose clock the slots go by."""
    stage = Stage()
    monkeypatch.setattr(_slot, "time", SimpleNamespace(monotonic=lambda: stage.loop.now))
    return stage


REASONS = pytest.mark.parametrize("reason", ["timed_out", "shutdown", "cancelled", "lease_lost"])


@REASONS
def test_what_a_process_handler_says_in_its_time_stands_and_its_process_stays(
    stage: Stage, reason: Reason
) -> None:
    """R-327, R-344: whatever it was told to stop for; it is told by when, a quarter less for its killing."""
    scene, child = stage.run(told(stage, reason, ["complete", ["1"]]))
    assert child.sent == [["cancel", 1, 7, reason, BEGIN + 0.75]]
    assert scene.notes.calls == [("done", 1, "complete", "returned")]
    assert stage.events == []


@REASONS
def test_a_process_that_does_not_stop_is_asked_and_then_killed_within_its_reserve(
    stage: Stage, reason: Reason
) -> None:
    """R-327."""
    scene, _ = stage.run(told(stage, reason, None))
    assert stage.events == [("SIGTERM", 0.75), ("SIGKILL", 1.0)]
    assert (scene.body.killed, scene.notes.calls) == (True, [])


class Unknowable(Leaver):
    """A process of which the machine does not tell."""

    def __init__(self) -> None:
        super().__init__(Left([], []))

    def terminate(self) -> None:
        """Ignore it."""

    def left(self, seconds: float) -> Left:
        raise OSError(f"no word of the last {seconds} s")


def test_a_process_that_nobody_can_watch_any_more_is_killed() -> None:
    """R-327: whatever fails on the way there."""
    scene, child = Scene(slot=True), Unknowable()
    scene.body.end_at = 0.0
    with pytest.raises(OSError, match="no word"):
        asyncio.run(scene.relay._see_to_its_end(scene.body, child, Bell()))  # type: ignore[attr-defined]
    assert (child.killed, scene.body.killed) == (True, True)
