"""Declaring steps: everything that is wrong with one is told at import."""

from __future__ import annotations

import asyncio
import functools
import threading
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import tenure
from tenure import ArgumentInvalid, DurationInvalid, NameInvalid, TooLarge, _calls
from tests.client.decorators import logged

if TYPE_CHECKING:
    from tenure import Context  # as users write it: not there when the program runs


@dataclass
class Order:
    id: int


async def plain(ctx: Any, input: Any) -> Any:
    return [ctx, input]


@pytest.fixture
def app() -> tenure.App:
    return tenure.App("postgresql://nobody@nowhere.invalid/nothing")


def test_a_step_stays_the_function_that_it_is(app: tenure.App) -> None:
    step = app.step(plain)
    assert asyncio.run(step("ctx", 1)) == ["ctx", 1]
    assert step.name == "plain"
    assert app.steps == {"plain": step}


def test_the_decorator_takes_a_name_and_a_policy(app: tenure.App) -> None:
    @app.step("ship.order", kind="async", timeout=30, max_attempts=3, headers={"a": 1})
    async def ship(ctx: Context, order: Order) -> int:
        return order.id

    assert ship.name == "ship.order"
    assert ship.options == {"timeout": 30, "max_attempts": 3, "headers": {"a": 1}}
    assert app.steps["ship.order"] is ship


def sync_handler(ctx: Any, input: Any, more: Any = None) -> Any:
    return input


class SyncCallable:
    def __call__(self, ctx: Any, input: Any) -> Any:
        return [ctx, input]


class AsyncCallable:
    async def __call__(self, ctx: Any, input: Any) -> Any:
        return [ctx, input]


@pytest.mark.parametrize(
    ("handler", "detected"),
    [(plain, "async"), (sync_handler, "thread"), (AsyncCallable(), "async"), (SyncCallable(), "thread")],
)
def test_the_kind_is_detected(app: tenure.App, handler: Any, detected: str) -> None:
    """R-350."""
    step = app.step("detected")(handler)
    assert (step.kind, step.threaded) == (detected, detected == "thread")


@pytest.mark.parametrize(
    ("handler", "kind", "threaded"),
    [
        (plain, "async", False),
        (sync_handler, "thread", True),
        (plain, "process", False),
        (sync_handler, "process", True),
    ],
)
def test_the_kind_can_be_stated(app: tenure.App, handler: Any, kind: Any, threaded: bool) -> None:
    """R-350."""
    step = app.step(kind=kind)(handler)
    assert (step.kind, step.threaded) == (kind, threaded)


async def generator(ctx: Any, input: Any) -> Any:
    yield input


def sync_generator(ctx: Any, input: Any) -> Any:
    yield input


@pytest.mark.parametrize(
    ("handler", "kind", "message"),
    [
        (sync_handler, "async", "is not async"),
        (plain, "thread", "is async, and a thread would run it in no loop"),
        (plain, "fiber", "there is no kind 'fiber'"),
        (generator, None, "the handler yields"),
        (sync_generator, "process", "the handler yields"),
    ],
)
def test_a_handler_that_cannot_be_of_its_kind_is_refused(
    app: tenure.App, handler: Any, kind: Any, message: str
) -> None:
    """R-350."""
    with pytest.raises(ArgumentInvalid, match=message):
        app.step(kind=kind)(handler)
    assert app.steps == {}


def test_a_handler_of_a_process_that_cannot_be_pickled_is_refused(app: tenure.App) -> None:
    """R-354: at import. The same handlers do in a thread."""

    def local(ctx: Any, input: Any) -> None: ...

    holds_a_lock = functools.partial(sync_handler, more=threading.Lock())
    handlers: list[Any] = [local, lambda ctx, input: [ctx, input], holds_a_lock]
    for number, handler in enumerate(handlers):
        with pytest.raises(ArgumentInvalid, match="the handler of a process cannot be pickled"):
            app.step(f"step {number}", kind="process")(handler)
        app.step(f"step {number}")(handler)


async def no_input(ctx: Any) -> None: ...
async def keyword(ctx: Any, *, input: Any) -> None: ...
async def variadic(*args: Any) -> None: ...
def synchronous() -> None: ...


@pytest.mark.parametrize(
    ("handler", "takes", "hint"),
    [
        (no_input, "ctx", "async def"),
        (keyword, "ctx, *, input", "async def"),
        (variadic, "*args", "async def"),
        (synchronous, "", "def"),
    ],
)
def test_a_handler_takes_ctx_and_input(app: tenure.App, handler: Any, takes: str, hint: str) -> None:
    with pytest.raises(ArgumentInvalid) as caught:
        app.step("x")(handler)
    assert str(caught.value) == f"step 'x': the handler must take ctx and input, and takes ({takes})"
    assert caught.value.hint == f"Write: {hint} handler(ctx, input)."


def test_two_steps_of_one_name_are_refused(app: tenure.App) -> None:
    app.step(plain)
    with pytest.raises(ArgumentInvalid, match="two steps are named 'plain'"):
        app.step(plain)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"timeout": -1}, DurationInvalid),
        ({"deadline": "5 s"}, DurationInvalid),
        ({"max_attempts": 1.5}, ArgumentInvalid),
        ({"priority": True}, ArgumentInvalid),
        ({"headers": ["a"]}, ArgumentInvalid),
        ({"headers": {"a": float("nan")}}, ArgumentInvalid),
        ({"headers": {"a": "x" * 70_000}}, TooLarge),
        ({"backoff": 3}, ArgumentInvalid),
        ({"queue": ""}, NameInvalid),
        ({"on_timeout": 1}, ArgumentInvalid),
        ({"timeuot": 1}, TypeError),
        ({"idempotency_key": "a"}, TypeError),
    ],
    ids=repr,
)
def test_a_bad_policy_is_refused_at_import(app: tenure.App, options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        app.step(**options)(plain)
    assert app.steps == {}


@pytest.mark.parametrize("name", ["", "x" * 1001, "a\0", "\ud800"], ids=ascii)
def test_a_bad_name_is_refused(app: tenure.App, name: str) -> None:
    with pytest.raises(NameInvalid):
        app.step(name)(plain)
    with pytest.raises(NameInvalid):
        app.step()(functools.partial(plain))


def test_an_annotation_that_json_cannot_fill_is_refused(app: tenure.App) -> None:
    async def bytes_handler(ctx: Any, data: bytes) -> None: ...

    async def unknown(ctx: Any, data: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    for handler in (bytes_handler, unknown):
        with pytest.raises(ArgumentInvalid, match="the input cannot be read as") as caught:
            app.step(handler)
        assert caught.value.hint
    assert app.steps == {}


def test_a_decorated_handler_is_read_like_the_one_within(app: tenure.App) -> None:
    @app.step
    @logged
    async def ship(ctx: Any, order: Order) -> int:
        return order.id

    assert ship.name == "ship"
    assert ship.read_input('{"id": 3}') == Order(3)


def test_a_class_that_the_handler_uses_may_be_local(app: tenure.App) -> None:
    @dataclass
    class Local:
        id: int

    @app.step
    @logged
    async def ship(ctx: Any, order: Local) -> Local:
        return Local(order.id + 1)

    assert ship.read_input('{"id": 3}') == Local(3)


def test_inputs_are_read_and_outputs_written(app: tenure.App) -> None:
    @app.step
    async def ship(ctx: Any, order: Order) -> Order:
        return order

    assert ship.read_input('{"id": 3}') == Order(3)
    with pytest.raises(ArgumentInvalid):
        ship.read_input('{"id": "3"}')
    assert ship.encode_output(Order(3)) == '{"id": 3}'
    assert ship.encode_output(None) is None
    with pytest.raises(ArgumentInvalid, match="output is nan"):
        ship.encode_output(float("nan"))


def test_an_input_that_does_not_fit_is_refused_before_anything_is_asked(app: tenure.App) -> None:
    @app.step
    async def ship(ctx: Any, order: Order) -> None: ...

    # The app's database does not exist: reaching for it would be another error.
    for enqueue in (
        ship.enqueue,
        lambda value: app.enqueue("ship", value),
        lambda value: app.enqueue(ship, value),
    ):
        with pytest.raises(ArgumentInvalid, match="input has no id"):
            enqueue({})
    with pytest.raises(ArgumentInvalid, match="input has no id"):
        asyncio.run(ship.aenqueue({}))
    with pytest.raises(ArgumentInvalid, match="input has no id"):
        asyncio.run(app.aenqueue(ship, {}))


def test_the_policy_of_the_step_goes_with_each_enqueue_and_yields_to_what_that_says(app: tenure.App) -> None:
    step = app.step(timeout=30, max_attempts=3)(plain)
    call = _calls.enqueue(step.name, {}, **step.with_policy({"timeout": 5, "max_attempts": None, "delay": 1}))
    assert isinstance(call.params, dict)
    given = {name: value for name, value in call.params.items() if value is not None}
    assert given == {
        "name": "plain",
        "input": "{}",
        "timeout": timedelta(seconds=5),
        "max_attempts": 3,
        "delay": timedelta(seconds=1),
    }


def test_the_name_is_a_parameter_like_any_other(app: tenure.App) -> None:
    assert app.step(name="by word")(plain).name == "by word"
    assert app.step("by place")(plain).name == "by place"
    assert app.step(name=None)(plain).name == "plain"


def test_what_has_no_signature_is_refused(app: tenure.App) -> None:
    handler: Any = int
    with pytest.raises(ArgumentInvalid, match="step 'x': the handler does not say which"):
        app.step("x")(handler)
    assert app.steps == {}
