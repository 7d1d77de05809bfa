"""The host of executions: what it owes for each."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NoReturn

import pytest

from tenure import App
from tenure._rows import Claimed
from tenure.worker import _host
from tenure.worker._budget import Budget
from tenure.worker._claimed import to_wire
from tenure.worker._host import Host
from tenure.worker._outcome import RELEASE, Outcome
from tenure.worker._watch import Watch
from tenure.worker._wire import pack

CLAIMED = Claimed(
    *(7, 7, "any_step", "default", "null", 1, 5, 3, datetime(2026, 1, 1, tzinfo=UTC)),
    *(None, 0, None, None, None, "abandon", None),
)


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

    async def run() -> bool:
        host = Host(app.steps, dsn="", owner="test", send=said.extend, watch=Watch(expired=pytest.fail))
        host.receive([["start", 7, 3, [], to_wire(CLAIMED, Budget.of(time.monotonic(), None))]])
        while not said:  # noqa: ASYNC110 - it has no event, and a turn of the loop is all that it takes
            await asyncio.sleep(0)
        return host.busy

    with caplog.at_level(logging.ERROR):
        assert not asyncio.run(run())
    ((*report, arguments, _),) = said
    assert report == ["done", 7, 3, "fail"]
    assert arguments[0]["type"] == "GeneratorExit"
    assert "step 7: its delivery failed" in caplog.text


def test_an_outcome_that_cannot_be_sent_costs_no_other_its_own(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """R-344: not foreseen either; it is logged, and its step fails."""
    app, said = App(), list[Any]()

    @app.step
    async def any_step(ctx: Any, input: Any) -> None: ...

    async def ends(execution: Any) -> Outcome:
        return Outcome("skip", (object() if execution.claimed.generation == 3 else "no need",))

    def send(batch: list[Any]) -> None:
        pack(batch)
        said.extend(batch)

    monkeypatch.setattr(_host, "deliver", ends)

    async def run() -> None:
        host = Host(app.steps, dsn="", owner="test", send=send, watch=Watch(expired=pytest.fail))
        for generation in (3, 4):
            claimed = replace(CLAIMED, generation=generation)
            budget = Budget.of(time.monotonic(), None)
            host.receive([["start", 7, generation, [], to_wire(claimed, budget)]])
        while len(said) < 2:  # noqa: ASYNC110 - it has no event, and a turn of the loop is all that it takes
            await asyncio.sleep(0)

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    (_, _, _, verb, (document, kind, _), _), neighbour = said
    assert (verb, document["type"], kind) == ("fail", "TypeError", "retryable")
    assert neighbour == ["done", 7, 4, "skip", ["no need"], None]
    assert "a message to the supervisor is not sent: ['done', 7, 3]" in caplog.text


def test_whoever_asks_for_an_execution_that_has_ended_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-380: at once, and where it has asked before the end, then; else it would wait for ever."""
    app, said, asked = App(), list[Any](), list[Any]()

    @app.step
    async def any_step(ctx: Any, input: Any) -> None: ...

    async def asks(execution: Any) -> Outcome:
        asked.append(execution.host.ask(execution.claimed, "checkpoint", "a", None))
        return RELEASE

    monkeypatch.setattr(_host, "deliver", asks)

    async def run() -> None:
        host = Host(app.steps, dsn="", owner="test", send=said.extend, watch=Watch(expired=pytest.fail))
        host.receive([["start", 7, 3, [], to_wire(CLAIMED, Budget.of(time.monotonic(), None))]])
        while not any(message[0] == "done" for message in said):  # noqa: ASYNC110 - a turn of the loop
            await asyncio.sleep(0)
        asked.append(host.ask(CLAIMED, "checkpoint", "b", None))
        with pytest.raises(RuntimeError, match="its execution has ended"):
            host.progress(CLAIMED, "1")
        # What was asked in time may be answered too late.
        [ask_id] = [message[1] for message in said if message[0] == "ask"]
        host.receive([["answer", ask_id, None, None]])

    asyncio.run(run())
    assert [str(answer.exception(timeout=0)) for answer in asked] == [
        "step 7: its execution has ended, ctx is of no use any more"
    ] * 2
    assert [message[0] for message in said] == ["ask", "done"]
