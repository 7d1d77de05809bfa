"""What the errors of a delivery come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tenure import Permanent, Retry, Skip, Uncertain
from tenure.worker._verdict import holds_uncertain, outcome_of


def raised(*errors: BaseException, hide: bool = False) -> BaseException:
    """The last of these errors, each raised while the one before it was handled."""
    caught: BaseException | None = None
    for error in errors:
        try:
            try:
                if caught is not None:
                    raise caught
            finally:
                if hide and caught is not None:
                    error.__suppress_context__ = True
                raise error
        except BaseException as now:  # noqa: BLE001 - it is kept
            caught = now
    assert caught is not None
    return caught


def caused(error: BaseException, cause: BaseException) -> BaseException:
    """An error with a cause."""
    error.__cause__ = cause
    error.__suppress_context__ = True
    return error


CASES: list[tuple[str, Callable[[], list[BaseException]], tuple[Any, ...]]] = [
    ("plain", lambda: [ValueError()], ("retryable", None)),
    ("permanent", lambda: [Permanent()], ("permanent", None)),
    ("uncertain", lambda: [Uncertain()], ("uncertain", None)),
    ("retry", lambda: [Retry(after=7)], ("retryable", 7.0)),
    ("retry at once", lambda: [Retry(after=0)], ("retryable", 0.0)),
    ("caused by permanent", lambda: [caused(ValueError(), Permanent())], ("permanent", None)),
    ("while permanent", lambda: [raised(Permanent(), ValueError())], ("permanent", None)),
    ("permanent from None", lambda: [raised(Permanent(), ValueError(), hide=True)], ("retryable", None)),
    ("uncertain from None", lambda: [raised(Uncertain(), ValueError(), hide=True)], ("uncertain", None)),
    ("retry after permanent", lambda: [raised(Permanent(), Retry(after=7))], ("retryable", 7.0)),
    ("caused by retry", lambda: [caused(ValueError(), Retry(after=7))], ("retryable", 7.0)),
    ("permanent before uncertain", lambda: [raised(Uncertain(), Permanent())], ("uncertain", None)),
    ("skip after uncertain", lambda: [raised(Uncertain(), Skip())], ("uncertain", None)),
    ("group", lambda: [ExceptionGroup("g", [ValueError(), Permanent()])], ("permanent", None)),
    ("group of retries", lambda: [ExceptionGroup("g", [Retry(after=7), Retry(after=9)])], ("retryable", 7.0)),
    (
        "retry and permanent",
        lambda: [ExceptionGroup("g", [Retry(after=7), Permanent()])],
        ("permanent", None),
    ),
    (
        "deep",
        lambda: [caused(KeyError(), ExceptionGroup("g", [ExceptionGroup("h", [Uncertain()])]))],
        ("uncertain", None),
    ),
    ("skip and an error", lambda: [ExceptionGroup("g", [Skip("no"), ValueError()])], ("retryable", None)),
    ("replaced", lambda: [Permanent(), ValueError()], ("permanent", None)),
    ("replaced uncertain", lambda: [Uncertain(), Retry(after=7)], ("uncertain", None)),
    ("replaced skip", lambda: [Skip("no"), ValueError()], ("retryable", None)),
    ("skip over an error", lambda: [ValueError(), Skip("no")], ("retryable", None)),
    ("the last delay", lambda: [Retry(after=7), Retry(after=9)], ("retryable", 9.0)),
]


@pytest.mark.parametrize(
    ("errors", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_an_error_says_of_retries_holds_however_it_is_wrapped(
    errors: Callable[[], list[BaseException]], expected: tuple[Any, ...]
) -> None:
    """R-364."""
    outcome = outcome_of(errors(), hopeless=False)
    assert (outcome.verb, outcome.arguments[1:]) == ("fail", expected)


@pytest.mark.parametrize(
    "error", [Skip("no"), ExceptionGroup("g", [Skip("no")]), ExceptionGroup("g", [Skip("no"), Skip("nor")])]
)
def test_a_skip_counts_alone(error: Exception) -> None:
    """R-364: or where there is nothing else."""
    outcome = outcome_of([error], hopeless=False)
    assert (outcome.verb, outcome.arguments) == ("skip", ("no",))


def test_a_reason_to_skip_is_a_text_whatever_a_subclass_makes_of_it() -> None:
    """R-364: the supervisor sends it to the database, and it is to harm nobody there."""

    class Coded(Skip):
        def __init__(self, code: int) -> None:
            super().__init__("coded")
            self.reason = code  # type: ignore[assignment]

    assert outcome_of([Coded(404)], hopeless=False).arguments == ("404",)


def test_what_does_not_fit_is_hopeless_whatever_else_is_raised() -> None:
    """R-373."""
    assert outcome_of([ValueError(), Retry(after=7)], hopeless=True).arguments[1] == "permanent"


def test_uncertainty_is_found_wherever_it_stands() -> None:
    """R-364."""
    nested = ExceptionGroup("several", [ValueError(), ExceptionGroup("more", [KeyError(), Uncertain()])])
    outer = caused(RuntimeError(), nested)
    outer.__context__ = outer
    assert holds_uncertain(outer)
    assert not holds_uncertain(ExceptionGroup("several", [ValueError()]))
