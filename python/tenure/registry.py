"""Steps: handlers with a name and a policy.

::

    app = tenure.App("postgresql:///shop")

    @dataclass
    class Order:
        id: int
        lines: list[Line]

    @app.step(timeout=30, max_attempts=3)
    async def ship(ctx, order: Order) -> dict[str, int]:
        ...

    run = ship.enqueue(Order(id=7, lines=[]))

The policy holds in two ways that agree: a worker declares it to the database when it starts, for those who
enqueue by SQL; and whoever enqueues through the app sends it with each run, for a worker may not have
started yet, or may be of another release. What one enqueue says itself beats both.
"""

from __future__ import annotations

import inspect
import pickle
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, Unpack, overload

from tenure import _check, _hooks, _json
from tenure._hooks import Callee, Hooks, WorkerHook, generator
from tenure._options import (
    ENQUEUE_OPTIONS,
    NO_INPUT,
    STEP_OPTIONS,
    EnqueueOptions,
    StepOptions,
    checked,
    input_text,
)
from tenure._resources import Sources, resolve, sources
from tenure._typed import Reader, anything, reader
from tenure.errors import ArgumentInvalid

if TYPE_CHECKING:
    import psycopg

    from tenure.run import AsyncRun, Run

Handler = Callable[..., Any]
H = TypeVar("H", bound=Handler)
F = TypeVar("F", bound=Callable[..., Any])

Kind = Literal["async", "thread", "process"]


class Enqueuer(Protocol):
    """What a step needs of its app."""

    def enqueue(
        self,
        name: str,
        input: object = NO_INPUT,
        *,
        conn: psycopg.Connection[Any] | None = None,
        **options: Unpack[EnqueueOptions],
    ) -> Run:
        """Create a run."""

    async def aenqueue(
        self,
        name: str,
        input: object = NO_INPUT,
        *,
        conn: psycopg.AsyncConnection[Any] | None = None,
        **options: Unpack[EnqueueOptions],
    ) -> AsyncRun:
        """Create a run."""


@dataclass(frozen=True, eq=False)
class Step(Generic[H]):
    """A handler under its name, with its policy; still called as the function that it is."""

    name: str
    handler: H
    kind: Kind
    options: StepOptions
    hooks: Hooks = field(repr=False)
    callee: Callee = field(repr=False)
    """The handler as the worker calls it."""
    injected: Sources = field(repr=False)
    """What it gets beside `ctx` and `input`, by parameter."""
    _enqueuer: Enqueuer = field(repr=False)
    _reader: Reader = field(repr=False)

    @property
    def threaded(self) -> bool:
        """Whether the handler is synchronous, so that it blocks whatever thread it runs in."""
        return not self.callee.asynchronous

    @property
    def __call__(self) -> H:
        """The handler itself, to be called with `(ctx, input)`, in a test for instance."""
        return self.handler

    def enqueue(
        self,
        input: object = NO_INPUT,
        *,
        conn: psycopg.Connection[Any] | None = None,
        **options: Unpack[EnqueueOptions],
    ) -> Run:
        """Create a run of this step; with `conn` in the caller's transaction."""
        return self._enqueuer.enqueue(self.name, input, conn=conn, **options)

    async def aenqueue(
        self,
        input: object = NO_INPUT,
        *,
        conn: psycopg.AsyncConnection[Any] | None = None,
        **options: Unpack[EnqueueOptions],
    ) -> AsyncRun:
        """Create a run of this step, from asynchronous code."""
        return await self._enqueuer.aenqueue(self.name, input, conn=conn, **options)

    def with_policy(self, options: EnqueueOptions) -> EnqueueOptions:
        """Return the options of one enqueue, completed by the step's policy."""
        own = {name: value for name, value in self.options.items() if name in ENQUEUE_OPTIONS}
        given = {name: value for name, value in options.items() if value is not None}
        return typing.cast("EnqueueOptions", {**own, **given})

    def check_input(self, value: object) -> None:
        """Refuse an input that the handler's annotation does not fit, before it is enqueued."""
        if self._reader is not anything:
            self.read_input(input_text(value))

    def read_input(self, text: str) -> Any:
        """Return the handler's input; ArgumentInvalid when it is not what the annotation says."""
        return self._reader(_json.decode(text), "input")

    def encode_output(self, value: object) -> str | None:
        """Return what the handler returned as JSON text, None for None."""
        return None if value is None else _json.encode(value, what="output", limit=_json.OUTPUT_BYTES)


class Registry:
    """The steps of one app, by name."""

    def __init__(self, enqueuer: Enqueuer) -> None:
        self._enqueuer = enqueuer
        self._steps: dict[str, Step[Any]] = {}
        self._hooks = Hooks()

    @property
    def steps(self) -> Mapping[str, Step[Any]]:
        """The declared steps by name."""
        return types.MappingProxyType(self._steps)

    @overload
    def step(self, name: H, /) -> Step[H]: ...

    @overload
    def step(
        self, name: str | None = None, *, kind: Kind | None = None, **options: Unpack[StepOptions]
    ) -> Callable[[H], Step[H]]: ...

    def step(
        self, name: H | str | None = None, *, kind: Kind | None = None, **options: Unpack[StepOptions]
    ) -> Step[H] | Callable[[H], Step[H]]:
        """Declare a handler, a function of `(ctx, input)`, as a step: ``@app.step`` or ``@app.step(...)``.

        The name is that of the function where none is given. An `async def` runs in an event loop that it
        shares with others (`kind="async"`), any other function in a thread of its own (`"thread"`). With
        `kind="process"` either runs in a process of its own, which can be killed. What the handler declares
        after `ctx` and `input` is injected: resources (`Resource`), and by its name the key of a workflow.

        Everything is checked here, at import: the options, the handler's form and kind, that its input can
        be read from JSON, and that whatever else it asks for can be had.
        """
        if callable(name):
            return self._declare(name, None, kind, options)

        def declare(handler: H) -> Step[H]:
            return self._declare(handler, name, kind, options)

        return declare

    def _declare(self, handler: H, name: str | None, kind: str | None, options: StepOptions) -> Step[H]:
        step_name = _check.name("name", getattr(handler, "__name__", None) if name is None else name)
        if step_name in self._steps:
            raise ArgumentInvalid(f"two steps are named {step_name!r}", hint="Give one of them another name.")
        checked(options, STEP_OPTIONS)
        first_two, others = _parameters(step_name, handler)
        step = Step(
            name=step_name,
            handler=handler,
            kind=_kind(step_name, handler, kind),
            options=options,
            hooks=self._hooks,
            callee=Callee.of(handler),
            injected=sources(step_name, handler, others),
            _enqueuer=self._enqueuer,
            _reader=_input_reader(step_name, handler, first_two[1].annotation),
        )
        self._steps[step_name] = step
        return step

    # -- hooks -----------------------------------------------------------------------------------------

    def hook(self, function: F) -> F:
        """Run this function around each handler: it gets `ctx` and yields once.

        What is before the `yield` runs before, in the order of declaration; what is after it, after, the last
        first. An error of the handler is raised at the `yield`; to swallow it changes nothing. Where a
        handler has a thread or process of its own, a synchronous hook runs there too.
        """
        self._hooks.around.append(_hooks.block(function))
        return function

    def around(self, function: F) -> F:
        """Run ``async def hook(ctx, next)`` around each handler; it returns what `await next()` returned, or
        something else.

        It calls `next` once at most; again raises NextCalledTwice, for only policies retry. An error that
        `next` raised stands, even if the hook swallows it.
        """
        self._hooks.around.append(_hooks.around(function))
        return function

    def guard(self, function: F) -> F:
        """Ask this function of `ctx` before each handler; it refuses work by raising, `Skip` for instance."""
        self._hooks.guards.append(_hooks.guard(function))
        return function

    def around_worker(self, function: F) -> F:
        """Run ``async def hook(next)`` around the worker, in each process that runs handlers.

        Before `await next()` it opens what handlers share, after it, it closes that.
        """
        self._hooks.worker.append(_hooks.around_worker(function))
        return function

    @property
    def worker_hooks(self) -> tuple[WorkerHook, ...]:
        """The hooks around the worker, the outermost first."""
        return tuple(self._hooks.worker)


def _kind(step_name: str, handler: Handler, kind: str | None) -> Kind:
    """The kind as detected or stated; refuses a handler that cannot be of it."""
    if generator(handler):
        raise ArgumentInvalid(f"step {step_name!r}: the handler yields", hint="A handler returns its result.")
    asynchronous = _hooks.awaited(handler)
    match kind:
        case None:
            return "async" if asynchronous else "thread"
        case "async" if not asynchronous:
            raise ArgumentInvalid(
                f"step {step_name!r}: the handler is not async",
                hint="Write async def, or leave the kind out: it then runs in a thread.",
            )
        case "thread" if asynchronous:
            raise ArgumentInvalid(
                f"step {step_name!r}: the handler is async, and a thread would run it in no loop",
                hint="Write def, or leave the kind out: it then runs in the worker's loop.",
            )
        case "process":
            _check_found(step_name, handler)
            return "process"
        case "async":
            return "async"
        case "thread":
            return "thread"
        case _:
            raise ArgumentInvalid(
                f"step {step_name!r}: there is no kind {kind!r}", hint="Kinds are async, thread and process."
            )


def _check_found(step_name: str, handler: Handler) -> None:
    """Refuse what another process could not find under its name, which is what pickling needs.

    A function cannot be pickled yet: until its decorator has returned, its name stands for nothing.
    """
    name = getattr(handler, "__qualname__", None)
    detail = None
    if name is not None and ("<" in name or not name.isidentifier()):
        detail = f"{name} is not a function of a module"
    elif name is None:
        try:
            pickle.dumps(handler)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            detail = str(error)
    if detail is not None:
        raise ArgumentInvalid(
            f"step {step_name!r}: the handler of a process cannot be pickled",
            detail=detail,
            hint="Define it at the top of a module.",
        )


def _parameters(step_name: str, handler: Handler) -> tuple[list[inspect.Parameter], list[inspect.Parameter]]:
    """The handler's first two parameters, and those that are injected."""
    try:
        signature = inspect.signature(handler)
    except (TypeError, ValueError) as error:
        raise ArgumentInvalid(
            f"step {step_name!r}: the handler does not say which parameters it takes",
            detail=str(error),
            hint=_form(handler),
        ) from error
    parameters = list(signature.parameters.values())
    first_two = [p for p in parameters[:2] if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    if len(first_two) != 2:
        bare = [p.replace(annotation=p.empty) for p in parameters]
        takes = signature.replace(parameters=bare, return_annotation=signature.empty)
        raise ArgumentInvalid(
            f"step {step_name!r}: the handler must take ctx and input, and takes {takes}",
            hint=_form(handler),
        )
    return first_two, parameters[2:]


def _form(handler: Handler) -> str:
    return f"Write: {'async def' if _hooks.awaited(handler) else 'def'} handler(ctx, input)."


def _input_reader(step_name: str, handler: Handler, annotation: Any) -> Reader:
    try:
        return reader(resolve(handler, annotation))
    except (TypeError, NameError) as error:
        raise ArgumentInvalid(
            f"step {step_name!r}: the input cannot be read as {annotation}",
            detail=str(error),
            hint="Annotate it with a dataclass or a pydantic model of a module, or with plain JSON types.",
        ) from error
