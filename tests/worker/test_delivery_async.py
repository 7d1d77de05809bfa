"""One delivery of an asynchronous handler, to the letter of its deadline. Limit 40 s: P = 39, H = 40."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

import tenure
from tenure.worker._leash import within
from tests.worker.stage import Stage

LIMIT = 40.0


@pytest.fixture
def stage() -> Stage:
    """A stage of the test's own."""
    return Stage()


def sleeper(stage: Stage, seconds: float) -> None:
    """Declare a step that sleeps, whatever it is told, and then returns."""

    @stage.app.step
    async def sleeps(ctx: tenure.Context, input: Any) -> str:
        await asyncio.sleep(seconds)
        return f"{ctx.reason}"


def test_what_returns_before_its_cutoff_completes(stage: Stage) -> None:
    """R-340."""
    sleeper(stage, 38.9)
    report = stage.deliver("sleeps", timeout=LIMIT)
    assert (report.verb, report.outcome.arguments, report.at) == ("complete", ('"None"',), 38.9)


def test_a_value_returned_within_a_quarter_of_a_second_after_the_cutoff_stands(stage: Stage) -> None:
    """R-341."""
    sleeper(stage, 39.1)
    report = stage.deliver("sleeps", timeout=LIMIT)
    assert (report.verb, report.outcome.arguments, report.at) == ("complete", ('"timed_out"',), 39.1)


def test_a_value_that_comes_later_is_dropped(stage: Stage) -> None:
    """R-341, R-342."""
    sleeper(stage, 39.4)
    report = stage.deliver("sleeps", timeout=LIMIT)
    assert (report.verb, report.kind, report.at) == ("fail", "timeout", 39.25)
    assert report.message == "the handler of 'sleeps' had not ended at its limit"


def test_a_small_limit_gives_a_quarter_of_itself(stage: Stage) -> None:
    """R-340, R-341: limit 0.4 s, P = 0.3; it is heard for half of what remains."""
    sleeper(stage, 0.34)
    assert stage.deliver("sleeps", timeout=0.4).verb == "complete"
    late = Stage()
    sleeper(late, 0.5)
    report = late.deliver("sleeps", timeout=0.4)
    assert (report.kind, report.at) == ("timeout", 0.35)


def test_a_limit_already_passed_starts_nothing(stage: Stage) -> None:
    """R-340."""

    @stage.app.step
    async def never(ctx: tenure.Context, input: Any) -> None:
        stage.note("started")

    report = stage.deliver("never", timeout=0.0)
    assert (report.kind, report.at) == ("timeout", 0.0)
    assert stage.happened == []


@pytest.mark.parametrize(
    ("error", "kind"), [(tenure.Permanent("no use"), "permanent"), (ValueError("no use"), "retryable")]
)
@pytest.mark.parametrize(("reason", "at"), [("timed_out", 39.0), ("shutdown", 5.0)])
def test_an_error_raised_within_the_quarter_stands(
    stage: Stage, error: Exception, kind: str, reason: Any, at: float
) -> None:
    """R-341."""

    @stage.app.step
    async def gives_up(ctx: tenure.Context, input: Any) -> None:
        await ctx.wait_cancelled()
        stage.note(ctx.reason)
        raise error

    report = stage.deliver("gives_up", timeout=LIMIT, stops=((at, reason, None),))
    assert (report.kind, report.message, report.at) == (kind, "no use", at)
    assert stage.events == [(reason, at)]


def test_the_token_is_set_before_anything_else_happens(stage: Stage) -> None:
    """R-341: nothing is cancelled at the cutoff."""

    @stage.app.step
    async def looks(ctx: tenure.Context, input: Any) -> None:
        stage.note((ctx.cancelled, ctx.reason))
        try:
            while True:
                await asyncio.sleep(0.1)
                if ctx.cancelled:
                    stage.note((ctx.cancelled, ctx.reason))
                    await asyncio.sleep(60)
        except asyncio.CancelledError:
            stage.note("cancelled")
            raise

    assert stage.deliver("looks", timeout=LIMIT).kind == "timeout"
    assert stage.events == [((False, None), 0.0), ((True, "timed_out"), 39.1), ("cancelled", 39.25)]


def test_a_handler_cannot_set_the_token(stage: Stage) -> None:
    """R-355."""

    @stage.app.step
    async def sets(ctx: tenure.Context, input: Any) -> str:
        for name, value in (("cancelled", True), ("reason", "shutdown")):
            with pytest.raises(AttributeError):
                setattr(ctx, name, value)
        return f"{ctx.cancelled} {ctx.reason}"

    assert stage.deliver("sets").outcome.arguments == ('"False None"',)


@pytest.mark.parametrize("slot", [False, True])
def test_cancelled_error_alone_means_nothing(stage: Stage, slot: bool) -> None:
    """R-343: it is no sign of having been told, and an error like any other."""

    @stage.app.step
    async def cancels(ctx: tenure.Context, input: Any) -> None:
        raise asyncio.CancelledError("of my own")

    report = stage.deliver("cancels", timeout=LIMIT, slot=slot)
    assert (report.kind, report.outcome.arguments[0]["type"]) == (
        "retryable",
        "asyncio.exceptions.CancelledError",
    )


def test_to_leave_when_told_is_no_failure(stage: Stage) -> None:
    """R-343: within the quarter, at shutdown, a handler that leaves has its step handed back."""

    @stage.app.step
    async def leaves(ctx: tenure.Context, input: Any) -> None:
        while True:
            await asyncio.sleep(1)
            ctx.raise_if_cancelled()

    assert stage.deliver("leaves", stops=((4.9, "shutdown", None),)).verb == "release"


@pytest.mark.parametrize(
    ("reason", "verb", "argument"),
    [
        ("shutdown", "complete", '"shutdown"'),
        ("cancelled", "nothing", "cancelled"),
        ("lease_lost", "nothing", "lease_lost"),
    ],
)
def test_whose_word_stands_when_told_to_stop(stage: Stage, reason: Any, verb: str, argument: str) -> None:
    """R-344: the result stands at shutdown; the database's verdict after `cancelled` and `lease_lost`."""
    sleeper(stage, 5.1)
    report = stage.deliver("sleeps", timeout=LIMIT, stops=((5.0, reason, None),))
    assert (report.verb, report.outcome.arguments, report.at) == (verb, (argument,), 5.1)


@pytest.mark.parametrize(
    ("reason", "verb"), [("shutdown", "release"), ("cancelled", "nothing"), ("lease_lost", "nothing")]
)
def test_what_is_dropped_is_reported_by_its_reason(stage: Stage, reason: Any, verb: str) -> None:
    """R-342."""
    sleeper(stage, 5.4)
    report = stage.deliver("sleeps", stops=((5.0, reason, None),))
    assert (report.verb, report.at) == (verb, 5.25)


def test_the_word_of_the_database_beats_that_of_the_worker(stage: Stage) -> None:
    """R-344: told of the shutdown, and then that the run was cancelled."""
    sleeper(stage, 5.2)
    report = stage.deliver("sleeps", stops=((5.0, "shutdown", None), (5.1, "cancelled", None)))
    assert (report.outcome.arguments, report.at) == (("cancelled",), 5.2)


def stubborn(stage: Stage) -> None:
    """Declare a step that swallows every cancellation."""

    @stage.app.step
    async def stubborn(ctx: tenure.Context, input: Any) -> str:
        while True:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                stage.note("swallowed")
            finally:
                stage.note("finally")


@pytest.mark.parametrize("on_timeout", ["abandon", "wait"])
def test_what_swallows_its_cancellation_is_let_go_of(stage: Stage, on_timeout: str) -> None:
    """R-345: halfway to the hard cutoff it is not gone on with; it is told once, and closed."""
    stubborn(stage)
    report = stage.deliver("stubborn", timeout=LIMIT, on_timeout=on_timeout)
    assert (report.kind, report.at) == ("timeout", 39.625)
    assert stage.events == [("swallowed", 39.25), ("finally", 39.25), ("finally", 39.625)]


async def swallows(stage: Stage) -> None:
    """Swallow each cancellation."""
    while True:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            stage.note("swallowed")


@pytest.mark.parametrize("by", ["task", "gather", "shield", "group"])
def test_what_waits_for_another_task_that_swallows_it_is_let_go_of_too(stage: Stage, by: str) -> None:
    """R-345, R-381: what was begun beside it is left behind."""

    @stage.app.hook
    async def around(ctx: tenure.Context) -> AsyncIterator[None]:
        try:
            yield
        finally:
            stage.note("hook left")

    @stage.app.step
    async def waits(ctx: tenure.Context, input: Any) -> None:
        try:
            if by == "group":
                async with asyncio.TaskGroup() as group:
                    group.create_task(swallows(stage))
            task = asyncio.create_task(swallows(stage))
            ways: dict[str, Callable[[], Awaitable[Any]]] = {
                "task": lambda: task,
                "gather": lambda: asyncio.gather(task),
                "shield": lambda: asyncio.shield(task),
            }
            await ways[by]()
        finally:
            stage.note("finally")

    report = stage.deliver("waits", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 39.25 if by == "shield" else 39.625)
    assert [event for event in stage.happened if event != "swallowed"] == ["finally", "hook left"]


@pytest.mark.parametrize("ends", ["returns", "raises", "is cancelled"])
def test_a_task_that_is_awaited_ends_as_it_does_elsewhere(stage: Stage, ends: str) -> None:
    """R-350: also within a limit, and when it is cancelled by its own handler."""

    async def inner() -> str:
        await asyncio.sleep(1)
        if ends == "raises":
            raise OSError("it broke")
        if ends == "is cancelled":
            await asyncio.sleep(1000)
        return "well"

    @stage.app.step
    async def waits(ctx: tenure.Context, input: Any) -> str:
        try:
            async with asyncio.timeout(5):
                return await asyncio.create_task(inner())
        except TimeoutError:
            return "cancelled"
        except OSError as error:
            return str(error)

    report = stage.deliver("waits", timeout=LIMIT)
    said = {"returns": ('"well"', 1.0), "raises": ('"it broke"', 1.0), "is cancelled": ('"cancelled"', 5.0)}
    assert (*report.outcome.arguments, report.at) == said[ends]


def test_without_a_limit_the_reserve_is_a_second_from_the_cancel(stage: Stage) -> None:
    """R-340, R-345."""
    stubborn(stage)
    report = stage.deliver("stubborn", stops=((5.0, "cancelled", None),))
    assert report.at == 5.625


def test_the_reserve_ends_with_the_lease(stage: Stage) -> None:
    """R-340: for `lease_lost` it is taken before the lease ends, here 0.4 s later."""
    stubborn(stage)
    report = stage.deliver("stubborn", stops=((5.0, "lease_lost", 5.4),))
    assert report.at == 5.3


def test_a_later_reason_gives_no_more_time_and_may_leave_less(stage: Stage) -> None:
    """R-340."""
    stubborn(stage)
    stops: Any = ((5.0, "shutdown", None), (5.1, "cancelled", None), (5.2, "lease_lost", 5.3))
    report = stage.deliver("stubborn", stops=stops)
    assert (report.outcome.arguments, report.at) == (("lease_lost",), 5.275)


def test_what_blocks_the_loop_past_its_window_is_dropped_when_it_comes_back(stage: Stage) -> None:
    """R-341: no timer could ring meanwhile; the clock decides all the same."""

    @stage.app.step
    async def blocks(ctx: tenure.Context, input: Any) -> str:
        stage.block(39.4)
        return "late"

    assert stage.deliver("blocks", timeout=LIMIT).kind == "timeout"


def paying(stage: Stage, how: str) -> None:
    """Declare a step that pays, and does not know whether it did when it is stopped, in this way."""

    async def answer(ctx: tenure.Context) -> None:
        if how == "when let go of":
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(1000)
        if how == "when its cleanup is cut":
            async with ctx.cleanup():
                await asyncio.sleep(1000)
        await asyncio.sleep(1000)

    @stage.app.step
    async def pays(ctx: tenure.Context, input: Any) -> None:
        try:
            await answer(ctx)
        finally:
            raise tenure.Uncertain("sent, no answer")


HOW = pytest.mark.parametrize(
    ("how", "after"),
    [("when cancelled", 0.25), ("when let go of", 0.625), ("when its cleanup is cut", 1.0)],
)
"""The ways to be stopped, and when each is over."""


@HOW
@pytest.mark.parametrize("reason", ["timed_out", "shutdown"])
def test_an_outside_commit_in_doubt_is_heard_even_of_what_is_dropped(
    stage: Stage, reason: Any, how: str, after: float
) -> None:
    """R-346: the retry that a timeout or a release brings would be made in ignorance."""
    paying(stage, how)
    report = stage.deliver("pays", stops=((1.0, reason, None),))
    assert (report.kind, report.at) == ("uncertain", 1.0 + after)


@HOW
@pytest.mark.parametrize("reason", ["cancelled", "lease_lost"])
def test_but_not_against_the_word_of_the_database(stage: Stage, reason: Any, how: str, after: float) -> None:
    """R-346."""
    paying(stage, how)
    report = stage.deliver("pays", stops=((1.0, reason, None),))
    assert (report.verb, report.at) == ("nothing", 1.0 + after)


def test_any_other_error_of_what_is_dropped_counts_no_more(stage: Stage) -> None:
    """R-342."""

    @stage.app.step
    async def fails_late(ctx: tenure.Context, input: Any) -> None:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            raise tenure.Permanent("too late") from None

    assert stage.deliver("fails_late", timeout=LIMIT).kind == "timeout"


def test_a_cleanup_block_is_shielded_until_it_ends(stage: Stage) -> None:
    """R-347: the cancellation waits for it."""

    @stage.app.step
    async def cleans(ctx: tenure.Context, input: Any) -> None:
        await asyncio.sleep(39)
        async with ctx.cleanup() as cleanup:
            stage.note(cleanup.remaining())
            await asyncio.sleep(0.75)
            stage.note(("clean", cleanup.cancelled))
        await asyncio.sleep(0)
        stage.note("not reached")

    report = stage.deliver("cleans", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 39.75)
    assert stage.events == [(1.0, 39.0), (("clean", False), 39.75)]


@pytest.mark.parametrize(("work", "began"), [(0.0, (40.0, 0.0)), (1000.0, (0.75, 39.25))])
def test_a_cleanup_block_is_interrupted_at_the_end_of_the_reserve(
    stage: Stage, work: float, began: tuple[float, float]
) -> None:
    """R-347: and not gone on with. It has a token of its own, which says so."""

    @stage.app.step
    async def cleans(ctx: tenure.Context, input: Any) -> None:
        try:
            await asyncio.sleep(work)
        finally:
            async with ctx.cleanup() as cleanup:
                stage.note((cleanup.cancelled, cleanup.remaining()))
                try:
                    await asyncio.sleep(1000)
                finally:
                    stage.note((cleanup.cancelled, cleanup.remaining()))

    report = stage.deliver("cleans", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 40.0)
    remaining, at = began
    assert stage.events == [((False, remaining), at), ((True, 0.0), 40.0)]


def test_cleanup_has_the_whole_limit_while_nobody_told_it_to_stop(stage: Stage) -> None:
    """R-347."""

    @stage.app.step
    async def cleans(ctx: tenure.Context, input: Any) -> list[float | None]:
        async with ctx.cleanup() as cleanup:
            return [cleanup.remaining(), ctx.remaining()]

    assert stage.deliver("cleans", timeout=LIMIT).outcome.arguments == ("[40.0, 40.0]",)
    again = Stage(app=stage.app)
    assert again.deliver("cleans").outcome.arguments == ("[null, null]",)


def test_a_sleep_or_a_wait_suspends_and_ends_with_its_record(stage: Stage) -> None:
    """R-348: the way out of a handler that sleeps is no error, even if the handler swallows it."""

    @stage.app.step
    async def naps(ctx: tenure.Context, input: Any) -> str:
        try:
            await ctx.sleep(60)
        except BaseException as error:  # noqa: BLE001 - just this is to be shown
            stage.note(type(error).__name__)
        return "rested"

    assert stage.deliver("naps").outcome.arguments == (60.0, "sleep:1")
    assert stage.happened == ["Suspended"]
    again = Stage(app=stage.app)
    ended = '[{"key": "sleep:1", "kind": "sleep", "outcome": "due", "payload": null}]'
    assert again.deliver("naps", waits=ended).outcome.arguments == ('"rested"',)


def test_what_catches_its_cancellation_and_returns_is_dropped_all_the_same(stage: Stage) -> None:
    """R-342: its value counts no more, and hooks are left as after an interruption."""

    @stage.app.hook
    def sees(ctx: tenure.Context) -> Iterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            stage.note("left as interrupted")
            raise

    @stage.app.step
    async def returns(ctx: tenure.Context, input: Any) -> str:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(1000)
        return "late"

    assert stage.deliver("returns", timeout=LIMIT).kind == "timeout"
    assert stage.events == [("left as interrupted", 39.25)]


def test_the_time_of_what_was_told_twice_is_that_of_the_first(stage: Stage) -> None:
    """R-340."""
    stubborn(stage)
    report = stage.deliver("stubborn", stops=((5.0, "shutdown", None), (5.2, "cancelled", None)))
    assert (report.outcome.arguments, report.at) == (("cancelled",), 5.625)


async def endless(stage: Stage) -> None:
    """Swallow everything."""
    while True:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            stage.note("swallowed")


def test_a_cleanup_is_interrupted_at_its_end_and_runs_to_its_first_wait_in_any_case() -> None:
    """R-366: even if it swallows that, and the task around it goes on as if nothing had happened."""
    stage = Stage()

    async def clean_up() -> tuple[bool, int]:
        task = asyncio.current_task()
        assert task is not None
        with pytest.raises(TimeoutError, match="the end of the time for cleanup"):
            await within(endless(stage), stage.loop.time() - 1)
        with pytest.raises(TimeoutError, match="the end of the time for cleanup"):
            await within(endless(stage), stage.loop.time() + 1)
        done = await within(asyncio.sleep(0.5, True), stage.loop.time() + 1)
        await asyncio.sleep(2)
        return done, task.cancelling()

    assert stage.run(clean_up()) == (True, 0)
    assert stage.events == []


def test_a_handler_that_raises_what_closes_coroutines_fails_as_with_any_other_error(stage: Stage) -> None:
    """R-343: nobody has let go of it; what it has entered is left, and its step ends."""

    @stage.app.hook
    def around(ctx: tenure.Context) -> Iterator[None]:
        try:
            yield
        finally:
            stage.note("left")

    @stage.app.step
    async def exits(ctx: tenure.Context, input: Any) -> None:
        raise GeneratorExit

    report = stage.deliver("exits", timeout=LIMIT)
    assert (report.kind, report.message) == ("retryable", "'exits' raised GeneratorExit")
    assert stage.events == [("left", 0.0)]


@pytest.mark.parametrize(("on_timeout", "reason"), [("abandon", "timed_out"), ("wait", "lease_lost")])
def test_a_lease_lost_after_the_limit_is_told_as_the_limit(
    stage: Stage, on_timeout: str, reason: str
) -> None:
    """R-344: the loop was blocked, and the sweep has moved the step on; under wait it does not do that."""

    @stage.app.step
    async def blocks(ctx: tenure.Context, input: Any) -> None:
        stage.block(41)
        try:
            await asyncio.sleep(1)
        finally:
            stage.note(ctx.reason)

    stops: Any = ((40.5, "lease_lost", None),)
    stage.deliver("blocks", timeout=LIMIT, on_timeout=on_timeout, stops=stops)
    assert stage.happened == [reason]
