"""What a handler declares beside its input: resources, and the keys of a workflow.

::

    @contextmanager
    def session(ctx):
        with engine.connect() as conn:
            yield conn

    def orders(session: Annotated[Connection, tenure.Resource(session)]):
        return Orders(session)

    @app.step
    def ship(ctx, order: Order, orders: Annotated[Orders, tenure.Resource(orders)]): ...

Everything is resolved when the step is declared, so that what cannot be injected fails at import.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from tenure._hooks import Callee, name_of
from tenure._typed import Reader, reader
from tenure.errors import ArgumentInvalid


@dataclass(frozen=True, slots=True)
class Resource:
    """Says where a parameter's value comes from: ``db: Annotated[Session, tenure.Resource(session)]``.

    `open` is a function that yields the value once, a context manager's, or one that returns it; async where
    the handler is. It may take `ctx` and other resources. It is called once an execution, and left again on
    every path, the last opened first.
    """

    open: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class TheContext:
    """The parameter gets `ctx`."""


@dataclass(frozen=True, slots=True)
class TheKey:
    """The parameter gets the value of a workflow's key."""

    name: str
    read: Reader
    default: Any


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """The parameter gets a resource; `opener` identifies it."""

    opener: Callable[..., Any]
    callee: Callee
    needs: tuple[tuple[str, Source], ...]


Source = TheContext | TheKey | Opened
Sources = tuple[tuple[str, Source], ...]

MISSING = inspect.Parameter.empty


def sources(step_name: str, handler: Callable[..., Any], parameters: Iterable[inspect.Parameter]) -> Sources:
    """What the handler's parameters after `ctx` and `input` get."""
    found = []
    for parameter in parameters:
        try:
            source = _Finder().source(handler, parameter)
            if source is None:
                source = _key(handler, parameter)
        except (TypeError, ValueError, NameError) as error:
            raise ArgumentInvalid(
                f"step {step_name!r}: nothing can be injected for {parameter}",
                detail=str(error),
                hint="Write Annotated[type, tenure.Resource(function)], or the JSON type of a key.",
            ) from error
        found.append((parameter.name, source))
    return tuple(found)


def resolve(function: Callable[..., Any], annotation: Any) -> Any:
    """Evaluate an annotation that is kept as text, where the function was defined."""
    if annotation is MISSING:
        return Any
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    where = _definition(function)
    names = inspect.getclosurevars(where).nonlocals if inspect.isfunction(where) else {}
    module_names = getattr(where, "__globals__", {})
    return typing.get_type_hints(holder, module_names, dict(names), include_extras=True)["it"]


def _definition(function: Any) -> Any:
    """The function in whose module and scope the annotations of `function` were written."""
    inner = inspect.unwrap(function)
    if isinstance(inner, functools.partial):
        return _definition(inner.func)
    if inspect.isclass(inner):
        return inspect.unwrap(inner.__init__)
    if inspect.isroutine(inner):
        return getattr(inner, "__func__", inner)
    return inspect.unwrap(type(inner).__call__)


class _Finder:
    """Follows one parameter to what its resource needs in turn, and refuses to go round in circles."""

    def __init__(self) -> None:
        self._path: list[Callable[..., Any]] = []

    def source(self, function: Callable[..., Any], parameter: inspect.Parameter) -> Source | None:
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
            raise TypeError(f"{parameter} cannot be passed by name")
        for mark in _marks(resolve(function, parameter.annotation)):
            return self._opened(mark.open)
        return None

    def _opened(self, opener: Callable[..., Any]) -> Opened:
        if not callable(opener):
            raise TypeError(f"{opener!r} is no function that opens a resource")
        if opener in self._path:
            circle = " needs ".join(name_of(function) for function in [*self._path, opener])
            raise TypeError(f"{circle}, which is a circle")
        self._path.append(opener)
        needs = tuple(self._needs(opener))
        self._path.pop()
        return Opened(opener, Callee.of(opener), needs)

    def _needs(self, opener: Callable[..., Any]) -> Iterator[tuple[str, Source]]:
        for parameter in inspect.signature(opener).parameters.values():
            if parameter.name == "ctx":
                yield parameter.name, TheContext()
            elif (source := self.source(opener, parameter)) is not None:
                yield parameter.name, source
            elif parameter.default is MISSING:
                raise TypeError(f"{name_of(opener)} needs {parameter}, which is neither ctx nor a resource")


def _marks(annotation: Any) -> Iterator[Resource]:
    if typing.get_origin(annotation) is Annotated:
        yield from (mark for mark in annotation.__metadata__ if isinstance(mark, Resource))


def _key(handler: Callable[..., Any], parameter: inspect.Parameter) -> TheKey:
    return TheKey(parameter.name, reader(resolve(handler, parameter.annotation)), parameter.default)
