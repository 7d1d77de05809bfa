"""A decorator of another module than the handlers that it wraps: their annotations mean nothing here."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import TypeVar

C = TypeVar("C")
I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741

Handler = Callable[[C, I], Awaitable[O]]


def logged(handler: Handler[C, I, O]) -> Handler[C, I, O]:
    """Wrap a handler as loggers and tracers do."""

    @functools.wraps(handler)
    async def wrapper(ctx: C, value: I) -> O:
        return await handler(ctx, value)

    return wrapper
