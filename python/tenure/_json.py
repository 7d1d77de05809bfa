"""JSON as PostgreSQL can store it, and error documents that can always be stored.

Everything a caller hands in is checked before SQL: a value that is not plain JSON is a mistake of the
caller, told with the path to the offending member. An error is the opposite case: the step has failed, and
that must be recorded whatever the error looks like, so it is escaped and cut and never refused.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import traceback
from typing import TYPE_CHECKING, Any, NamedTuple

from tenure import _models
from tenure.errors import ArgumentInvalid, TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

INPUT_BYTES = 1024 * 1024
OUTPUT_BYTES = 16 * 1024 * 1024
HEADERS_BYTES = 64 * 1024
PROGRESS_BYTES = 8 * 1024

MAX_DEPTH = 500
"""Deeper nesting could be stored, but Python's own decoder would fail on it within a deep stack."""

SHOWN_DEPTH = 20
"""Down to here a refusal shows the whole path."""

TYPE_BYTES = 1_000
MESSAGE_BYTES = 16_000
TRACEBACK_BYTES = 44_000
"""Together, with the keys, below the 64 kB at which the engine cuts."""

REASON_BYTES = 8_000

_SURROGATES = re.compile("[\ud800-\udfff]")


def encode(value: object, *, what: str, limit: int) -> str:
    """Return `value` as JSON text of at most `limit` bytes, or refuse it."""
    _check(value, what, limit)
    try:
        text = _ENCODER.encode(value)
    except (ValueError, RecursionError) as error:
        # An integer of more than 4,300 digits, or no room left on a deep stack.
        raise ArgumentInvalid(f"{what} cannot be written as JSON", detail=str(error)) from None
    size = len(text.encode())
    if size > limit:
        raise _too_large(what, f"{size} bytes, the limit is {limit}")
    return text


def decode(text: str) -> Any:
    """Read JSON that came from the database."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        # Valid JSON that Python will not read: nested too deep, or a number of more than 4,300 digits.
        raise ArgumentInvalid("JSON from the database cannot be read", detail=str(error)) from None


def _plain(value: Any) -> object:
    """A model as plain JSON; a dataclass's fields, one level deep: json asks again for each inner one."""
    if _models.is_instance(value):
        return _models.plain(value)
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


_ENCODER = json.JSONEncoder(default=_plain, ensure_ascii=False, check_circular=False)


class _Node(NamedTuple):
    """A value within a document, and how to get there."""

    value: object
    key: str | int
    above: _Node | None
    depth: int

    def path(self) -> str:
        if self.above is None:
            return str(self.key)
        step = f"[{self.key}]" if isinstance(self.key, int) else f".{self.key:.100}"
        return self.above.path() + step if self.depth < SHOWN_DEPTH else f"{self.ancestors()[0].key}…{step}"

    def ancestors(self) -> list[_Node]:
        """The nodes above, the topmost first."""
        above: list[_Node] = []
        node = self.above
        while node is not None:
            above.insert(0, node)
            node = node.above
        return above


def _check(value: object, what: str, limit: int) -> None:
    """Refuse whatever is not plain JSON.

    A loop, not a recursion, so that a deep value fails by our rule and not by Python's; depth first, so that
    one which contains itself is found on the way down. Each node takes a byte at least, which ends the walk
    over a small value that would unfold without end because its parts are shared.
    """
    todo = [_Node(value, what, None, 0)]
    seen = 0
    while todo:
        node = todo.pop()
        seen += 1
        if seen > limit:
            raise _too_large(what, f"more than {limit} values, the limit is {limit} bytes")
        members = _members(node)
        if members and node.depth >= MAX_DEPTH:
            raise _too_deep(node)
        todo += [_Node(member, key, node, node.depth + 1) for key, member in members]


def _members(node: _Node) -> Iterable[tuple[str | int, object]]:
    """Check one value by itself and return what it contains."""
    value = node.value
    match value:
        case None | bool() | int():
            return ()
        case str():
            _check_text(value, node)
            return ()
        case float():
            if not math.isfinite(value):
                raise ArgumentInvalid(f"{node.path()} is {value}, which JSON does not have")
            return ()
        case dict():
            for key in value:
                if not isinstance(key, str):
                    raise ArgumentInvalid(f"{node.path()} has the key {key!r:.100}: keys are strings")
                _check_text(key, node)
            return value.items()
        case list() | tuple():
            return list(enumerate(value))
        case _ if _models.is_instance(value) or _is_record(value):
            return _members(node._replace(value=_plain(value)))
        case _:
            raise ArgumentInvalid(
                f"{node.path()} is a {type(value).__name__}, which is not plain JSON",
                hint="Use dict, list, str, int, float, bool, None, a dataclass of these or a pydantic model.",
            )


def _is_record(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _check_text(text: str, node: _Node) -> None:
    if "\0" in text:
        raise ArgumentInvalid(f"{node.path()} holds a NUL character, which PostgreSQL cannot store")
    if not text.isascii() and _SURROGATES.search(text):
        raise ArgumentInvalid(f"{node.path()} holds a lone surrogate, which is not valid Unicode")


def _too_deep(node: _Node) -> ArgumentInvalid:
    above = node.ancestors()
    if len({id(outer.value) for outer in above}) < len(above):
        return ArgumentInvalid(f"{above[0].key} contains itself")
    return ArgumentInvalid(f"{above[0].key} is nested more than {MAX_DEPTH} levels deep")


def _too_large(what: str, detail: str) -> TooLarge:
    return TooLarge(
        f"{what} is too large", detail=detail, hint="Store the data elsewhere and pass a reference to it."
    )


def error_document(error: BaseException) -> dict[str, str]:
    """Describe `error` as ``{"type", "message", "traceback"}``, storable whatever it is."""
    return {
        "type": storable(type_name(type(error)), TYPE_BYTES),
        "message": storable(_ask(lambda: str(error), error), MESSAGE_BYTES),
        "traceback": storable(
            _ask(lambda: "".join(traceback.format_exception(error)), error), TRACEBACK_BYTES
        ),
    }


def encode_error(error: BaseException | Mapping[str, object]) -> str:
    """The JSON text of an error, or of a document that `error_document` made in another process."""
    if isinstance(error, BaseException):
        document = error_document(error)
    else:
        limits = {"type": TYPE_BYTES, "message": MESSAGE_BYTES, "traceback": TRACEBACK_BYTES}
        document = {key: storable(str(error.get(key, "")), limit) for key, limit in limits.items()}
    return json.dumps(document, ensure_ascii=False)


def type_name(kind: type[BaseException]) -> str:
    """The name people know a class by: with its module, unless it is built in."""
    name = kind.__qualname__
    return name if kind.__module__ == "builtins" else f"{kind.__module__}.{name}"


def _ask(text: Callable[[], str], error: BaseException) -> str:
    """Run foreign `__str__` or `__repr__` code, which may raise anything at all.

    This is the one place where any Exception is caught: the failure of the handler must be recorded, and
    what its error object says about itself is only decoration.
    """
    try:
        return text()
    except Exception as second:  # noqa: BLE001 - see above
        return f"<{type_name(type(error))}, which raised {type_name(type(second))} when asked for its text>"


def storable(text: str, limit: int) -> str:
    """Escape what PostgreSQL cannot store, and cut the middle out of what exceeds `limit` bytes as JSON.

    The middle: a message begins with what happened, a traceback ends with it.
    """
    start = text if len(text) <= 2 * limit else text[:limit] + text[-limit:]
    clean = _clean(start)
    result = clean
    keep = min(limit, len(clean))
    while len(json.dumps(result, ensure_ascii=False).encode()) > limit:
        keep = keep * 3 // 4
        half = keep // 2
        dropped = len(text) - len(start) + len(clean) - 2 * half
        result = f"{clean[:half]}\n… {dropped} characters cut …\n{clean[len(clean) - half :]}"
    return result


def _clean(text: str) -> str:
    return text.replace("\0", "\\u0000").encode(errors="backslashreplace").decode()
