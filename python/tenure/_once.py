"""`next`, as the hooks around something get it: it can be called once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenure.errors import NextCalledTwice

T = TypeVar("T")


def once(call: Callable[[], Awaitable[T]], name: str) -> Callable[[], Awaitable[T]]:
    """Return `call`, which raises NextCalledTwice when the hook `name` calls it again.

    A hook that could call it again would retry, and only policies retry: they count, wait and stop.
    """
    called = False

    def next() -> Awaitable[T]:
        nonlocal called
        if called:
            raise NextCalledTwice(f"the hook {name!r} called next a second time")
        called = True
        return call()

    return next
