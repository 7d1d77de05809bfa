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
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, Unpack, overload

from tenure import _check, _json
from tenure._options import (
    ENQUEUE_OPTIONS,
    NO_INPUT,
    STEP_OPTIONS,
    EnqueueOptions,
    StepOptions,
    checked,
    input_text,
)
from tenure._typed import Reader, anything, reader
from tenure.errors import ArgumentInvalid

if TYPE_CHECKING:
    import psycopg

    from tenure.run import AsyncRun, Run

Handler = Callable[..., Awaitable[Any]]
H = TypeVar("H", bound=Handler)

Kind = Literal["async"]


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
    _enqueuer: Enqueuer = field(repr=False)
    _reader: Reader = field(repr=False)

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

    @property
    def steps(self) -> Mapping[str, Step[Any]]:
        """The declared steps by name."""
        return types.MappingProxyType(self._steps)

    @overload
    def step(self, name: H, /) -> Step[H]: ...

    @overload
    def step(
        self, name: str | None = None, /, *, kind: Kind | None = None, **options: Unpack[StepOptions]
    ) -> Callable[[H], Step[H]]: ...

    def step(
        self, name: H | str | None = None, /, *, kind: Kind | None = None, **options: Unpack[StepOptions]
    ) -> Step[H] | Callable[[H], Step[H]]:
        """Declare a handler `async def handler(ctx, input)` as a step: ``@app.step`` or ``@app.step(...)``.

        The name is that of the function where none is given. Everything is checked here, at import: the
        options, the handler's form, and that its input's annotation can be read from JSON.
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
        _check_kind(step_name, handler, kind)
        checked(options, STEP_OPTIONS)
        step = Step(
            name=step_name,
            handler=handler,
            kind="async",
            options=options,
            _enqueuer=self._enqueuer,
            _reader=_input_reader(step_name, handler),
        )
        self._steps[step_name] = step
        return step


def _check_kind(step_name: str, handler: Handler, kind: str | None) -> None:
    if kind in {"thread", "process"}:
        raise ArgumentInvalid(
            f"step {step_name!r}: handlers of kind {kind} are not supported yet",
            hint="Write an async handler.",
        )
    if kind not in {None, "async"}:
        raise ArgumentInvalid(f"step {step_name!r}: there is no kind {kind!r}")
    if not inspect.iscoroutinefunction(handler):
        raise ArgumentInvalid(
            f"step {step_name!r}: the handler is not async; threads and processes are not supported yet",
            hint="Write: async def handler(ctx, input).",
        )


def _input_reader(step_name: str, handler: Handler) -> Reader:
    parameters = list(inspect.signature(handler).parameters.values())
    positional = [p for p in parameters if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    if len(positional) != 2 or len(parameters) != 2:
        raise ArgumentInvalid(
            f"step {step_name!r}: the handler takes ({', '.join(map(str, parameters))})",
            hint="Write: async def handler(ctx, input).",
        )
    annotation = positional[1].annotation
    try:
        return reader(_resolve(annotation, handler))
    except (TypeError, NameError) as error:
        raise ArgumentInvalid(
            f"step {step_name!r}: the input cannot be read as {annotation}",
            detail=str(error),
            hint="Annotate it with a dataclass defined at module level, or with plain JSON types.",
        ) from error


def _resolve(annotation: Any, handler: Handler) -> Any:
    """Evaluate an annotation that is kept as text; that of `ctx` may name what exists for checkers only."""
    if annotation is inspect.Parameter.empty:
        return Any
    holder = types.SimpleNamespace(__annotations__={"input": annotation})
    names = inspect.getclosurevars(inspect.unwrap(handler)).nonlocals
    module_names = getattr(inspect.unwrap(handler), "__globals__", {})
    return typing.get_type_hints(holder, module_names, dict(names))["input"]
