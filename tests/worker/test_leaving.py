"""One root deadline over all that a shutdown does."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tenure.worker import _shutdown
from tenure.worker._shutdown import Shutdown


class Clock:
    """The monotonic clock of the module, set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(_shutdown, "time", SimpleNamespace(monotonic=lambda: self.now))


@pytest.mark.parametrize(
    ("timeout", "stop_at", "root"),
    [
        (600.0, 698.0, 700.0),
        (30.0, 128.0, 130.0),
        (8.0, 106.0, 108.0),
        (4.0, 103.0, 105.0),
        (1.0, 100.75, 102.75),
        (0.0, 100.0, 102.0),
    ],
)
def test_handlers_are_stopped_early_enough_for_cleanup_and_reports(
    monkeypatch: pytest.MonkeyPatch, timeout: float, stop_at: float, root: float
) -> None:
    """R-310: the root deadline caps everything; a short timeout is exceeded to hand back what was stopped."""
    Clock(monkeypatch)
    shutdown = Shutdown(timeout, 5.0)
    shutdown.request()
    assert (shutdown.stop_at, shutdown.root) == (stop_at, root)
    assert (shutdown.draining.is_set(), shutdown.ending.is_set()) == (True, False)


def test_each_part_of_the_end_lies_before_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-310."""
    clock = Clock(monkeypatch)
    shutdown = Shutdown(30.0, 5.0)
    shutdown.request()
    clock.now = 128.0
    assert shutdown.cleanup_until() == 129.0
    clock.now = 129.0
    assert shutdown.exit_until() == 129.5
    clock.now = 129.5
    assert shutdown.settlement() == 0.375
    assert shutdown.cleanup_until() == 129.75
    clock.now = 131.0
    assert (shutdown.settlement(), shutdown.rest()) == (0.0, 0.0)


def test_the_settlement_timeout_is_a_part_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-311: it never extends the root."""
    clock = Clock(monkeypatch)
    shutdown = Shutdown(600.0, 20.0)
    shutdown.request()
    clock.now = 696.0
    assert (shutdown.settlement(), shutdown.rest()) == (3.0, 4.0)


def test_the_settlement_timeout_caps_all_that_the_database_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-311: once, the shutdown report included, of which it keeps a part."""
    clock = Clock(monkeypatch)
    shutdown = Shutdown(600.0, 20.0)
    shutdown.request()
    clock.now = 110.0
    assert shutdown.settlement() == 15.0
    clock.now = 125.0
    assert (shutdown.settlement(), shutdown.rest()) == (3.75, 5.0)
    clock.now = 131.0
    assert (shutdown.settlement(), shutdown.rest()) == (0.0, 0.0)


def test_a_second_request_brings_the_root_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-312."""
    clock = Clock(monkeypatch)
    shutdown = Shutdown(600.0, 5.0)
    shutdown.request()
    clock.now = 150.0
    shutdown.request()
    assert (shutdown.root, shutdown.ending.is_set()) == (152.0, True)
    clock.now = 151.0
    shutdown.request()
    assert shutdown.root == 152.0


def test_a_second_request_near_the_end_does_not_move_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-312."""
    clock = Clock(monkeypatch)
    shutdown = Shutdown(30.0, 2.0)
    shutdown.request()
    clock.now = 129.0
    shutdown.request()
    assert shutdown.root == 130.0


def test_a_failure_drains_and_the_first_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    shutdown = Shutdown(30.0, 2.0)
    first = RuntimeError("first")
    shutdown.fail(first, 0)
    shutdown.fail(RuntimeError("second"), 0)
    assert (shutdown.failure, shutdown.root) == (first, 130.0)
    assert shutdown.draining.is_set()
