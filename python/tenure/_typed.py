"""From plain JSON to the type that a handler's `input` is annotated with.

Dataclasses and pydantic models, nested in lists, tuples, dictionaries and unions, and plain JSON itself. The
reader is built when the step is declared, so that an annotation it cannot serve fails at import and not on
the first input.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable
from typing import Any

from tenure import _models
from tenure.errors import ArgumentInvalid

Reader = Callable[[Any, str], Any]
"""Takes JSON and the path to it, returns the value, or raises ArgumentInvalid."""

_PLAIN: dict[Any, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    bool: (bool,),
    types.NoneType: (types.NoneType,),
}


def reader(annotation: Any) -> Reader:
    """Return what reads `annotation`; TypeError when nothing can."""
    return _Builder().build(annotation)


class _Builder:
    """Builds readers, each dataclass's once: a dataclass may contain itself."""

    def __init__(self) -> None:
        self._classes: dict[type, Reader] = {}

    def build(self, annotation: Any) -> Reader:
        if annotation is Any or annotation is object:
            return anything
        if annotation is None:
            return _plain(types.NoneType)
        if annotation in _PLAIN:
            return _plain(annotation)
        if annotation is float:
            return _float
        if _models.is_model(annotation):
            return _models.reader(annotation)
        if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
            return self._dataclass(annotation)
        if typing.is_typeddict(annotation):
            return _container(dict)
        return self._generic(annotation)

    def _generic(self, annotation: Any) -> Reader:
        if typing.get_origin(annotation) is typing.Annotated:
            return self.build(annotation.__origin__)
        origin, arguments = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
        if origin is typing.Literal:
            return _literal(arguments)
        if origin in {typing.Union, types.UnionType}:
            return _union([self.build(argument) for argument in arguments], annotation)
        if origin is list:
            return _list(self.build(arguments[0] if arguments else Any), list)
        if origin is tuple and (not arguments or arguments[-1] is Ellipsis):
            return _list(self.build(arguments[0] if arguments else Any), tuple)
        if origin is dict and (not arguments or arguments[0] is str):
            return _dict(self.build(arguments[1] if arguments else Any))
        raise TypeError(f"{annotation!r} is neither plain JSON nor a dataclass or model of it")

    def _dataclass(self, kind: type) -> Reader:
        if kind not in self._classes:
            readers: dict[str, Reader] = {}
            self._classes[kind] = _instance(kind, readers)
            hints = typing.get_type_hints(kind)
            fields = [field for field in dataclasses.fields(kind) if field.init]
            readers |= {field.name: self.build(hints[field.name]) for field in fields}
        return self._classes[kind]


def anything(value: Any, path: str) -> Any:  # noqa: ARG001 - a Reader
    """Read plain JSON of any form."""
    return value


def _plain(kind: Any) -> Reader:
    def read(value: Any, path: str) -> Any:
        # True is an int to Python, but no number to JSON.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise _misfit(value, path, "null" if kind is types.NoneType else kind.__name__)
        return value

    return read


def _float(value: Any, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _misfit(value, path, "float")
    try:
        return float(value)
    except OverflowError:
        raise _misfit(value, path, "float") from None


def _literal(choices: tuple[Any, ...]) -> Reader:
    def read(value: Any, path: str) -> Any:
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            raise _misfit(value, path, f"one of {', '.join(map(repr, choices))}")
        return value

    return read


def _union(members: list[Reader], annotation: Any) -> Reader:
    def read(value: Any, path: str) -> Any:
        for member in members:
            try:
                return member(value, path)
            except ArgumentInvalid:
                continue
        raise _misfit(value, path, str(annotation))

    return read


def _container(kind: type) -> Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, kind):
            raise _misfit(value, path, kind.__name__)
        return value

    return read


def _list(member: Reader, kind: type) -> Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, list):
            raise _misfit(value, path, "list")
        return kind(member(element, f"{path}[{index}]") for index, element in enumerate(value))

    return read


def _dict(member: Reader) -> Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise _misfit(value, path, "object")
        return {key: member(element, f"{path}.{key}") for key, element in value.items()}

    return read


def _instance(kind: type, readers: dict[str, Reader]) -> Reader:
    """Read a dataclass; `readers` is filled later.

    Members without a field are ignored: while a new release rolls out, its inputs reach the old workers too.
    """
    required = {
        field.name
        for field in dataclasses.fields(kind)
        if field.init
        and field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
    }

    def read(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise _misfit(value, path, f"object for {kind.__name__}")
        missing = sorted(required - value.keys())
        if missing:
            raise ArgumentInvalid(f"{path} has no {missing[0]}", detail=f"{kind.__name__} needs it")
        given = [name for name in readers if name in value]
        return kind(**{name: readers[name](value[name], f"{path}.{name}") for name in given})

    return read


def _misfit(value: Any, path: str, wanted: str) -> ArgumentInvalid:
    return ArgumentInvalid(f"{path} is no {wanted}", detail=f"it is {value!r:.100}")
