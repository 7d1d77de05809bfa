"""Hooks and guards around one delivery. Where there is a limit, it is 40 s: P = 39, H = 40."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import tenure
from tests.worker.stage import STAGE, Stage

LIMIT = 40.0


@pytest.fixture
def stage() -> Stage:
    """A stage of the test's own."""
    stage = Stage()
    STAGE.set(stage)
    return stage


KINDS = pytest.mark.parametrize("kind", ["async", "thread", "slot"])
"""A slot is a process for one handler."""


@dataclass
class Parcel:
    """An input that says when it is read."""

    weight: int

    def __post_init__(self) -> None:
        STAGE.get().note("input")


def scales() -> Iterator[str]:
    """A resource that says when it is opened and left."""
    STAGE.get().note("scales opened")
    yield "scales"
    STAGE.get().note("scales left")


Scales = Annotated[str, tenure.Resource(scales)]


def weighing(stage: Stage, kind: str) -> None:
    """Declare a step of this kind that says when its arguments are made and when it is called."""
    if kind == "async":

        @stage.app.step
        async def weighs(ctx: tenure.Context, input: Parcel, scales: Scales) -> str:
            stage.note("handler")
            return "done"
    else:

        @stage.app.step("weighs")
        def weighs_in_its_thread(ctx: tenure.SyncContext, input: Parcel, scales: Scales) -> str:
            stage.note("handler")
            return "done"


class Counted:
    """A context manager that says each time when it is left: a generator lets a second time pass unseen."""

    def __init__(self, stage: Stage, name: str, manager: Any) -> None:
        self._stage = stage
        self._name = name
        self._manager = manager

    async def __aenter__(self) -> None:
        await self._manager.__aenter__()

    async def __aexit__(self, *error: object) -> None:
        self._stage.note(f"{self._name} is left")
        await self._manager.__aexit__(*error)


def counted(stage: Stage, hook: Callable[[tenure.Context], AsyncIterator[None]]) -> None:
    """Declare a hook that is such a manager."""
    make = contextlib.asynccontextmanager(hook)

    @functools.wraps(hook)
    def made(ctx: tenure.Context) -> Counted:
        return Counted(stage, hook.__name__, make(ctx))

    stage.app.hook(made)


def quick(stage: Stage) -> None:
    """Declare a step that is done at once."""

    @stage.app.step
    async def quick(ctx: tenure.Context, input: Any) -> str:
        stage.note("handler")
        return "done"


def failing(stage: Stage, error: BaseException, kind: str = "async") -> None:
    """Declare a step that raises."""
    if kind == "async":

        @stage.app.step
        async def failing(ctx: tenure.Context, input: Any) -> None:
            raise error
    else:

        @stage.app.step("failing")
        def failing_in_its_thread(ctx: tenure.SyncContext, input: Any) -> None:
            raise error


@KINDS
def test_the_order_of_a_delivery(stage: Stage, kind: str) -> None:
    """R-360: hooks in order, guards, the input, what is opened for it, the handler, and back in reverse."""

    @stage.app.hook
    def first(ctx: tenure.Context) -> Iterator[None]:
        stage.note(f"first before {ctx.name}")
        yield
        stage.note("first after")

    @stage.app.around
    async def second(ctx: tenure.Context, next: Callable[[], Any]) -> Any:
        stage.note("second before")
        result = await next()
        stage.note("second after")
        return f"{result} in time"

    @stage.app.hook
    async def third(ctx: tenure.Context) -> AsyncIterator[None]:
        stage.note("third before")
        yield
        stage.note("third after")

    @stage.app.guard
    def guard(ctx: tenure.Context) -> None:
        stage.note("guard")

    @stage.app.guard
    async def async_guard(ctx: tenure.Context) -> None:
        stage.note("async guard")

    weighing(stage, kind)
    report = stage.deliver("weighs", input='{"weight": 1}', slot=kind == "slot")
    assert report.outcome.arguments == ('"done in time"',)
    assert stage.happened == [
        "first before weighs",
        "second before",
        "third before",
        "guard",
        "async guard",
        "input",
        "scales opened",
        "handler",
        "scales left",
        "third after",
        "second after",
        "first after",
    ]


def test_a_guard_is_asked_before_the_input_is_read(stage: Stage) -> None:
    """R-360: it may refuse what is no work for this handler at all."""

    @stage.app.guard
    def guard(ctx: tenure.Context) -> None:
        stage.note("guard")

    weighing(stage, "async")
    assert stage.deliver("weighs", input='{"weight": "much"}').kind == "permanent"
    assert stage.happened == ["guard"]


@KINDS
@pytest.mark.parametrize(
    ("error", "verb", "failed"),
    [
        (tenure.Skip("not today"), "skip", None),
        (tenure.Permanent("never"), "fail", "permanent"),
        (tenure.Retry("later", after=60), "fail", "retryable"),
    ],
)
def test_a_guard_refuses_work_by_a_typed_error(
    stage: Stage, kind: str, error: Exception, verb: str, failed: str | None
) -> None:
    """R-361, R-360: no argument is made, the handler is not called, and the hooks see the refusal."""

    @stage.app.hook
    def sees(ctx: tenure.Context) -> Iterator[None]:
        try:
            yield
        except tenure.HandlerSignal as seen:
            stage.note(type(seen).__name__)
            raise

    @stage.app.guard
    def refuses(ctx: tenure.Context) -> None:
        raise error

    weighing(stage, kind)
    report = stage.deliver("weighs", input='{"weight": 1}', slot=kind == "slot")
    assert (report.verb, report.kind) == (verb, failed)
    assert stage.happened == [type(error).__name__]


@KINDS
@pytest.mark.parametrize("where", ["hook", "around", "guard", "resource"])
def test_what_comes_before_the_handler_shares_its_deadline(stage: Stage, where: str, kind: str) -> None:
    """R-340, R-342: nothing gets a time of its own, and the handler is not reached."""

    async def waits_in(place: str) -> None:
        if where == place:
            await asyncio.sleep(1000)

    @stage.app.hook
    async def hook(ctx: tenure.Context) -> AsyncIterator[None]:
        await waits_in("hook")
        yield

    @stage.app.around
    async def around(ctx: tenure.Context, next: Callable[[], Any]) -> Any:
        await waits_in("around")
        return await next()

    @stage.app.guard
    async def guard(ctx: tenure.Context) -> None:
        await waits_in("guard")

    async def opening() -> None:
        await waits_in("resource")

    async def in_the_loop(ctx: tenure.Context, input: Any, it: Any) -> None:
        stage.note("reached")

    def in_its_thread(ctx: tenure.SyncContext, input: Any, it: Any) -> None:
        stage.note("reached")

    handler: Any = in_the_loop if kind == "async" else in_its_thread
    handler.__annotations__["it"] = Annotated[None, tenure.Resource(opening)]
    stage.app.step("never")(handler)
    report = stage.deliver("never", timeout=LIMIT, slot=kind == "slot")
    assert (report.kind, report.at) == ("timeout", 39.25)
    assert stage.happened == []


def test_next_can_be_called_once(stage: Stage) -> None:
    """R-362."""

    @stage.app.around
    async def retries(ctx: tenure.Context, next: Callable[[], Any]) -> Any:
        try:
            return await next()
        except ValueError:
            return await next()

    failing(stage, ValueError("no good"))
    report = stage.deliver("failing")
    assert report.outcome.arguments[0]["type"] == "tenure.errors.NextCalledTwice"
    assert report.message == "the hook 'retries' called next a second time"


@pytest.mark.parametrize(("early", "verb"), [(False, "complete"), (True, "fail")])
def test_next_does_nothing_once_its_hook_has_returned(
    stage: Stage,
    early: bool,
    verb: str,
) -> None:
    """R-362: else the handler would run after its step was done; `early`: called before, awaited after."""
    kept: list[Any] = []

    @stage.app.around
    async def later(ctx: tenure.Context, next: Callable[[], Any]) -> str:
        kept.append(next() if early else next)
        return "later"

    async def late() -> None:
        with pytest.raises(RuntimeError, match="the hook 'later' called next after it had returned"):
            await (kept[0] if early else kept[0]())
        stage.note("refused")

    quick(stage)
    report = stage.deliver(
        "quick", after=lambda report: report.execution.leftovers.append(asyncio.ensure_future(late()))
    )
    assert (report.verb, stage.happened) == (verb, ["refused"])


def test_what_a_hook_leaves_to_a_task_of_its_own_ends_with_it(stage: Stage) -> None:
    """R-362."""
    tasks: list[Any] = []

    @stage.app.around
    async def leaves(ctx: tenure.Context, next: Callable[[], Any]) -> None:
        tasks.append(asyncio.ensure_future(next()))
        await asyncio.sleep(1)

    @stage.app.step
    async def slow(ctx: tenure.Context, input: Any) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stage.note("cancelled")
            raise

    report = stage.deliver("slow", after=lambda report: report.execution.leftovers.extend(tasks))
    assert report.message == "the hook 'leaves' did not await next()"
    assert stage.events == [("cancelled", 1.0)]


def test_a_hook_that_does_not_call_next_answers_itself(stage: Stage) -> None:
    """R-362."""

    @stage.app.around
    async def cached(ctx: tenure.Context, next: Callable[[], Any]) -> str:
        return "from the cache"

    quick(stage)
    assert stage.deliver("quick").outcome.arguments == ('"from the cache"',)
    assert stage.happened == []


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_a_hook_that_does_not_await_next_fails(stage: Stage) -> None:
    """R-362: else the step would be done and its handler never called."""

    @stage.app.around
    async def forgets(ctx: tenure.Context, next: Callable[[], Any]) -> None:
        next()

    quick(stage)
    assert stage.deliver("quick").message == "the hook 'forgets' did not await next()"


@KINDS
@pytest.mark.parametrize(
    ("error", "failed"),
    [
        (ValueError("no good"), "retryable"),
        (tenure.Permanent("never"), "permanent"),
        (tenure.Uncertain("who knows"), "uncertain"),
    ],
)
def test_a_hook_that_swallows_an_error_changes_nothing(
    stage: Stage, kind: str, error: Exception, failed: str
) -> None:
    """R-363: it stands, with what it says of retries."""

    @stage.app.around
    async def swallows(ctx: tenure.Context, next: Callable[[], Any]) -> str:
        with contextlib.suppress(Exception):
            await next()
        return "all is well"

    @stage.app.hook
    def swallows_too(ctx: tenure.Context) -> Iterator[None]:
        with contextlib.suppress(Exception):
            yield

    failing(stage, error, kind)
    report = stage.deliver("failing", slot=kind == "slot")
    assert (report.kind, report.message) == (failed, str(error))


def test_a_hook_that_swallows_a_cancellation_does_not_keep_the_delivery(stage: Stage) -> None:
    """R-363, R-342."""

    @stage.app.around
    async def swallows(ctx: tenure.Context, next: Callable[[], Any]) -> str:
        with contextlib.suppress(BaseException):
            await next()
        return "all is well"

    @stage.app.step
    async def waits(ctx: tenure.Context, input: Any) -> None:
        await asyncio.sleep(1000)

    report = stage.deliver("waits", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 39.25)


def test_a_hook_that_swallows_a_sleep_does_not_end_the_step(stage: Stage) -> None:
    """R-363, R-348."""

    @stage.app.around
    async def swallows(ctx: tenure.Context, next: Callable[[], Any]) -> str:
        with contextlib.suppress(BaseException):
            await next()
        return "all is well"

    @stage.app.step
    async def naps(ctx: tenure.Context, input: Any) -> None:
        await ctx.sleep(60)

    assert stage.deliver("naps").outcome.arguments == (60.0, "sleep:1")


@pytest.mark.parametrize(
    ("error", "kind"),
    [(tenure.Permanent("never"), "permanent"), (tenure.Uncertain("who knows"), "uncertain")],
)
def test_what_an_error_says_of_retries_survives_the_hook_that_replaces_it(
    stage: Stage, error: Exception, kind: str
) -> None:
    """R-364: even where the new error does not know of it."""

    @stage.app.around
    async def replaces(ctx: tenure.Context, next: Callable[[], Any]) -> None:
        with contextlib.suppress(Exception):
            await next()
        raise RuntimeError("the hook's own")

    failing(stage, error)
    report = stage.deliver("failing")
    assert (report.kind, report.message) == (kind, "the hook's own")


def test_a_delay_survives_it_too_and_a_hook_may_forbid_retries(stage: Stage) -> None:
    """R-364."""

    @stage.app.around
    async def wraps(ctx: tenure.Context, next: Callable[[], Any]) -> None:
        try:
            await next()
        except tenure.Retry as error:
            raise RuntimeError("wrapped") from error
        except ValueError as error:
            raise tenure.Permanent("bad data") from error

    failing(stage, tenure.Retry("later", after=60))
    assert stage.deliver("failing").outcome.arguments[1:] == ("retryable", 60.0)
    again = Stage()
    again.app._hooks.around.append(stage.app._hooks.around[0])
    failing(again, ValueError("no good"))
    assert again.deliver("failing").kind == "permanent"


def test_a_failing_after_hook_fails_the_step_and_is_not_called_again(stage: Stage) -> None:
    """R-360, R-365: the outer hooks learn of it."""

    @stage.app.hook
    def outer(ctx: tenure.Context) -> Iterator[None]:
        try:
            yield
        except OSError:
            stage.note("outer sees it")
            raise

    async def inner(ctx: tenure.Context) -> AsyncIterator[None]:
        yield
        raise OSError("disk full")

    counted(stage, inner)
    quick(stage)
    report = stage.deliver("quick")
    assert (report.kind, report.message) == ("retryable", "disk full")
    assert stage.happened == ["handler", "inner is left", "outer sees it"]


def test_a_pending_after_hook_means_that_the_pipeline_is_unfinished(stage: Stage) -> None:
    """R-365: though the handler has returned. It is interrupted, not asked again, and the others are left."""

    @stage.app.hook
    def outer(ctx: tenure.Context) -> Iterator[None]:
        try:
            yield
        finally:
            stage.note("outer after")

    async def pending(ctx: tenure.Context) -> AsyncIterator[None]:
        yield
        stage.note("pending begins")
        await asyncio.sleep(1000)

    counted(stage, pending)
    quick(stage)
    report = stage.deliver("quick", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 39.25)
    assert stage.events == [
        ("handler", 0.0),
        ("pending is left", 0.0),
        ("pending begins", 0.0),
        ("outer after", 39.25),
    ]


def test_cleanup_owns_what_a_stubborn_handler_had_entered(stage: Stage) -> None:
    """R-366: each once, in reverse, in what is left of the reserve; what takes too long is cut off."""

    @stage.app.hook
    def outer(ctx: tenure.Context) -> Iterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            stage.note("outer after")

    async def slow(ctx: tenure.Context) -> AsyncIterator[None]:
        try:
            yield
        finally:
            async with ctx.cleanup() as cleanup:
                stage.note(("slow begins", cleanup.remaining()))
                await asyncio.sleep(1000)

    counted(stage, slow)

    @stage.app.hook
    async def prompt(ctx: tenure.Context) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await asyncio.sleep(0.1)
            stage.note("prompt after")

    @stage.app.step
    async def stubborn(ctx: tenure.Context, input: Any) -> None:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(1000)

    report = stage.deliver("stubborn", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 40.0)
    assert stage.events == [
        ("prompt after", 39.725),
        ("slow is left", 39.725),
        (("slow begins", pytest.approx(0.275)), 39.725),
        ("outer after", 40.0),
    ]


@pytest.mark.parametrize("slot", [False, True])
def test_a_synchronous_hook_of_a_thread_runs_in_it(stage: Stage, slot: bool) -> None:
    """R-350: before, after and the handler in one thread."""
    threads: list[str] = []

    @stage.app.hook
    def before_and_after(ctx: tenure.SyncContext) -> Iterator[None]:
        threads.append(threading.current_thread().name)
        yield
        threads.append(threading.current_thread().name)

    @stage.app.guard
    def guard(ctx: tenure.SyncContext) -> None:
        threads.append(threading.current_thread().name)

    @stage.app.step
    def handler(ctx: tenure.SyncContext, input: Any) -> None:
        threads.append(threading.current_thread().name)

    assert stage.deliver("handler", slot=slot).verb == "complete"
    assert threads == ["on stage"] * 4


def test_a_timeout_within_a_hook_is_an_error_of_the_handler(stage: Stage) -> None:
    """R-362: `next` is awaited in the hook's own task, so that such blocks work as everywhere."""

    @stage.app.around
    async def bounded(ctx: tenure.Context, next: Callable[[], Any]) -> Any:
        async with asyncio.timeout(5):
            return await next()

    @stage.app.step
    async def waits(ctx: tenure.Context, input: Any) -> None:
        await asyncio.sleep(1000)

    report = stage.deliver("waits", timeout=LIMIT)
    assert (report.kind, report.outcome.arguments[0]["type"], report.at) == ("retryable", "TimeoutError", 5.0)


def test_hooks_are_checked_when_they_are_declared(stage: Stage) -> None:
    """R-367."""

    def plain(ctx: tenure.Context) -> None: ...

    async def one(ctx: tenure.Context) -> None: ...

    def yields(ctx: tenure.Context) -> Iterator[None]:
        yield

    def two(ctx: tenure.Context, other: int) -> Iterator[None]:
        yield

    cases: list[tuple[Callable[[Any], Any], Any, str]] = [
        (stage.app.hook, plain, "hook 'plain' does not yield"),
        (stage.app.hook, two, "hook 'two' takes"),
        (stage.app.around, plain, "hook 'plain' is not async"),
        (stage.app.around, one, "hook 'one' takes"),
        (stage.app.guard, yields, "guard 'yields' is no plain or async function"),
        (stage.app.around_worker, plain, "hook 'plain' is not async"),
    ]
    for register, function, message in cases:
        with pytest.raises(tenure.ArgumentInvalid, match=message):
            register(function)
    assert stage.app.worker_hooks == ()


def test_a_hook_on_its_way_back_has_the_whole_rest_of_the_reserve(stage: Stage) -> None:
    """R-366: it is not let go of halfway, as a handler is, whether that was reached or not."""

    @stage.app.hook
    async def outer(ctx: tenure.Context) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await asyncio.sleep(0.5)
            stage.note("outer after")

    @stage.app.hook
    async def inner(ctx: tenure.Context) -> AsyncIterator[None]:
        if ctx.name == "not_reached":
            await asyncio.sleep(1000)
        yield

    @stage.app.step
    async def reached(ctx: tenure.Context, input: Any) -> None:
        await asyncio.sleep(1000)

    @stage.app.step
    async def not_reached(ctx: tenure.Context, input: Any) -> None:
        stage.note("reached")

    for name in ("reached", "not_reached"):
        assert stage.deliver(name, timeout=LIMIT).at == 39.75
    assert stage.events == [("outer after", 39.75)] * 2


def test_an_around_hook_on_its_way_back_has_it_too(stage: Stage) -> None:
    """R-366."""

    @stage.app.around
    async def slow(ctx: tenure.Context, next: Callable[[], Any]) -> Any:
        try:
            return await next()
        finally:
            await asyncio.sleep(0.5)
            stage.note("slow after")

    @stage.app.step
    async def waits(ctx: tenure.Context, input: Any) -> None:
        await asyncio.sleep(1000)

    report = stage.deliver("waits", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 39.75)
    assert stage.events == [("slow after", 39.75)]


def test_cleanup_runs_in_a_task_that_is_not_cancelled_any_more(stage: Stage) -> None:
    """R-366: what it uses of asyncio works as it does elsewhere."""

    @stage.app.hook
    async def hook(ctx: tenure.Context) -> AsyncIterator[None]:
        try:
            yield
        finally:
            task = asyncio.current_task()
            assert task is not None
            stage.note(task.cancelling())

    @stage.app.step
    async def stubborn(ctx: tenure.Context, input: Any) -> None:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(1000)

    stage.deliver("stubborn", timeout=LIMIT)
    assert stage.events == [(0, 39.625)]


def test_a_hook_that_raises_what_closes_coroutines_on_its_way_back_is_not_the_last_that_is_left(
    stage: Stage,
) -> None:
    """R-365: the others are left all the same, and the step fails."""

    @stage.app.hook
    def outer(ctx: tenure.Context) -> Iterator[None]:
        try:
            yield
        finally:
            stage.note("outer")

    @stage.app.hook
    async def inner(ctx: tenure.Context) -> AsyncIterator[None]:
        yield
        raise GeneratorExit

    quick(stage)
    report = stage.deliver("quick")
    assert (report.verb, report.message) == ("fail", "'inner' raised GeneratorExit")
    assert stage.happened[-1] == "outer"
