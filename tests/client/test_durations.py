"""Durations as Python takes them: a timedelta or seconds, nothing that could surprise."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tenure import DurationInvalid, Retry, _check
from tenure._durations import LONGEST


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (0, timedelta(0)),
        (0.0, timedelta(0)),
        (1, timedelta(seconds=1)),
        (0.25, timedelta(milliseconds=250)),
        (1e-6, timedelta(microseconds=1)),
        (timedelta(minutes=42, seconds=30), timedelta(seconds=2550)),
        (timedelta(days=1), timedelta(hours=24)),
        (LONGEST, LONGEST),
        (LONGEST.total_seconds(), LONGEST),
    ],
)
def test_a_timedelta_or_seconds_are_taken(given: Any, wanted: timedelta) -> None:
    assert _check.interval("timeout", given) == wanted


@pytest.mark.parametrize(
    "given",
    [
        -1,
        -0.001,
        timedelta(microseconds=-1),
        float("nan"),
        float("inf"),
        -float("inf"),
        1e-7,
        LONGEST + timedelta(microseconds=1),
        LONGEST.total_seconds() + 1,
        1e18,
        9.3e12,
        10**400,
        timedelta.max,
        True,
        "5 s",
        "1 mon",
        [],
    ],
    ids=lambda given: repr(given)[:30],
)
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(DurationInvalid, match=r"^timeout is no valid duration(\n|$)") as caught:
        _check.interval("timeout", given)
    assert caught.value.detail
    assert caught.value.hint == "Give a timedelta or seconds, from 0 to 100 years."


def test_none_is_no_duration_given() -> None:
    assert _check.interval("timeout", None) is None


def test_a_bad_delay_is_refused_where_the_handler_asks_for_it() -> None:
    assert Retry(after=1.5).after == timedelta(seconds=1.5)
    assert Retry("later").after is None
    with pytest.raises(DurationInvalid):
        Retry(after=-1)
