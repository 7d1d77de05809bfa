"""When leases are renewed, on the clock of the stage and with a link that only answers."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from tenure._rows import StepHeartbeat
from tenure.worker import _beats
from tenure.worker._beats import Beats
from tenure.worker._budget import Budget
from tenure.worker._leases import Lease, Leases
from tests.worker.stage import BEGIN, Stage
from tests.worker.test_relay import SETTINGS

TTL = 30.0


class Scene:
    """Beats for many leases that were claimed at once, and when each was renewed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, poll_interval: float) -> None:
        self.stage = Stage()
        self.beats: dict[int, list[float]] = defaultdict(list)
        self.settings = replace(SETTINGS, lease_ttl=TTL, poll_interval=poll_interval)
        monkeypatch.setattr(_beats, "time", SimpleNamespace(monotonic=lambda: self.stage.loop.now))
        monkeypatch.setattr(_beats, "random", random.Random(7))  # noqa: S311 - the same each time

    def run(self, *, leases: int, seconds: float) -> None:
        """Beat for so many leases and so long."""
        self.stage.run(self._run(leases, seconds))

    async def _run(self, leases: int, seconds: float) -> None:
        held = Leases()
        beats = Beats(
            self.settings,
            held,
            SimpleNamespace(call=self._call),  # type: ignore[arg-type]
            renewed=lambda _: None,
            tell=lambda lease, reason: pytest.fail(f"{lease} {reason}"),
            frozen=lambda _: False,
        )
        for number in range(leases):
            lease = a_lease(number)
            held.add(lease)
            beats.hold(lease)
        beating = asyncio.create_task(beats.run())
        ended, _ = await asyncio.wait({beating}, timeout=seconds)
        assert not ended
        beating.cancel()

    async def _call(self, call: Any, *, limit: float) -> list[StepHeartbeat]:
        assert limit == TTL / 6, "there is to be time for another one within the lease"
        steps = [int(number) for number in call.params[0].strip("{}").split(",")]
        for step_id in steps:
            self.beats[step_id].append(self.stage.loop.now - BEGIN)
        return [StepHeartbeat(step_id, "renewed", None, None) for step_id in steps]


def a_lease(number: int) -> Lease:
    """A lease that was claimed at the beginning."""
    return Lease(
        step_id=number,
        run_id=number,
        generation=1,
        name="x",
        attempt=1,
        budget=Budget.of(BEGIN, None),
        blocks_retry=False,
        ttl=TTL,
        renewed_at=BEGIN,
    )


@pytest.fixture(params=[0.01, 600.0])
def scene(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Scene:
    """A scene, whatever the poll interval."""
    return Scene(monkeypatch, poll_interval=request.param)


def test_a_lease_is_renewed_every_third_of_it_more_or_less(scene: Scene) -> None:
    """R-393: ten seconds of thirty, a tenth more or less; who is due a thirtieth later comes along."""
    scene.run(leases=100, seconds=300.0)
    gaps = [later - sooner for beats in scene.beats.values() for sooner, later in pairwise(beats)]
    assert min(gaps) >= 9.0 - 10.0 / 30
    assert max(gaps) <= 11.0
    # And they do differ: workers that were started together do not go on together.
    assert (min(gaps) < 9.1, max(gaps) > 10.9) == (True, True)
    assert {len(beats) for beats in scene.beats.values()} <= set(range(27, 34))


def test_the_first_beat_comes_at_a_random_phase(scene: Scene) -> None:
    """R-393: of what is claimed at one instant, some is renewed in each second of the first third."""
    scene.run(leases=100, seconds=11.0)
    assert {int(beats[0]) for beats in scene.beats.values()} == set(range(10))
    assert len(scene.beats) == 100
