"""Pydantic models as inputs and outputs, where pydantic is installed.

It is never imported from here: who has a model has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tenure.errors import ArgumentInvalid


def is_model(kind: Any) -> bool:
    """Whether this is a class of pydantic's."""
    base = _base()
    return base is not None and isinstance(kind, type) and issubclass(kind, base)


def is_instance(value: object) -> bool:
    """Whether this is a model's instance."""
    base = _base()
    return base is not None and isinstance(value, base)


def plain(value: Any) -> object:
    """The model as plain JSON values, as its own serializers have it."""
    try:
        return value.model_dump(mode="json", by_alias=True)
    except ValueError as error:
        raise ArgumentInvalid(
            f"a {type(value).__name__} cannot be written as JSON", detail=str(error)
        ) from error


def reader(kind: Any) -> Callable[[Any, str], Any]:
    """Return what reads the model from JSON; it raises ArgumentInvalid, telling where the first misfit is."""

    def read(value: Any, path: str) -> Any:
        try:
            return kind.model_validate(value)
        except ValueError as error:
            raise ArgumentInvalid(f"{path} is no {kind.__name__}", detail=str(error)) from error

    return read


def _base() -> type | None:
    pydantic = sys.modules.get("pydantic")
    return None if pydantic is None else pydantic.BaseModel
