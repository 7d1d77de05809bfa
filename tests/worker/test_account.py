"""The shutdown report: what is proven of each step, and what is not."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from tenure.worker import _account
from tenure.worker._account import MOST, MOST_ABANDONED, Account
from tenure.worker._budget import Budget
from tenure.worker._leases import Lease


def lease(step_id: int, *, proof: str | None = "returned", renewed: float = 0.0, **facts: Any) -> Lease:
    held = Lease(
        step_id=step_id,
        run_id=step_id,
        generation=7,
        name="ship",
        attempt=1,
        budget=Budget.of(0.0, None),
        blocks_retry=False,
        ttl=30.0,
        renewed_at=time.monotonic() + renewed,
        **facts,
    )
    held.proof = proof
    return held


def ids(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["step_id"] for entry in entries]


def test_each_step_of_a_shutdown_is_settled_released_or_abandoned() -> None:
    """R-314."""
    account = Account()
    account.settled(lease(1), "completed")
    account.leave()
    account.settled(lease(2), "completed")
    account.settled(lease(3, proof="process ended"), "released")
    account.settled(lease(4), "lease_lost")
    account.lost(lease(5, proof=None))
    report = account.report([], [(lease(6), "complete")], "told")
    assert report["verdicts"] == {"completed": 2, "released": 1, "lease_lost": 1}
    assert ids(report["settled"]) == ["2"]
    assert report["settled"][0]["verdict"] == "completed"
    assert ids(report["released"]) == ["3"]
    assert report["released"][0]["proof"] == "process ended"
    assert {entry["step_id"]: (entry["why"], entry["proof"]) for entry in report["abandoned"]} == {
        "4": ("nothing was reported: lease_lost", "returned"),
        "5": ("its process ended first", None),
        "6": ("the database did not answer its report: complete", "returned"),
    }


def test_a_thread_that_came_back_is_not_abandoned_any_more() -> None:
    """R-314."""
    account, back, away = Account(), lease(1, proof=None), lease(2, proof=None, stack="here")
    account.given_up(back)
    account.given_up(away)
    back.proof = "returned"
    report = account.report([], [], "told")
    assert ids(report["abandoned"]) == ["2"]
    assert report["abandoned"][0]["stack"] == "here"


def test_what_has_left_processes_behind_is_abandoned_with_its_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R-314, R-324: it is settled and was held no longer; that nothing of it runs is not proven."""
    now = 1000.0
    monkeypatch.setattr(_account, "time", SimpleNamespace(monotonic=lambda: now))
    account, strayed = Account(), lease(1, proof=None, strays=[9], held_since=990.0)
    account.settled(strayed, "completed")
    now = 1600.0
    [entry] = account.report([], [], "told")["abandoned"]
    assert (entry["why"], entry["processes"]) == ("processes of it have left its group", [9])
    assert (entry["verdict"], entry["held_seconds"]) == ("completed", 10.0)


def test_every_report_that_got_no_answer_is_listed() -> None:
    """R-314: their handlers have returned, and that is no answer."""
    report = Account().report(
        [], [(lease(1), "complete"), (lease(2), "fail"), (lease(3), "complete")], "told"
    )
    assert ids(report["abandoned"]) == ["1", "2", "3"]


def test_a_thread_that_ended_with_its_process_is_listed_by_its_verdict() -> None:
    """R-314: as a handler in a loop that was blocked, of which there is no stack."""
    account, thread, blocked = Account(), lease(1, proof=None, stack="here"), lease(2, proof=None)
    account.leave()
    account.given_up(thread)
    for ended in (thread, blocked):
        ended.proof = "process ended"
        account.settled(ended, "released")
    report = account.report([], [], "told")
    assert [(entry["step_id"], entry["stack"]) for entry in report["released"]] == [
        ("1", "here"),
        ("2", None),
    ]
    assert report["abandoned"] == []


def test_a_thread_whose_end_is_not_proven_is_abandoned_whatever_the_verdict() -> None:
    """R-314."""
    account, thread, process = Account(), lease(1, proof=None), lease(2, proof=None)
    account.leave()
    account.given_up(thread)
    account.settled(thread, "available")
    account.settled(process, "available")
    report = account.report([], [], "told")
    assert (ids(report["abandoned"]), report["settled"]) == (["1", "2"], [])


def test_what_is_lost_before_the_signal_is_listed_until_its_lease_has_run_out() -> None:
    """R-314: until then it is leased to this worker."""
    account = Account()
    account.lost(lease(1, proof="process ended", renewed=-31))
    account.lost(lease(2, proof="process ended", renewed=-10))
    account.lost(lease(3, proof="process ended", over=True))
    account.leave()
    report = account.report([], [], "told")
    assert [(entry["step_id"], entry["why"]) for entry in report["abandoned"]] == [
        ("2", "its process ended first")
    ]


def test_a_report_stays_small() -> None:
    """R-314: it says how many steps it does not name."""
    account = Account()
    account.leave()
    for step_id in range(MOST + 3):
        account.settled(lease(step_id), "completed")
    unanswered = [(lease(-step_id), "complete") for step_id in range(MOST_ABANDONED + 4)]
    report = account.report([], unanswered, "told")
    assert (len(report["settled"]), len(report["abandoned"])) == (MOST, MOST_ABANDONED)
    assert report["left_out"] == 3 + 4


def test_what_was_abandoned_in_a_long_life_is_counted_when_it_is_not_named() -> None:
    """R-314."""
    account = Account()
    for step_id in range(MOST_ABANDONED + 2):
        account.settled(lease(step_id, proof=None, strays=[9]), "available")
    report = account.report([], [], "told")
    assert (len(report["abandoned"]), report["left_out"]) == (MOST_ABANDONED, 2)
    assert report["abandoned"][-1]["step_id"] == str(MOST_ABANDONED + 1)


def test_what_is_held_to_the_end_is_listed_whatever_has_happened() -> None:
    """R-314: neither reported nor known to be lost. What is known of one stands."""
    account, lost = Account(), lease(2, proof=None)
    account.leave()
    account.lost(lost)
    report = account.report([lease(1, proof=None), lost], [], "the worker is broken")
    assert report["reason"] == "the worker is broken"
    assert {entry["step_id"]: entry["why"] for entry in report["abandoned"]} == {
        "1": "the worker left before it had ended",
        "2": "its process ended first",
    }
