"""The host of executions: what it owes for each."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC, datetime
from typing import Any, NoReturn

import pytest

from tenure import App
from tenure._rows import Claimed
from tenure.worker import _host
from tenure.worker._budget import Budget
from tenure.worker._claimed import to_wire
from tenure.worker._host import Host


async def fails(execution: Any) -> NoReturn:
    """Stands for a delivery with a fault of the worker's own."""
    raise GeneratorExit


def test_a_delivery_that_fails_itself_is_logged_and_its_step_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """R-343: else it would keep its slot and its lease for ever."""
    app, said = App(), list[Any]()

    @app.step
    async def any_step(ctx: Any, input: Any) -> None: ...

    monkeypatch.setattr(_host, "deliver", fails)
    expiry = datetime(2026, 1, 1, tzinfo=UTC)
    claimed = Claimed(
        7, 7, "any_step", "default", "null", 1, 5, 3, expiry, None, 0, None, None, None, "abandon", None
    )

    async def run() -> bool:
        host = Host(app.steps, dsn="", owner="test", send=said.extend)
        host.receive([["start", to_wire(claimed, Budget.of(time.monotonic(), None))]])
        while not said:  # noqa: ASYNC110 - it has no event, and a turn of the loop is all that it takes
            await asyncio.sleep(0)
        return host.busy

    with caplog.at_level(logging.ERROR):
        assert not asyncio.run(run())
    ((*report, arguments, _),) = said
    assert report == ["done", 7, 3, "fail"]
    assert arguments[0]["type"] == "GeneratorExit"
    assert "step 7: its delivery failed" in caplog.text
