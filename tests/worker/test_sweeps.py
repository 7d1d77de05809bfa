"""When the sweep is ticked, on the clock of the stage and with a link that only answers."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from tenure._rows import SweepReport
from tenure.worker import _sweeps
from tenure.worker._link import UnavailableError
from tenure.worker._sweeps import Sweeps
from tests.worker.stage import BEGIN, Stage
from tests.worker.test_relay import SETTINGS

NOTHING = SweepReport(0, 0, 0, 0, timedelta(minutes=5))


class Scene:
    """Sweeps with these answers, then nothing to do; when each tick came, and what was said to have moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: SweepReport | Exception) -> None:
        self.stage = Stage()
        self.answers = list(answers)
        self.ticks: list[float] = []
        self.moved: list[float] = []
        monkeypatch.setattr(_sweeps, "random", random.Random(7))  # noqa: S311 - the same each time

    def run(self, *, poll_interval: float, ticks: int) -> None:
        """Sweep until there were so many ticks."""
        self.stage.run(self._run(replace(SETTINGS, poll_interval=poll_interval), ticks))

    async def _run(self, settings: Any, ticks: int) -> None:
        enough = asyncio.Event()

        async def call(_: Any) -> SweepReport:
            self.ticks.append(self.stage.loop.now - BEGIN)
            if len(self.ticks) == ticks:
                enough.set()
            answer = self.answers.pop(0) if self.answers else NOTHING
            if isinstance(answer, Exception):
                raise answer
            return answer

        link: Any = SimpleNamespace(call=call)
        sweeps = Sweeps(settings, link, moved=lambda: self.moved.append(self.stage.loop.now - BEGIN))
        sweeping = asyncio.create_task(sweeps.run())
        await enough.wait()
        assert not sweeping.done()
        sweeping.cancel()


def test_ticks_come_at_random_points_of_the_poll_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-394: from a tenth of it on, so that no two workers go on together."""
    scene = Scene(monkeypatch)
    scene.run(poll_interval=10.0, ticks=200)
    gaps = [later - sooner for sooner, later in pairwise([0.0, *scene.ticks])]
    assert (min(gaps) >= 1.0, max(gaps) < 10.0) == (True, True)
    assert {int(gap) for gap in gaps} == set(range(1, 10))
    assert scene.moved == []


def test_a_pass_that_reached_its_limit_is_followed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-394: there is more to do; and what has become due is claimed without a poll."""
    more = timedelta(0)
    answers = (
        SweepReport(100, 0, 0, 0, more),
        SweepReport(0, 100, 0, 0, more),
        SweepReport(0, 0, 100, 0, more),
        SweepReport(0, 0, 0, 7, None),
    )
    scene = Scene(monkeypatch, *answers)
    scene.run(poll_interval=10.0, ticks=5)
    first = scene.ticks[0]
    assert scene.ticks[:4] == [first] * 4
    assert scene.ticks[4] >= first + 1.0
    # What is discarded is nothing to claim.
    assert scene.moved == [first] * 3


def test_a_tick_without_an_answer_is_followed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-394: any other worker's does as well."""
    scene = Scene(monkeypatch, UnavailableError("nobody there"))
    scene.run(poll_interval=10.0, ticks=2)
    assert scene.ticks[1] >= scene.ticks[0] + 1.0
