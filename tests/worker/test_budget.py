"""The instants of one delivery."""

from __future__ import annotations

import math

import pytest

from tenure.worker._budget import Budget


@pytest.mark.parametrize(
    ("left", "cutoff_at", "limit_at", "reserve"),
    [
        (900.0, 999.0, 1000.0, 1.0),
        (30.0, 129.0, 130.0, 1.0),
        (4.0, 103.0, 104.0, 1.0),
        (2.0, 101.5, 102.0, 0.5),
        (0.5, 100.375, 100.5, 0.125),
        (0.0, 100.0, 100.0, 0.0),
    ],
)
def test_the_reserve_is_a_quarter_of_the_time_and_a_second_at_most(
    left: float, cutoff_at: float, limit_at: float, reserve: float
) -> None:
    """R-340."""
    sent_at = 1000.0 - 900.0
    assert Budget.of(sent_at, left) == Budget(cutoff_at, limit_at, reserve)


def test_without_a_limit_the_reserve_is_a_second_from_the_cancel() -> None:
    """R-340."""
    budget = Budget.of(100.0, None)
    assert budget == Budget(None, None, 1.0)
    assert budget.until(5000.0) == 5001.0


def test_a_cancel_never_gives_time_beyond_the_limit() -> None:
    """R-340: cooperation, cleanup and, for a process, killing share the reserve."""
    budget = Budget.of(100.0, 30.0)
    assert budget.until(110.0) == 111.0
    assert budget.until(129.0) == 130.0
    assert budget.until(129.75) == 130.0


@pytest.mark.parametrize(
    ("left", "heard_until"), [(40.0, 139.25), (2.0, 101.75), (1.0, 100.875), (0.5, 100.4375), (0.0, 100.0)]
)
def test_a_pipeline_is_heard_for_a_quarter_of_a_second_or_half_of_what_remains(
    left: float, heard_until: float
) -> None:
    """R-341."""
    assert Budget.of(100.0, left).heard_until() == heard_until


def test_without_a_limit_a_pipeline_is_heard_for_ever() -> None:
    """R-341."""
    assert Budget.of(100.0, None).heard_until() == math.inf


def test_a_process_is_told_of_what_is_left_when_killing_is_taken_off() -> None:
    """R-327: its cutoff stays."""
    budget = Budget.of(100.0, 30.0)
    assert budget.killing() == 0.25
    assert budget.inside() == Budget(129.0, 129.75, 0.75)
    assert Budget.of(100.0, None).inside() == Budget(None, None, 0.75)
