"""Hooks around handlers and around the worker, checked when they are declared."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from tenure.errors import ArgumentInvalid

F = TypeVar("F", bound=Callable[..., Any])

Next = Callable[[], Awaitable[Any]]
WorkerHook = Callable[[Next], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Callee:
    """A function of the application, and whether it is awaited."""

    function: Callable[..., Any]
    asynchronous: bool
    name: str
    manager: bool = False
    """Calling it only makes a context manager, and runs nothing yet."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Callee:
        """Describe it; a generator function becomes what makes its context manager."""
        return cls(manager(function), awaited(function), name_of(function), generator(function))


@dataclass(frozen=True, slots=True)
class Hook:
    """Something around each handler: a context manager, or a function that calls `next`."""

    callee: Callee
    form: Literal["block", "around"]


class Hooks:
    """The hooks of one application, in the order in which they were declared."""

    def __init__(self) -> None:
        self.around: list[Hook] = []
        self.guards: list[Callee] = []
        self.worker: list[WorkerHook] = []


def name_of(function: Any) -> str:
    """What to call a function in a sentence."""
    return str(getattr(function, "__name__", None) or type(function).__name__)


def awaited(function: Any) -> bool:
    """Whether calling it gives something to be awaited: a coroutine function, or an object that is one."""
    inner = inspect.unwrap(function) if callable(function) else function
    if inspect.isclass(inner):
        return False
    call = getattr(type(inner), "__call__", None)  # noqa: B004 - not whether there is one: which one
    return (
        inspect.iscoroutinefunction(function)
        or inspect.iscoroutinefunction(inner)
        or inspect.isasyncgenfunction(inner)
        or inspect.iscoroutinefunction(call)
    )


def generator(function: Any) -> bool:
    """Whether calling it gives a generator, asynchronous or not."""
    inner = inspect.unwrap(function)
    return inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner)


def manager(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a context manager of a generator function, unless it was made one already."""
    if inspect.isasyncgenfunction(function):
        return contextlib.asynccontextmanager(function)
    if inspect.isgeneratorfunction(function):
        return contextlib.contextmanager(function)
    return function


def block(function: Callable[..., Any]) -> Hook:
    """A hook that is a context manager: what is before its `yield` runs before, what is after it, after."""
    name = name_of(function)
    if not generator(function):
        raise ArgumentInvalid(
            f"hook {name!r} does not yield",
            hint="Write a function of ctx that yields once, or use app.around for one that calls next.",
        )
    _takes(name, function, ("ctx",))
    return Hook(Callee.of(function), "block")


def around(function: Callable[..., Any]) -> Hook:
    """A hook that calls `next`."""
    name = name_of(function)
    if not inspect.iscoroutinefunction(function):
        raise ArgumentInvalid(f"hook {name!r} is not async", hint="Write: async def hook(ctx, next).")
    _takes(name, function, ("ctx", "next"))
    return Hook(Callee.of(function), "around")


def guard(function: Callable[..., Any]) -> Callee:
    """A function that refuses work by raising."""
    name = name_of(function)
    if generator(function):
        raise ArgumentInvalid(f"guard {name!r} is no plain or async function")
    _takes(name, function, ("ctx",))
    return Callee.of(function)


def around_worker(function: Callable[..., Any]) -> WorkerHook:
    """A hook around the worker."""
    name = name_of(function)
    if not inspect.iscoroutinefunction(function):
        raise ArgumentInvalid(f"hook {name!r} is not async", hint="Write: async def hook(next).")
    _takes(name, function, ("next",))
    return function


def _takes(name: str, function: Callable[..., Any], wanted: tuple[str, ...]) -> None:
    signature = inspect.signature(function)
    try:
        signature.bind(*wanted)
    except TypeError:
        raise ArgumentInvalid(
            f"hook {name!r} takes {signature}", hint=f"It is called with ({', '.join(wanted)})."
        ) from None
