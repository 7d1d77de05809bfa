"""The shutdown report: what is proven of each step, and what is not."""

from __future__ import annotations

from typing import Any

from tenure.worker._account import MOST, Account
from tenure.worker._budget import Budget
from tenure.worker._leases import Lease


def lease(step_id: int, *, proof: str | None = "returned", **facts: Any) -> Lease:
    held = Lease(
        step_id=step_id,
        run_id=step_id,
        generation=7,
        name="ship",
        budget=Budget.of(0.0, None),
        blocks_retry=False,
        renewed_at=0.0,
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
    report = account.report([(lease(6), "complete")])
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
    account.abandoned(back, "its thread did not come back")
    account.abandoned(away, "its thread did not come back")
    back.proof = "returned"
    report = account.report([])
    assert ids(report["abandoned"]) == ["2"]
    assert report["abandoned"][0]["stack"] == "here"


def test_a_report_stays_small() -> None:
    account = Account()
    account.leave()
    for step_id in range(MOST + 3):
        account.settled(lease(step_id), "completed")
    report = account.report([])
    assert (len(report["settled"]), report["left_out"]) == (MOST, 3)
