"""Inputs typed by annotation: dataclasses in any nesting, and plain JSON."""

from __future__ import annotations

import decimal
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Optional, TypedDict, Union

import pydantic
import pytest

import tenure
from tenure import ArgumentInvalid
from tenure._json import encode
from tenure._typed import reader


@dataclass
class Leaf:
    name: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    leaf: Leaf
    children: list[Tree] = field(default_factory=list)
    parent: Tree | None = None
    total: int = field(init=False, default=0)


class Loose(TypedDict):
    a: int


@pytest.mark.parametrize(
    ("annotation", "given", "wanted"),
    [
        (Any, {"a": [1]}, {"a": [1]}),
        (object, None, None),
        (None, None, None),
        (str, "a", "a"),
        (int, 3, 3),
        (float, 3, 3.0),
        (float, 2.5, 2.5),
        (bool, True, True),
        (dict, {"a": 1}, {"a": 1}),
        (list, [1, "a"], [1, "a"]),
        (tuple, [1, "a"], (1, "a")),
        (list[int], [1, 2], [1, 2]),
        (tuple[Leaf, ...], [{"name": "a"}], (Leaf("a"),)),
        (dict[str, list[Leaf]], {"x": [{"name": "a", "weight": 2}]}, {"x": [Leaf("a", 2.0)]}),
        (int | None, None, None),
        (Optional[int], 3, 3),  # noqa: UP045 - the old form is read too
        (Union[Leaf, str], {"name": "a"}, Leaf("a")),  # noqa: UP007
        (Leaf | str, "a", "a"),
        (Literal["a", 1], 1, 1),
        (Loose, {"a": "unchecked"}, {"a": "unchecked"}),
        (Leaf, {"name": "a", "of a newer release": 1}, Leaf("a")),
        (
            Tree,
            {"leaf": {"name": "a"}, "children": [{"leaf": {"name": "b"}}], "parent": None},
            Tree(leaf=Leaf("a"), children=[Tree(leaf=Leaf("b"))]),
        ),
    ],
    ids=repr,
)
def test_json_that_fits_is_read(annotation: Any, given: Any, wanted: Any) -> None:
    value = reader(annotation)(given, "input")
    assert value == wanted
    assert type(value) is type(wanted)


@pytest.mark.parametrize(
    ("annotation", "given", "sentence"),
    [
        (str, 1, "input is no str"),
        (int, True, "input is no int"),
        (int, 1.0, "input is no int"),
        (bool, 1, "input is no bool"),
        (float, "1", "input is no float"),
        (float, True, "input is no float"),
        (float, 10**400, "input is no float"),
        (None, 0, "input is no null"),
        (list[int], {"a": 1}, "input is no list"),
        (list[int], [1, "a"], "input[1] is no int"),
        (tuple[int, ...], "ab", "input is no list"),
        (dict[str, int], [], "input is no object"),
        (dict[str, int], {"a": None}, "input.a is no int"),
        (int | None, "a", "input is no int | None"),
        (Literal["a", 1], True, "input is no one of 'a', 1"),
        (Loose, [], "input is no dict"),
        (Leaf, [], "input is no object for Leaf"),
        (Leaf, {}, "input has no name"),
        (Tree, {"leaf": {"name": "a"}, "children": [{"leaf": {}}]}, "input.children[0].leaf has no name"),
    ],
    ids=repr,
)
def test_json_that_does_not_fit_is_refused_with_the_path(annotation: Any, given: Any, sentence: str) -> None:
    with pytest.raises(ArgumentInvalid) as caught:
        reader(annotation)(given, "input")
    assert str(caught.value) == sentence
    assert caught.value.detail


def test_a_field_that_the_class_makes_itself_is_not_taken_from_the_input() -> None:
    assert reader(Tree)({"leaf": {"name": "a"}, "total": 5}, "input").total == 0


@dataclass
class Holder:
    data: bytes


@dataclass
class Recursive:
    inner: list[Holder]


@pytest.mark.parametrize(
    "annotation",
    [bytes, set[int], tuple[int, str], dict[int, str], Holder, Recursive, type, complex, list[Holder | None]],
    ids=repr,
)
def test_an_annotation_that_json_cannot_fill_is_a_type_error(annotation: Any) -> None:
    with pytest.raises(TypeError, match="is neither plain JSON nor a dataclass or model of it"):
        reader(annotation)


class Line(pydantic.BaseModel):
    article: str
    price: decimal.Decimal


class Basket(pydantic.BaseModel):
    id: int = pydantic.Field(alias="basket")
    lines: list[Line]
    placed: datetime


@dataclass
class Parcel:
    basket: Basket
    spare: list[Line] | None = None


Numbers = pydantic.RootModel[list[int]]

BASKET = {
    "basket": 7,
    "lines": [{"article": "tea", "price": "2.50"}],
    "placed": "2026-11-30T12:00:00Z",
}


def test_a_pydantic_model_is_read_and_written() -> None:
    """R-374: also within a dataclass; dates and decimals as its serializers have them."""

    @tenure.App().step
    async def packs(ctx: object, input: Parcel) -> None: ...

    parcel = packs.read_input(json.dumps({"basket": BASKET, "spare": [BASKET["lines"][0]]}))  # type: ignore[index]
    assert parcel.basket.lines[0].price == decimal.Decimal("2.50")
    assert parcel.basket.placed == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert parcel.spare[0].article == "tea"
    text = packs.encode_output(parcel)
    assert text is not None
    assert json.loads(text) == {"basket": BASKET, "spare": [{"article": "tea", "price": "2.50"}]}
    assert packs.encode_output(Numbers([1, 2])) == "[1, 2]"
    assert reader(Numbers)([1, 2], "input").root == [1, 2]


def test_what_does_not_fit_a_model_is_refused_with_its_path() -> None:
    """R-374."""
    with pytest.raises(ArgumentInvalid, match=r"input.basket is no Basket") as refused:
        reader(Parcel)({"basket": {**BASKET, "basket": "seven"}}, "input")
    assert "valid integer" in str(refused.value.detail)


def test_a_model_that_cannot_be_written_is_refused() -> None:
    """R-374."""
    with pytest.raises(ArgumentInvalid, match="a Holds cannot be written as JSON"):
        encode(Holds(it=object()), what="output", limit=100)


class Holds(pydantic.BaseModel):
    it: object
