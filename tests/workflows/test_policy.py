"""The model's own arithmetic, against numbers written out: a judge has to be right itself."""

from __future__ import annotations

from tests.workflows.policy import Retry, Stack, Timeout


def test_three_attempts_share_a_limit() -> None:
    """A timeout around a retry: the limit counts from the creation, and stops the retry."""
    stack = Stack([Timeout(2000), Retry(3, 100)], 0)
    assert stack.fail(2, 500) == 600
    assert stack.fail(2, 1900) == 2000
    assert stack.passed(1999, 1950) is None
    assert stack.passed(2000, 1950) == 0
    assert stack.fail(0, 2000) is None


def test_each_attempt_has_its_limit() -> None:
    """A retry around a timeout: the limit counts from each claim."""
    stack = Stack([Retry(2, 100), Timeout(2000)], 0)
    assert stack.next_limit(None) is None
    assert stack.passed(9000, 7000) == 1
    assert stack.fail(1, 9000) == 9100
    assert stack.next_limit(9500) == 11500
    assert stack.fail(1, 11500) is None


def test_an_outer_retry_starts_inner_layers_anew() -> None:
    """Two retries: the inner one's attempts are given again to each of the outer one's."""
    stack = Stack([Retry(2, 50), Retry(2, 5)], 0)
    assert [stack.fail(2, now) for now in (100, 200, 300, 400)] == [105, 250, 305, None]


def test_a_limit_between_two_retries() -> None:
    """It counts from where its attempt is due, and what it stops is taken up by the retry around it."""
    stack = Stack([Retry(2, 50), Timeout(1000), Retry(9, 5), Timeout(100)], 0)
    assert stack.fail(3, 100) == 105
    assert stack.passed(1000, 950) == 1
    assert stack.fail(1, 1000) == 1050
    assert stack.passed(2049, 1950) is None
    assert stack.limit(1, None) == 2050
    assert stack.fail(1, 2050) is None


def test_no_attempts_mean_one() -> None:
    """Zero attempts, or fewer, mean one."""
    assert Stack([Retry(0, 5)], 0).fail(1, 10) is None
