"""What exists twice, once to be called and once to be awaited, is the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from tenure import App, AsyncClient, AsyncRun, Client, Run, Step


def public(kind: type) -> dict[str, Callable[..., Any]]:
    methods = inspect.getmembers(kind, inspect.isroutine)
    return {name: method for name, method in methods if not name.startswith("_")}


def signature(method: Callable[..., Any]) -> str:
    """The signature, with the names of the asynchronous side as those of the other."""
    return str(inspect.signature(method)).replace("Async", "")


@pytest.mark.parametrize(("sync", "asynchronous"), [(Client, AsyncClient), (Run, AsyncRun)])
def test_the_asynchronous_class_has_the_same_methods(sync: type, asynchronous: type) -> None:
    theirs, ours = public(asynchronous), public(sync)
    assert theirs.keys() == ours.keys()
    assert {name: signature(method) for name, method in theirs.items()} == {
        name: signature(method) for name, method in ours.items()
    }
    assert signature(asynchronous) == signature(sync)


def test_every_method_that_asks_the_database_is_awaited() -> None:
    asks_nothing = {"connect", "run"}
    awaited = {name for name, method in public(AsyncClient).items() if inspect.iscoroutinefunction(method)}
    assert awaited == public(AsyncClient).keys() - asks_nothing
    assert all(inspect.iscoroutinefunction(method) for method in public(AsyncRun).values())
    assert not any(inspect.iscoroutinefunction(method) for method in public(Client).values())


@pytest.mark.parametrize("kind", [App, Step])
def test_aenqueue_is_enqueue_to_be_awaited(kind: Any) -> None:
    assert inspect.iscoroutinefunction(kind.aenqueue)
    assert signature(kind.aenqueue) == signature(kind.enqueue)
