"""One delivery of a synchronous handler, in a thread or as a process. Limit 40 s: P = 39, H = 40."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import pytest

import tenure
from tests.worker.stage import STAGE, Report, Stage

LIMIT = 40.0


@pytest.fixture
def stage() -> Stage:
    """A stage of the test's own."""
    stage = Stage()
    STAGE.set(stage)
    return stage


@contextmanager
def tool() -> Iterator[str]:
    """A resource that says when it is left."""
    try:
        yield "tool"
    finally:
        STAGE.get().note("tool put away")


def sleeper(stage: Stage, seconds: float, *, deaf: bool = False) -> None:
    """Declare a step that sleeps with a resource open, and then returns."""

    @stage.app.step
    def sleeps(ctx: tenure.SyncContext, input: Any, tool: Annotated[str, tenure.Resource(tool)]) -> str:
        try:
            stage.sleep(seconds, deaf=deaf)
        except BaseException as error:
            stage.note(type(error).__name__)
            raise
        finally:
            stage.note("handler ends")
        return f"{tool} {ctx.reason}"


def test_a_function_that_is_not_async_runs_in_a_thread(stage: Stage) -> None:
    """R-350."""

    @stage.app.step
    def where(ctx: tenure.SyncContext, input: Any) -> str:
        return threading.current_thread().name

    assert stage.app.steps["where"].kind == "thread"
    assert stage.deliver("where").outcome.arguments == ('"on stage"',)


SLOT = pytest.mark.parametrize("slot", [False, True])
"""In a thread beside the loop, or as the main thread of a process."""


@SLOT
def test_a_thread_that_returns_within_the_quarter_is_heard(stage: Stage, slot: bool) -> None:
    """R-341."""
    sleeper(stage, 39.1)
    report = stage.deliver("sleeps", timeout=LIMIT, slot=slot)
    assert (report.verb, report.outcome.arguments, report.at) == ("complete", ('"tool timed_out"',), 39.1)
    assert stage.happened == ["handler ends", "tool put away"]


@SLOT
@pytest.mark.parametrize(
    ("reason", "verb", "argument"),
    [
        ("shutdown", "complete", '"tool shutdown"'),
        ("cancelled", "nothing", "cancelled"),
        ("lease_lost", "nothing", "lease_lost"),
    ],
)
def test_whose_word_stands_when_a_thread_was_told_to_stop(
    stage: Stage, slot: bool, reason: Any, verb: str, argument: str
) -> None:
    """R-344: as with asynchronous handlers."""
    sleeper(stage, 5.1)
    report = stage.deliver("sleeps", timeout=LIMIT, stops=((5.0, reason, None),), slot=slot)
    assert (report.verb, report.outcome.arguments, report.at) == (verb, (argument,), 5.1)
    assert stage.happened == ["handler ends", "tool put away"]


@SLOT
@pytest.mark.parametrize(
    ("error", "kind"), [(tenure.Permanent("no use"), "permanent"), (ValueError("no use"), "retryable")]
)
@pytest.mark.parametrize(("reason", "at"), [("timed_out", 39.0), ("shutdown", 5.0)])
def test_an_error_that_a_thread_raises_within_the_quarter_stands(
    stage: Stage, slot: bool, error: Exception, kind: str, reason: Any, at: float
) -> None:
    """R-341."""

    @stage.app.step
    def gives_up(ctx: tenure.SyncContext, input: Any) -> None:
        stage.listen(ctx)
        stage.note(ctx.reason)
        raise error

    report = stage.deliver("gives_up", timeout=LIMIT, stops=((at, reason, None),), slot=slot)
    assert (report.kind, report.message, report.at) == (kind, "no use", at)
    assert stage.events == [(reason, at)]


DROPPED = pytest.mark.parametrize(
    ("reason", "verb"),
    [("timed_out", "fail"), ("shutdown", "release"), ("cancelled", "nothing"), ("lease_lost", "nothing")],
)


@DROPPED
def test_what_comes_later_from_a_thread_is_dropped_and_reported_by_its_reason(
    stage: Stage, reason: Any, verb: str
) -> None:
    """R-342, R-351: when the thread has come back."""
    sleeper(stage, 5.4)
    report = stage.deliver("sleeps", stops=((5.0, reason, None),))
    assert (report.verb, report.at) == (verb, 5.4)
    assert stage.happened == ["handler ends", "tool put away"]


@DROPPED
@pytest.mark.parametrize(("deaf", "at"), [(False, 5.25), (True, 5.625)])
def test_so_is_what_comes_later_from_a_process(
    stage: Stage, reason: Any, verb: str, deaf: bool, at: float
) -> None:
    """R-342, R-353: when it was interrupted, or halfway to the end when it is deaf to that."""
    sleeper(stage, 50, deaf=deaf)
    report = stage.deliver("sleeps", stops=((5.0, reason, None),), slot=True)
    assert (report.verb, report.at) == (verb, at)


@SLOT
def test_a_cancelled_error_of_a_thread_alone_means_nothing(stage: Stage, slot: bool) -> None:
    """R-343."""

    @stage.app.step
    def cancels(ctx: tenure.SyncContext, input: Any) -> None:
        raise asyncio.CancelledError("of my own")

    report = stage.deliver("cancels", timeout=LIMIT, slot=slot)
    assert (report.kind, report.outcome.arguments[0]["type"]) == (
        "retryable",
        "asyncio.exceptions.CancelledError",
    )


def test_a_thread_that_returns_later_is_dropped_and_cleans_up(stage: Stage) -> None:
    """R-342, R-351: nothing is raised in it, and what it has opened is left after it, not before."""
    sleeper(stage, 39.4)
    report = stage.deliver("sleeps", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 39.4)
    assert stage.events == [("handler ends", 39.4), ("tool put away", 39.4)]
    assert report.execution.leftovers == []


def test_a_process_that_returns_later_is_dropped_too(stage: Stage) -> None:
    """R-342, R-353: no interruption reaches it, and its value counts no more."""
    sleeper(stage, 39.4, deaf=True)
    report = stage.deliver("sleeps", timeout=LIMIT, slot=True)
    assert (report.kind, report.at) == ("timeout", 39.4)
    assert stage.happened == ["handler ends", "tool put away"]


@SLOT
def test_a_synchronous_handler_cannot_set_the_token(stage: Stage, slot: bool) -> None:
    """R-355."""

    @stage.app.step
    def sets(ctx: tenure.SyncContext, input: Any) -> str:
        for name, value in (("cancelled", True), ("reason", "shutdown")):
            with pytest.raises(AttributeError):
                setattr(ctx, name, value)
        return f"{ctx.cancelled} {ctx.reason}"

    assert stage.deliver("sets", slot=slot).outcome.arguments == ('"False None"',)


def test_a_thread_that_does_not_return_is_reported_and_left_its_things(stage: Stage) -> None:
    """R-351: at the hard cutoff the step is given up; what the thread uses is taken away when it ends."""
    sleeper(stage, 50)
    at_return: list[Any] = []

    def look(report: Report) -> None:
        at_return.extend([report.execution.threads.busy, len(report.execution.leftovers), list(stage.events)])

    report = stage.deliver("sleeps", timeout=LIMIT, after=look)
    assert (report.kind, report.at) == ("timeout", 40.0)
    assert at_return == [True, 1, []]
    assert stage.events == [("handler ends", 50.0), ("tool put away", 50.0)]


def test_under_wait_nothing_is_reported_before_the_thread_has_ended(stage: Stage) -> None:
    """R-352: two bodies never overlap."""
    sleeper(stage, 50)
    report = stage.deliver("sleeps", timeout=LIMIT, on_timeout="wait")
    assert (report.kind, report.at) == ("timeout", 50.0)
    assert stage.happened == ["handler ends", "tool put away"]


def test_a_process_is_interrupted_and_then_cleans_up(stage: Stage) -> None:
    """R-353: its own `finally` first, then what it had opened."""
    sleeper(stage, 50)
    report = stage.deliver("sleeps", timeout=LIMIT, slot=True)
    assert (report.kind, report.at) == ("timeout", 39.25)
    assert stage.happened == ["CancelledError", "handler ends", "tool put away"]


def test_a_process_that_cannot_be_interrupted_is_cleaned_up_beside(stage: Stage) -> None:
    """R-353: halfway to the end, for it will be killed."""
    sleeper(stage, 50, deaf=True)
    report = stage.deliver("sleeps", timeout=LIMIT, slot=True)
    assert (report.kind, report.at) == ("timeout", 39.625)
    assert stage.events == [("tool put away", 39.625), ("handler ends", 50.0)]


def test_a_process_is_not_interrupted_in_a_cleanup_block(stage: Stage) -> None:
    """R-347: the interruption comes at its end."""

    @stage.app.step
    def cleans(ctx: tenure.SyncContext, input: Any) -> None:
        stage.sleep(39)
        with ctx.cleanup() as cleanup:
            stage.note(cleanup.remaining())
            stage.sleep(0.5)
            stage.note("clean")
        stage.sleep(1000)
        stage.note("not reached")

    report = stage.deliver("cleans", timeout=LIMIT, slot=True)
    assert (report.kind, report.at) == ("timeout", 39.5)
    assert stage.events == [(1.0, 39.0), ("clean", 39.5)]


@SLOT
@pytest.mark.parametrize(("work", "began"), [(0.0, (40.0, 0.0)), (39.1, (0.9, 39.1))])
def test_a_cleanup_block_of_a_thread_sees_its_end(
    stage: Stage, slot: bool, work: float, began: tuple[float, float]
) -> None:
    """R-347, R-351: it is to look, for nobody interrupts it; the delivery is over at its end all the same."""

    @stage.app.step
    def cleans(ctx: tenure.SyncContext, input: Any) -> None:
        stage.sleep(work)
        with ctx.cleanup() as cleanup:
            stage.note((cleanup.cancelled, round(cleanup.remaining() or 0.0, 3)))
            stage.sleep(40.5 - work)
            stage.note((cleanup.cancelled, cleanup.remaining()))

    report = stage.deliver("cleans", timeout=LIMIT, slot=slot)
    assert (report.kind, report.at) == ("timeout", 40.0)
    remaining, at = began
    assert stage.events == [((False, remaining), at), ((True, 0.0), 40.5)]


@SLOT
def test_a_thread_listens_while_it_sleeps(stage: Stage, slot: bool) -> None:
    """R-341: the token reaches it at once."""

    @stage.app.step
    def listens(ctx: tenure.SyncContext, input: Any) -> str:
        stage.listen(ctx)
        stage.note(ctx.reason)
        return f"{ctx.remaining()}"

    report = stage.deliver("listens", timeout=LIMIT, stops=((5.5, "shutdown", None),), slot=slot)
    assert (report.verb, report.outcome.arguments) == ("complete", ('"34.5"',))
    assert stage.events == [("shutdown", 5.5)]


@SLOT
@pytest.mark.parametrize(
    ("reason", "verb"), [("shutdown", "release"), ("cancelled", "nothing"), ("lease_lost", "nothing")]
)
def test_a_thread_that_leaves_when_told_is_no_failure(
    stage: Stage, slot: bool, reason: Any, verb: str
) -> None:
    """R-343."""

    @stage.app.step
    def leaves(ctx: tenure.SyncContext, input: Any) -> None:
        while True:
            stage.sleep(1)
            ctx.raise_if_cancelled()

    report = stage.deliver("leaves", stops=((4.9, reason, None),), slot=slot)
    assert (report.verb, report.at) == (verb, 5.0)


def test_a_thread_that_waits_for_the_database_gets_free_when_dropped(stage: Stage) -> None:
    """R-351: a checkpoint without an answer holds no thread for ever."""

    @stage.app.step
    def asks(ctx: tenure.SyncContext, input: Any) -> None:
        ctx.checkpoint("key", 1)

    report = stage.deliver("asks", stops=((1.0, "shutdown", None),))
    assert (report.verb, report.at) == ("release", 1.25)
    assert stage.told == [("checkpoint", 7, "key", "1")]


def test_a_checkpoint_answers_a_thread(stage: Stage) -> None:
    """R-350."""
    stage.answers["checkpoint"] = '{"there": 1}'

    @stage.app.step
    def asks(ctx: tenure.SyncContext, input: Any) -> Any:
        ctx.progress({"done": 1})
        return ctx.checkpoint("key", lambda: 2)

    assert stage.deliver("asks").outcome.arguments == ('{"there": 1}',)
    assert stage.told == [("progress", 7, '{"done": 1}'), ("checkpoint", 7, "key", None)]


@SLOT
def test_an_asynchronous_hook_of_a_thread_runs_in_the_loop_and_can_be_dropped(
    stage: Stage, slot: bool
) -> None:
    """R-350, R-345."""

    @stage.app.around
    async def slow(ctx: tenure.Context, next: Any) -> Any:
        result = await next()
        stage.note(threading.current_thread() is threading.main_thread())
        await asyncio.sleep(1000)
        return result

    @stage.app.step
    def quick(ctx: tenure.SyncContext, input: Any) -> str:
        return "done"

    report = stage.deliver("quick", timeout=LIMIT, slot=slot)
    assert (report.kind, report.at) == ("timeout", 39.25)
    assert stage.happened == [True]


def test_a_stop_iteration_is_an_error_like_any_other(stage: Stage) -> None:
    """R-350: a thread hands it over all the same."""

    @stage.app.step
    def ends(ctx: tenure.SyncContext, input: Any) -> Any:
        return next(iter(()))

    assert stage.deliver("ends").kind == "retryable"


@pytest.mark.parametrize("seconds", [39.4, 39.8])
def test_a_thread_that_ends_in_doubt_before_its_limit_is_heard(stage: Stage, seconds: float) -> None:
    """R-346."""

    @stage.app.step
    def pays(ctx: tenure.SyncContext, input: Any) -> None:
        stage.sleep(seconds)
        raise tenure.Uncertain("sent, no answer")

    report = stage.deliver("pays", timeout=LIMIT)
    assert (report.kind, report.at) == ("uncertain", seconds)


@SLOT
def test_an_error_that_comes_when_nobody_waits_any_more_is_no_noise(
    stage: Stage, caplog: pytest.LogCaptureFixture, slot: bool
) -> None:
    """R-351: the loop would complain of an exception that was never retrieved."""

    @stage.app.step
    def late(ctx: tenure.SyncContext, input: Any) -> None:
        stage.sleep(45.0, deaf=True)
        raise OSError("too late")

    assert stage.deliver("late", timeout=LIMIT, slot=slot).kind == "timeout"
    gc.collect()
    assert [record for record in caplog.records if record.name == "asyncio"] == []


class Closes:
    """A resource of the loop's, which takes a moment to close."""

    async def __aenter__(self) -> str:
        return "open"

    async def __aexit__(self, *error: object) -> None:
        await asyncio.sleep(0.5)
        STAGE.get().note("closed")


@pytest.mark.parametrize("on_timeout", ["abandon", "wait"])
def test_what_is_left_when_a_thread_comes_back_late_has_a_reserve_of_its_own(
    stage: Stage, on_timeout: str
) -> None:
    """R-351, R-366: the shared one is over by then, and nothing could be closed in no time."""

    @stage.app.step
    def late(ctx: tenure.SyncContext, input: Any, it: Annotated[str, tenure.Resource(Closes)]) -> None:
        stage.sleep(45.0)
        stage.note("back")

    stage.deliver("late", timeout=LIMIT, on_timeout=on_timeout)
    assert stage.events == [("back", 45.0), ("closed", 45.5)]


class Both:
    """A context manager for a loop and for a thread."""

    def __enter__(self) -> str:
        return "for a thread"

    def __exit__(self, *error: object) -> None:
        STAGE.get().note("left in a thread")

    async def __aenter__(self) -> str:
        return "for a loop"

    async def __aexit__(self, *error: object) -> None:
        STAGE.get().note("left in a loop")


def test_a_resource_that_can_be_both_is_what_its_handler_is(stage: Stage) -> None:
    """R-350, R-370."""

    @stage.app.step
    def threaded(ctx: tenure.SyncContext, input: Any, it: Annotated[str, tenure.Resource(Both)]) -> str:
        return it

    @stage.app.step
    async def looped(ctx: tenure.Context, input: Any, it: Annotated[str, tenure.Resource(Both)]) -> str:
        return it

    assert stage.deliver("threaded").outcome.arguments == ('"for a thread"',)
    assert stage.deliver("looped").outcome.arguments == ('"for a loop"',)
    assert stage.happened == ["left in a thread", "left in a loop"]
