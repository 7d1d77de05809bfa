"""What is injected into handlers, and left again. Where there is a limit, it is 40 s: P = 39, H = 40."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
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


@contextlib.contextmanager
def leaving(name: str) -> Iterator[str]:
    """Say when it is entered, and how it is left."""
    STAGE.get().note(f"{name} opened")
    try:
        yield name
    except BaseException as error:
        STAGE.get().note(f"{name} left by {type(error).__name__}")
        raise
    else:
        STAGE.get().note(f"{name} left")


def base(ctx: tenure.Context) -> Iterator[str]:
    """A resource that others need."""
    with leaving(f"base of {ctx.step_id}") as name:
        yield name


async def left_hand(base: Base) -> AsyncIterator[str]:
    """One that needs it, asynchronous."""
    with leaving("left hand"):
        yield f"left on {base}"


@contextlib.contextmanager
def right_hand(base: Base, *, size: int = 3) -> Iterator[str]:
    """Another one, a context manager already."""
    with leaving("right hand"):
        yield f"right on {base}, {size}"


class Session:
    """A class that is its own context manager."""

    async def __aenter__(self) -> str:
        STAGE.get().note("session opened")
        return "session"

    async def __aexit__(self, *error: object) -> bool:
        STAGE.get().note("session left")
        return True


async def plain() -> str:
    """A resource that needs no leaving."""
    return "plain"


def broken() -> Iterator[None]:
    """One that does not open."""
    with contextlib.suppress(KeyError):
        raise OSError("no room")
    yield


def worn() -> Iterator[str]:
    """One that fails when it is left."""
    yield "worn"
    raise OSError("it broke")


class Slow:
    """One that takes its time to close."""

    async def __aenter__(self) -> str:
        return "slow"

    async def __aexit__(self, *error: object) -> None:
        STAGE.get().note("slow begins")
        await asyncio.sleep(1000)


Base = Annotated[str, tenure.Resource(base)]
Left = Annotated[str, tenure.Resource(left_hand)]
Right = Annotated[str, tenure.Resource(right_hand)]


async def held(ctx: Any) -> AsyncIterator[None]:
    """What waits twice on its way out."""
    STAGE.get().note("held")
    try:
        yield
    finally:
        try:
            await asyncio.sleep(1000)
        finally:
            try:
                await asyncio.sleep(1000)
            finally:
                STAGE.get().note("free")


def both_hands(stage: Stage, *, wait: bool = False, error: Exception | None = None) -> None:
    """Declare a step that uses two resources with one in common."""

    @stage.app.step
    async def works(ctx: tenure.Context, input: Any, left: Left, *, right: Right) -> list[str]:
        stage.note("handler")
        if wait:
            await asyncio.sleep(1000)
        if error is not None:
            raise error
        return [left, right]


def test_resources_are_opened_by_need_once_and_left_in_reverse(stage: Stage) -> None:
    """R-370."""
    both_hands(stage)
    assert stage.deliver("works").outcome.arguments == ('["left on base of 7", "right on base of 7, 3"]',)
    assert stage.happened == [
        "base of 7 opened",
        "left hand opened",
        "right hand opened",
        "handler",
        "right hand left",
        "left hand left",
        "base of 7 left",
    ]


@pytest.mark.parametrize("error", [ValueError("no good"), tenure.Skip("nothing to do")])
def test_resources_are_left_with_the_error_of_the_handler(stage: Stage, error: Exception) -> None:
    """R-370."""
    both_hands(stage, error=error)
    stage.deliver("works")
    name = type(error).__name__
    assert stage.happened[4:] == [
        f"{what} left by {name}" for what in ("right hand", "left hand", "base of 7")
    ]


@pytest.mark.parametrize("reason", ["timed_out", "shutdown", "cancelled", "lease_lost"])
def test_resources_are_left_when_the_handler_is_stopped(stage: Stage, reason: Any) -> None:
    """R-370, R-366."""
    both_hands(stage, wait=True)
    report = stage.deliver("works", stops=((5.0, reason, None),))
    assert report.at == 5.25
    names = ("right hand", "left hand", "base of 7")
    assert stage.events[4:] == [(f"{what} left by CancelledError", 5.25) for what in names]


def test_resources_are_left_before_the_hooks_around_them(stage: Stage) -> None:
    """R-360."""

    @stage.app.hook
    def hook(ctx: tenure.Context) -> Iterator[None]:
        stage.note("before")
        yield
        stage.note("after")

    both_hands(stage)
    stage.deliver("works")
    assert (stage.happened[0], stage.happened[-2:]) == ("before", ["base of 7 left", "after"])


def test_a_class_and_a_plain_function_can_be_resources_and_swallowing_changes_nothing(stage: Stage) -> None:
    """R-370, R-363: its `__aexit__` answers True, and the error stands."""

    @stage.app.step
    async def works(
        ctx: tenure.Context,
        input: Any,
        session: Annotated[str, tenure.Resource(Session)],
        plain: Annotated[str, tenure.Resource(plain)],
    ) -> None:
        stage.note([session, plain])
        raise ValueError("no good")

    assert stage.deliver("works").message == "no good"
    assert stage.happened == ["session opened", ["session", "plain"], "session left"]


def test_what_was_opened_is_left_when_the_next_does_not_open(stage: Stage) -> None:
    """R-370."""

    @stage.app.step
    async def works(
        ctx: tenure.Context, input: Any, left: Left, broken: Annotated[None, tenure.Resource(broken)]
    ) -> None:
        stage.note("not reached")

    report = stage.deliver("works")
    assert (report.kind, report.message) == ("retryable", "no room")
    assert stage.happened == [
        "base of 7 opened",
        "left hand opened",
        "left hand left by OSError",
        "base of 7 left by OSError",
    ]


def test_a_resource_that_fails_when_it_is_left_fails_the_step(stage: Stage) -> None:
    """R-370: what it was to store may not be there. The others are left all the same."""

    @stage.app.step
    async def works(
        ctx: tenure.Context, input: Any, left: Left, worn: Annotated[str, tenure.Resource(worn)]
    ) -> str:
        return worn

    report = stage.deliver("works")
    assert (report.kind, report.message) == ("retryable", "it broke")
    assert stage.happened[-2:] == ["left hand left by OSError", "base of 7 left by OSError"]


def test_a_resource_that_takes_too_long_to_close_is_cut_off_and_the_others_are_left(stage: Stage) -> None:
    """R-366: all share the reserve."""

    @stage.app.step
    async def works(
        ctx: tenure.Context, input: Any, left: Left, slow: Annotated[str, tenure.Resource(Slow)]
    ) -> None:
        await asyncio.sleep(1000)

    report = stage.deliver("works", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 40.0)
    assert stage.events[2:] == [
        ("slow begins", 39.25),
        ("left hand left by CancelledError", 40.0),
        ("base of 7 left by CancelledError", 40.0),
    ]


class Door:
    """What is opened and says each time when it is left, which a generator says once at most."""

    def __init__(self, stage: Stage, leaving: str) -> None:
        self.stage = stage
        self.leaving = leaving

    def left(self) -> None:
        """Somebody leaves it."""
        self.stage.note("left")
        if self.leaving == "raises":
            raise OSError("it broke")


class LoopDoor(Door):
    """One of the loop's."""

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *error: object) -> None:
        self.left()
        if self.leaving == "takes long":
            await asyncio.sleep(100)


class ThreadDoor(Door):
    """One of a thread's."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        self.left()
        if self.leaving == "takes long":
            self.stage.sleep(100)


@pytest.mark.parametrize(
    ("kind", "door"),
    [
        ("async", LoopDoor),
        ("thread", LoopDoor),
        ("thread", ThreadDoor),
        ("slot", LoopDoor),
        ("slot", ThreadDoor),
    ],
)
@pytest.mark.parametrize("leaving", ["is quick", "takes long", "raises"])
@pytest.mark.parametrize("handler", ["returns", "raises", "is dropped", "is stubborn"])
def test_what_was_opened_is_left_once_on_every_path(
    stage: Stage, kind: str, door: type[Door], leaving: str, handler: str
) -> None:
    """R-365, R-366, R-370: also where its leaving raised, or was cut off."""

    async def in_the_loop(ctx: tenure.Context, input: Any, it: Any) -> None:
        if handler == "raises":
            raise ValueError("no good")
        while handler in {"is dropped", "is stubborn"}:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                if handler == "is dropped":
                    raise

    def in_its_thread(ctx: tenure.SyncContext, input: Any, it: Any) -> None:
        if handler == "raises":
            raise ValueError("no good")
        if handler in {"is dropped", "is stubborn"}:
            stage.sleep(50, deaf=handler == "is stubborn")

    works: Any = in_the_loop if kind == "async" else in_its_thread
    works.__annotations__["it"] = Annotated[None, tenure.Resource(lambda: door(stage, leaving))]
    stage.app.step("works")(works)
    stage.deliver("works", timeout=LIMIT, slot=kind == "slot")
    assert stage.happened == ["left"]


@pytest.mark.parametrize("kind", ["async", "thread", "slot"])
@pytest.mark.parametrize(
    ("how", "verb", "left"),
    [
        ("sleeps", "sleep", "left by Suspended"),
        ("waits", "wait_signal", "left by Suspended"),
        ("returns what cannot be stored", "fail", "left"),
    ],
)
def test_resources_are_left_by_what_ends_otherwise(
    stage: Stage, kind: str, how: str, verb: str, left: str
) -> None:
    """R-370, R-348: a sleep and a wait may last for months."""

    async def in_the_loop(ctx: tenure.Context, input: Any, base: Base) -> object:
        if how == "sleeps":
            await ctx.sleep(60)
        if how == "waits":
            await ctx.wait_signal("go")
        return object()

    def in_its_thread(ctx: tenure.SyncContext, input: Any, base: Base) -> object:
        if how == "sleeps":
            ctx.sleep(60)
        if how == "waits":
            ctx.wait_signal("go")
        return object()

    works: Any = in_the_loop if kind == "async" else in_its_thread
    stage.app.step("works")(works)
    assert stage.deliver("works", slot=kind == "slot").verb == verb
    assert stage.happened == ["base of 7 opened", f"base of 7 {left}"]


@contextlib.asynccontextmanager
async def waits_for_another() -> AsyncIterator[None]:
    """What waits on its way out for a task that swallows each cancellation."""

    async def swallows() -> None:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(1000)

    try:
        yield
    finally:
        await asyncio.create_task(swallows())


def test_what_waits_for_another_task_on_its_way_out_is_cut_off_too(stage: Stage) -> None:
    """R-366, R-381: although that task is not."""

    @stage.app.step
    async def uses(
        ctx: tenure.Context, input: Any, left: Left, it: Annotated[None, tenure.Resource(waits_for_another)]
    ) -> None:
        await asyncio.sleep(1000)

    report = stage.deliver("uses", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 40.0)
    assert stage.happened[-1] == "base of 7 left by CancelledError"


@pytest.mark.parametrize("form", ["hook", "resource", "block in the handler"])
def test_what_is_cut_off_on_its_way_out_runs_all_its_finally_blocks(stage: Stage, form: str) -> None:
    """R-381: what waits in one of them does not keep the others; a lock in there would be held for good."""

    if form == "hook":
        stage.app.hook(held)

    @stage.app.step
    async def uses(ctx: tenure.Context, input: Any) -> None:
        if form == "block in the handler":
            async with contextlib.asynccontextmanager(held)(ctx):
                await asyncio.sleep(1000)
        await asyncio.sleep(1000)

    @stage.app.step
    async def injected(ctx: tenure.Context, input: Any, it: Annotated[None, tenure.Resource(held)]) -> None:
        await asyncio.sleep(1000)

    name = "injected" if form == "resource" else "uses"
    report = stage.deliver(name, timeout=LIMIT, after=lambda _: stage.note("delivered"))
    assert report.kind == "timeout"
    assert stage.happened == ["held", "free", "delivered"]


def test_what_was_opened_by_what_blocks_the_loop_is_left_in_time_too(stage: Stage) -> None:
    """R-341, R-366: no timer could ring before the handler came back."""

    @stage.app.step
    async def blocks(
        ctx: tenure.Context, input: Any, left: Left, slow: Annotated[str, tenure.Resource(Slow)]
    ) -> None:
        stage.block(39.4)

    report = stage.deliver("blocks", timeout=LIMIT)
    assert (report.kind, report.at) == ("timeout", 40.0)
    assert stage.events[-1] == ("base of 7 left by CancelledError", 40.0)


def test_the_keys_of_a_workflow_are_injected_by_name(stage: Stage) -> None:
    """R-371."""

    @stage.app.step
    async def parses(ctx: tenure.Context, input: Any, page: str, etag: int | None = None) -> list[Any]:
        assert ctx.keys["page"] == page
        return [page, etag]

    assert stage.deliver("parses", keys='{"page": "<p>"}').outcome.arguments == ('["<p>", null]',)
    for keys in ("{}", '{"page": 1}'):
        report = Stage(app=stage.app).deliver("parses", keys=keys)
        assert (report.kind, report.outcome.arguments[0]["type"]) == (
            "permanent",
            "tenure.errors.ArgumentInvalid",
        )


def in_a_circle(it: Annotated[Any, tenure.Resource(lambda: in_a_circle)]) -> Any:
    """Needs itself, once the test has changed what it needs."""
    return it


def needs_more(it: int) -> int:
    """Needs what is no resource."""
    return it


async def circular(ctx: tenure.Context, input: Any, it: Annotated[Any, tenure.Resource(in_a_circle)]) -> None:
    """A handler that cannot be served."""


async def unknown(ctx: tenure.Context, input: Any, it: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Another one."""


async def stars(ctx: tenure.Context, input: Any, *it: int) -> None:
    """Another one."""


async def more(ctx: tenure.Context, input: Any, it: Annotated[int, tenure.Resource(needs_more)]) -> None:
    """Another one."""


def test_what_cannot_be_injected_is_refused_at_import(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-372."""
    monkeypatch.setitem(in_a_circle.__annotations__, "it", Annotated[Any, tenure.Resource(in_a_circle)])
    cases: list[tuple[Any, str]] = [
        (circular, "in_a_circle needs in_a_circle, which is a circle"),
        (unknown, "name 'Nowhere' is not defined"),
        (stars, "cannot be passed by name"),
        (more, "needs_more needs it: 'int', which is neither ctx nor a resource"),
    ]
    for handler, detail in cases:
        with pytest.raises(tenure.ArgumentInvalid, match="nothing can be injected for") as refused:
            stage.app.step(handler)
        assert detail in str(refused.value.detail)
