"""What the supervisor itself decides, without a database: by when, and since when."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tenure import App
from tenure._rows import Claimed
from tenure.worker import _claims, _supervisor
from tenure.worker._budget import Budget
from tenure.worker._errors import WorkerError
from tenure.worker._handlers import Room
from tenure.worker._leases import Lease
from tenure.worker._life import live
from tenure.worker._supervisor import Supervisor
from tests.worker.test_relay import SETTINGS


def lease(limit_at: float | None, ends_at: float = 999.0) -> Lease:
    budget = Budget.of(100.0, None if limit_at is None else limit_at - 100.0)
    return Lease(
        step_id=1,
        run_id=1,
        generation=1,
        name="x",
        attempt=1,
        budget=budget,
        blocks_retry=False,
        ttl=30.0,
        renewed_at=ends_at - 30.0,
    )


class Scene:
    """A supervisor at an instant, and until when it lets handlers stop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, now: float) -> None:
        self.until: list[float] = []
        self.supervisor = Supervisor(SETTINGS, [], [])
        monkeypatch.setattr(_supervisor, "time", SimpleNamespace(monotonic=lambda: now))
        monkeypatch.setattr(self.supervisor._handlers, "cancel", self._cancel)

    def _cancel(self, _lease: Lease, _reason: str, until: float) -> None:
        self.until.append(until)

    def told(self, root: float, limit_at: float | None, lease_ends_at: float = 999.0) -> list[float]:
        """Until when it may stop after a cancel, and after its lease was lost."""
        self.until.clear()
        self.supervisor._shutdown.root = root
        self.supervisor._stop(lease(limit_at), "cancelled")
        self.supervisor._fence_off(lease(limit_at, lease_ends_at))
        return self.until


def test_what_is_told_to_stop_has_its_reserve_within_its_limit_its_lease_and_the_root(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R-310, R-340, R-302."""
    scene = Scene(monkeypatch, now=200.0)
    assert scene.told(999.0, None) == [201.0, 201.0]
    assert scene.told(999.0, 200.5) == [200.5, 200.5]
    assert scene.told(999.0, None, lease_ends_at=200.4) == [201.0, 200.4]
    assert scene.told(200.3, None) == [200.3, 200.3]


def test_time_counts_from_before_the_claim_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-340, R-302: the database began to count later than that, both for the limit and for the lease."""
    now, limit = 100.0, timedelta(seconds=10)
    expiry = datetime(2026, 1, 1, tzinfo=UTC)
    claimed = Claimed(
        7, 7, "x", "default", "null", 1, 5, 3, expiry, limit, 0, None, None, None, "abandon", None
    )

    async def call(_: Any) -> list[Claimed]:
        nonlocal now
        now += 3.0
        return [claimed]

    async def claim() -> Lease:
        supervisor = Supervisor(SETTINGS, [], [])
        monkeypatch.setattr(supervisor._link, "call", call)
        monkeypatch.setattr(supervisor._handlers, "start", lambda *_: True)
        await supervisor._claims._claim(Room(1, ["x"]))
        (lease,) = supervisor._leases
        return lease

    for module in (_claims, _supervisor):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    held = asyncio.run(claim())
    assert now == 103.0
    assert (held.renewed_at, held.ends_at, held.budget.limit_at) == (100.0, 130.0, 110.0)


def test_a_program_whose_worker_did_not_start_hears_signals_as_before(tmp_path: Path) -> None:
    """R-314: the report was given in peace, and that is over."""

    def refused() -> App:
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
        assert not signal.pthread_sigmask(signal.SIG_BLOCK, []) & {signal.SIGTERM, signal.SIGINT}
        raise WorkerError("not today")

    before = signal.getsignal(signal.SIGTERM), signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with pytest.raises(WorkerError, match="not today"):
        live(replace(SETTINGS, dsn=f"host={tmp_path}"), refused)
    assert (signal.getsignal(signal.SIGTERM), signal.pthread_sigmask(signal.SIG_BLOCK, [])) == before
