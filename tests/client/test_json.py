"""What is plain JSON and what is not; and errors that can always be stored."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest

from tenure import ArgumentInvalid, TooLarge, _json

MB = 1024 * 1024


@dataclass
class Line:
    sku: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Order:
    id: int
    lines: list[Line] = field(default_factory=list)


def shown(value: object) -> str:
    """A test's id; a number of many digits cannot be printed at all."""
    return "huge" if isinstance(value, int) and value > 2**64 else ascii(value)[:40]


class Colour(StrEnum):
    RED = "red"


def encode(value: object, *, limit: int = MB) -> str:
    return _json.encode(value, what="input", limit=limit)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        2**63,
        10**4000,
        1.5,
        -0.0,
        5e-324,
        "",
        "a'b\"c\\d$$e;--\n\t\x01\x7f",
        "ünïcödé, 𝄞, \u202eRTL\u202c, e\u0301, \ufeff, \ufffe",
        "\\u0000 is six harmless characters",
        [],
        [[], {}, [None, [False]]],
        {"": {" a ": [1]}, "a.b": "c", "__proto__": None},
        {"a": "x" * 100_000},
    ],
    ids=shown,
)
def test_plain_json_comes_back_as_it_was(value: object) -> None:
    assert json.loads(encode(value)) == value


def test_tuples_are_lists_and_dataclasses_are_objects() -> None:
    assert json.loads(encode((1, (2,)))) == [1, [2]]
    order = Order(id=7, lines=[Line("a"), Line("b", count=2)])
    assert json.loads(encode({"order": order})) == {
        "order": {"id": 7, "lines": [{"sku": "a", "count": 1}, {"sku": "b", "count": 2}]}
    }
    assert json.loads(encode([Colour.RED])) == ["red"]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (float("nan"), "input is nan, which JSON does not have"),
        ({"a": [1, float("inf")]}, "input.a[1] is inf, which JSON does not have"),
        ([-float("inf")], "input[0] is -inf, which JSON does not have"),
        ("a\0b", "input holds a NUL character, which PostgreSQL cannot store"),
        ({"a": "\ud800"}, "input.a holds a lone surrogate, which is not valid Unicode"),
        ({"\udfff": 1}, "input holds a lone surrogate, which is not valid Unicode"),
        ({"\0": 1}, "input holds a NUL character, which PostgreSQL cannot store"),
        ({1: 2}, "input has the key 1: keys are strings"),
        ({"a": {None: 2}}, "input.a has the key None: keys are strings"),
        ({True: 2}, "input has the key True: keys are strings"),
        (b"\xff", "input is a bytes, which is not plain JSON"),
        (bytearray(b"a"), "input is a bytearray, which is not plain JSON"),
        ({1, 2}, "input is a set, which is not plain JSON"),
        (Decimal("1.5"), "input is a Decimal, which is not plain JSON"),
        (datetime(2026, 1, 1, tzinfo=UTC), "input is a datetime, which is not plain JSON"),
        (1j, "input is a complex, which is not plain JSON"),
        (object(), "input is a object, which is not plain JSON"),
        (Line, "input is a type, which is not plain JSON"),
        ({"line": Line("a", count=float("nan"))}, "input.line.count is nan, which JSON does not have"),  # type: ignore[arg-type]
        (range(3), "input is a range, which is not plain JSON"),
        (10**5000, "input cannot be written as JSON"),
    ],
    ids=shown,
)
def test_anything_else_is_refused_with_the_path_to_it(value: object, sentence: str) -> None:
    with pytest.raises(ArgumentInvalid) as caught:
        encode(value)
    assert str(caught.value) == sentence


def circular_list() -> list[Any]:
    inner: list[Any] = [1]
    inner.append([inner, inner])
    return inner


def circular_dict() -> dict[str, Any]:
    inner: dict[str, Any] = {}
    inner["a"] = {"b": [inner]}
    return inner


def circular_dataclass() -> Order:
    order = Order(id=1)
    order.lines.append(order)  # type: ignore[arg-type]
    return order


@pytest.mark.parametrize("make", [circular_list, circular_dict, circular_dataclass])
def test_what_contains_itself_is_refused(make: Any) -> None:
    with pytest.raises(ArgumentInvalid, match=r"^input contains itself(\n|$)"):
        encode(make())


def nested(depth: int) -> Any:
    value: Any = "core"
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_is_bounded() -> None:
    assert json.loads(encode(nested(_json.MAX_DEPTH))) == nested(_json.MAX_DEPTH)
    with pytest.raises(ArgumentInvalid, match=r"^input is nested more than 500 levels deep(\n|$)"):
        encode(nested(_json.MAX_DEPTH + 1))
    with pytest.raises(ArgumentInvalid, match="nested more than"):
        encode(nested(100_000))


def test_parts_used_twice_are_fine_and_those_that_unfold_without_end_are_too_large() -> None:
    part = {"a": [1]}
    assert json.loads(encode([part, part])) == [part, part]
    bomb: list[Any] = [1]
    for _ in range(60):
        bomb = [bomb, bomb]
    with pytest.raises(TooLarge, match=r"^input is too large(\n|$)"):
        encode(bomb, limit=10_000)


def test_the_size_limit_counts_bytes() -> None:
    assert len(encode("x" * 98, limit=100)) == 100
    with pytest.raises(TooLarge) as caught:
        encode("x" * 99, limit=100)
    assert caught.value.detail == "101 bytes, the limit is 100"
    assert caught.value.hint is not None
    with pytest.raises(TooLarge):
        encode("é" * 60, limit=100)


@pytest.mark.parametrize("text", ["1" * 5000, "[" * 20_000 + "]" * 20_000], ids=["digits", "nesting"])
def test_valid_json_that_python_cannot_read_is_an_error_of_ours(text: str) -> None:
    with pytest.raises(ArgumentInvalid, match=r"^JSON from the database cannot be read(\n|$)"):
        _json.decode(text)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError

    __repr__ = __str__


class Endless(Exception):
    def __str__(self) -> str:
        return str(self)


def thrown(error: Exception) -> Exception:
    with pytest.raises(type(error)) as caught:
        raise error
    return caught.value


def stored(error: BaseException) -> dict[str, str]:
    text = _json.encode_error(error)
    assert len(text.encode()) <= 64_000
    assert "\\u0000" not in text.replace("\\\\u0000", "")  # as an escape PostgreSQL would refuse it
    document = json.loads(text)
    assert set(document) == {"type", "message", "traceback"}
    return document  # type: ignore[no-any-return]


def test_an_error_is_type_message_and_traceback() -> None:
    document = stored(thrown(ValueError("no such order")))
    assert document["type"] == "ValueError"
    assert document["message"] == "no such order"
    assert document["traceback"].startswith("Traceback (most recent call last):\n")
    assert document["traceback"].endswith("ValueError: no such order\n")
    assert stored(thrown(Unspeakable()))["type"] == f"{__name__}.Unspeakable"


def test_what_postgresql_cannot_store_is_escaped() -> None:
    assert stored(thrown(ValueError("a\0b\ud800c\x01é")))["message"] == "a\\u0000b\\ud800c\x01é"


def test_an_error_that_cannot_tell_its_text_is_stored_all_the_same() -> None:
    name = f"{__name__}.Unspeakable"
    message = stored(thrown(Unspeakable()))["message"]
    assert message == f"<{name}, which raised ZeroDivisionError when asked for its text>"
    assert "RecursionError" in stored(thrown(Endless()))["message"]
    assert stored(thrown(ValueError(Unspeakable())))["type"] == "ValueError"


@pytest.mark.parametrize("character", ["x", "é", "\0", "\x01", "𝄞", "\ud800"], ids=ascii)
def test_ten_megabytes_are_cut_at_the_middle(character: str) -> None:
    message = stored(thrown(ValueError("BEGIN" + character * 10_000_000 + "END")))["message"]
    assert message.startswith("BEGIN")
    assert message.endswith("END")
    told = re.search(r"… (\d+) characters cut …", message)
    assert told is not None
    if character in "xé𝄞":  # as for the others, an escape takes several characters
        assert int(told[1]) == 10_000_008 - (len(message) - len(told[0]) - 2)
    assert len(message) > 2_000


def test_a_long_message_that_fits_is_kept_whole() -> None:
    assert stored(thrown(ValueError("x" * 15_900)))["message"] == "x" * 15_900
    cut = stored(thrown(ValueError("x" * 16_100)))["message"]
    kept = cut.count("x")
    assert f"… {16_100 - kept} characters cut …" in cut


def test_a_deep_chain_of_causes_is_cut() -> None:
    error: Exception = ValueError("x" * 100_000)
    for number in range(50):
        outer = RuntimeError(f"number {number} " + "y" * 100_000)
        outer.__cause__ = error
        error = outer
    assert stored(thrown(error))["traceback"].endswith("yyy\n")


def test_a_document_from_another_process_is_cut_and_escaped_too() -> None:
    text = _json.encode_error({"type": "E\0", "message": "\ud800" * 100_000, "other": "dropped"})
    document = json.loads(text)
    assert document["type"] == "E\\u0000"
    assert document["traceback"] == ""
    assert len(text.encode()) < 64_000
