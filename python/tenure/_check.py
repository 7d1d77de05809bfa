"""What the client can tell to be wrong before it asks the database.

Each check returns the value as the database is to get it, or raises the class that the database
would raise. NULL (None) stands for "as the definition, else the queue, says" and passes, save for names.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tenure._durations import Duration, to_timedelta
from tenure.errors import ArgumentInvalid, DurationInvalid, NameInvalid

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_BYTES = 1000

_INT4 = (-(2**31), 2**31 - 1)
_INT8 = (-(2**63), 2**63 - 1)


def name(what: str, value: object) -> str:
    """A name that must be there: of a step, queue, owner, signal or key."""
    if not isinstance(value, str):
        raise NameInvalid(f"{what} must be a string, not {type(value).__name__}")
    if not value:
        raise NameInvalid(f"{what} is empty", hint="Give a name of 1 to 1,000 bytes.")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise NameInvalid(f"{what} holds a lone surrogate", detail=f"{value!r:.200}") from None
    if size > NAME_BYTES:
        raise NameInvalid(f"{what} is {size} bytes long", hint=f"The limit is {NAME_BYTES} bytes.")
    if "\0" in value:
        raise NameInvalid(f"{what} holds a NUL character", detail=f"{value!r:.200}")
    return value


def opt_name(what: str, value: object) -> str | None:
    """A name that may be left out."""
    return None if value is None else name(what, value)


def names(what: str, values: Iterable[str]) -> list[str]:
    """Several names; one string alone is a mistake, not a list of letters."""
    if isinstance(values, str | bytes):
        raise ArgumentInvalid(f"{what} must be a list of names, not one {type(values).__name__}")
    return [name(what, value) for value in values]


def duration(what: str, value: Duration) -> timedelta:
    """A duration that must be there."""
    try:
        return to_timedelta(value)
    except ValueError as error:
        raise DurationInvalid(
            f"{what} is no valid duration",
            detail=str(error),
            hint="Give a timedelta or seconds, from 0 to 100 years.",
        ) from None


def interval(what: str, value: Duration | None) -> timedelta | None:
    """A duration that may be left out."""
    return None if value is None else duration(what, value)


def instant(what: str, value: datetime | None) -> datetime | None:
    """A moment; without a time zone it would mean another one in each session."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise ArgumentInvalid(f"{what} must be a datetime, not {type(value).__name__}")
    if value.utcoffset() is None:
        raise ArgumentInvalid(f"{what} has no time zone", hint="Use datetime.now(UTC), or .astimezone().")
    return value


def _integer(what: str, value: object, bounds: tuple[int, int]) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentInvalid(f"{what} must be an integer, not {type(value).__name__}")
    if not bounds[0] <= value <= bounds[1]:
        raise ArgumentInvalid(f"{what} is out of range", detail=f"{bounds[0]} to {bounds[1]} is possible")
    return value


def int4(what: str, value: object) -> int | None:
    """A PostgreSQL integer, or None."""
    return None if value is None else _integer(what, value, _INT4)


def int8(what: str, value: object) -> int:
    """An id or a generation."""
    return _integer(what, value, _INT8)


def int8s(what: str, values: Iterable[int]) -> str:
    """Ids or generations as the text of one bigint[].

    As text of unknown type the statement has one parameter type whatever the numbers' sizes, so that it
    is prepared once; and it costs a join instead of an adaptation for each element.
    """
    return "{" + ",".join([str(int8(what, value)) for value in values]) + "}"


def word(what: str, value: object) -> str | None:
    """A word whose meaning the database judges; here only that it is text that can be sent."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise ArgumentInvalid(f"{what} must be a string, not {type(value).__name__}")
    if "\0" in value or not value.isprintable():
        raise ArgumentInvalid(f"{what} is not valid", detail=f"{value!r:.200}")
    return value
