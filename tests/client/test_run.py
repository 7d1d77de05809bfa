"""Run handles: waiting for a result without asking too often."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

from tenure import AsyncRun, DurationInvalid, Run, RunCancelled, RunDiscarded, RunStatus, _calls
from tenure._calls import Call

T = TypeVar("T")

STATUS = RunStatus(
    run_id=7,
    name="a",
    queue="default",
    state="running",
    attempt=1,
    max_attempts=5,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    scheduled_at=None,
    started_at=None,
    finished_at=None,
    error=None,
    error_kind=None,
    cancel_reason=None,
    in_flight=0,
)


class Engine:
    """Answers status with one state after the other, the last for ever, and result with its output."""

    def __init__(self, *states: str, **status: Any) -> None:
        self._states = list(states)
        self._status = status
        self.asked: list[str] = []

    def call(self, call: Call[T]) -> T:
        if call.sql == _calls.result(7).sql:
            self.asked.append("result")
            return "output"  # type: ignore[return-value]
        assert call.sql == _calls.status(7).sql
        state = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        self.asked.append(state)
        return dataclasses.replace(STATUS, state=state, **self._status)  # type: ignore[return-value]


class AsyncEngine:
    """The same, awaited."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def call(self, call: Call[T]) -> T:
        return self._engine.call(call)


class Waiter:
    """Both kinds of handle on one run."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def result(self, engine: Engine, **options: Any) -> Any:
        if self._kind == "sync":
            return Run(7, engine).result(**options)
        return asyncio.run(AsyncRun(7, AsyncEngine(engine)).result(**options))


@pytest.fixture(params=["sync", "async"])
def waiter(request: pytest.FixtureRequest) -> Waiter:
    return Waiter(request.param)


@pytest.mark.parametrize("end", ["completed", "skipped"])
def test_the_result_is_asked_for_once_the_run_has_ended(waiter: Waiter, end: str) -> None:
    engine = Engine("available", "running", "paused", end)
    assert waiter.result(engine) == "output"
    assert engine.asked == ["available", "running", "paused", end, "result"]


def test_a_run_that_does_not_end_in_time_is_a_timeout_and_is_looked_at_once_more(waiter: Waiter) -> None:
    engine = Engine("running")
    started = time.monotonic()
    with pytest.raises(TimeoutError, match=r"run 7 has not ended within 0:00:00\.200000"):
        waiter.result(engine, timeout=0.2)
    assert 0.2 <= time.monotonic() - started < 5
    # 20 ms, 30, 45, 67, what is left, and the last look: the pauses grow.
    assert 3 <= len(engine.asked) <= 7


def test_a_run_that_ends_at_the_last_moment_has_ended_in_time(waiter: Waiter) -> None:
    class Late(Engine):
        def call(self, call: Call[T]) -> T:
            if time.monotonic() >= end:
                self._states = ["completed"]
            return super().call(call)

    end = time.monotonic() + 0.3
    assert waiter.result(Late("running"), timeout=0.3) == "output"


def test_no_time_at_all_is_one_look(waiter: Waiter) -> None:
    engine = Engine("running")
    with pytest.raises(TimeoutError):
        waiter.result(engine, timeout=0)
    assert engine.asked == ["running"]
    assert waiter.result(Engine("completed"), timeout=0) == "output"


def test_a_bad_timeout_is_refused_before_the_engine_is_asked(waiter: Waiter) -> None:
    engine = Engine("completed")
    for timeout in (-1, float("nan"), "5"):
        with pytest.raises(DurationInvalid):
            waiter.result(engine, timeout=timeout)
    assert engine.asked == []


def test_a_cancelled_run_raises_with_the_reason(waiter: Waiter) -> None:
    engine = Engine("running", "cancelled", cancel_reason="no longer wanted")
    with pytest.raises(RunCancelled, match="run 7 was cancelled") as caught:
        waiter.result(engine)
    assert caught.value.detail == "no longer wanted"
    assert engine.asked == ["running", "cancelled"]


def test_a_discarded_run_raises_with_the_error(waiter: Waiter) -> None:
    error = {"type": "ValueError", "message": "bad", "traceback": "…"}
    engine = Engine("discarded", error=error, error_kind="permanent")
    with pytest.raises(RunDiscarded, match=r"run 7 was discarded \(permanent\)") as caught:
        waiter.result(engine)
    assert caught.value.error == error
    assert caught.value.detail == "ValueError: bad"
    assert engine.asked == ["discarded"]


def test_a_run_out_of_attempts_does_not_read_as_if_it_could_be_retried(waiter: Waiter) -> None:
    with pytest.raises(RunDiscarded, match=r"^run 7 was discarded after its last attempt$"):
        waiter.result(Engine("discarded", error_kind="retryable"))


@pytest.mark.parametrize(
    ("error", "detail"), [(None, None), ("text", "text"), ({"step": 7}, "{'step': 7}")], ids=repr
)
def test_any_stored_error_is_told(waiter: Waiter, error: Any, detail: str | None) -> None:
    with pytest.raises(RunDiscarded) as caught:
        waiter.result(Engine("discarded", error=error, error_kind="timeout"))
    assert caught.value.detail == detail


def test_a_handle_is_its_id() -> None:
    assert Run(7, Engine("running")) == Run(7, Engine("completed"))
    assert len({Run(7, Engine("running")), Run(7, Engine("running")), Run(8, Engine("running"))}) == 2
    assert repr(Run(7, Engine("running"))) == "Run(id=7)"
    assert repr(AsyncRun(7, AsyncEngine(Engine("running")))) == "AsyncRun(id=7)"
