"""Keys: what nodes give each other."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from tenure import _check
from tenure._typed import Reader, reader
from tenure.errors import ArgumentInvalid

T = TypeVar("T")


class Keyed(Protocol):
    """What a key's value is read from: a handler's context."""

    @property
    def keys(self) -> dict[str, Any]:
        """The values by name."""


@dataclass(frozen=True)
class Key(Generic[T]):
    """A key of a workflow: its name, and the type of its values, which is what a handler may return.

    Values go through the database as JSON, so the type is plain JSON or a dataclass of it.
    """

    name: str
    kind: type[T]
    _reader: Reader = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a name or a type that cannot be."""
        _check.name("key", self.name)
        try:
            found = reader(self.kind)
        except TypeError as error:
            raise ArgumentInvalid(
                f"key {self.name!r}: its values cannot be read as {self.kind}",
                detail=str(error),
                hint="Give a dataclass, or plain JSON types.",
            ) from None
        object.__setattr__(self, "_reader", found)

    @property
    def is_array(self) -> bool:
        """Whether the values are arrays, over which a node can be mapped."""
        return (typing.get_origin(self.kind) or self.kind) in {list, tuple}

    def of(self, ctx: Keyed) -> T:
        """Return the value that this handler was given; ArgumentInvalid when it was not."""
        keys = ctx.keys
        if self.name not in keys:
            raise ArgumentInvalid(
                f"there is no key {self.name!r}",
                hint="Name it in the node's requires. An optional key may be missing: use get.",
            )
        return typing.cast("T", self._reader(keys[self.name], self.name))

    def get(self, ctx: Keyed) -> T | None:
        """Return the value that this handler was given, None where there is none."""
        return self.of(ctx) if self.name in ctx.keys else None
