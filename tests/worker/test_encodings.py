"""Text that the database, or the environment, has no letters for: no worker ends for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

from tenure import ArgumentInvalid
from tenure._calls import Call
from tenure.migrate import migrate
from tenure.worker._link import Link
from tenure.worker._outcome import Outcome
from tenure.worker._reports import Reports
from tenure.worker._settings import Settings
from tests.support.servers import Database, TestServer
from tests.worker.abroad import OMEGA
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.test_logging import lease
from tests.worker.test_workflow_steps import FakeLink

Start = Callable[..., WorkerProcess]

ESCAPED = "\\u03a9"

NOT_ENCODABLE = "text with a character that the encoding of the database, or of the connection, does not have"

HOW = {
    "says": ("output", "error", "permanent", "skip", "progress"),
    "asks": ("checkpoint", "key", "child", "sleep", "signal"),
}
"""The handlers, and what each is told."""

STORED = {
    "output": ("completed", OMEGA),
    "error": ("discarded", "retryable", OMEGA, 2),
    "permanent": ("discarded", "permanent", OMEGA, 1),
    "skip": ("skipped", None),
    "checkpoint": ("completed", OMEGA),
    "key": ("completed", 1),
    "child": ("completed", "child"),
    "sleep": ("completed", "sleep"),
    "signal": ("discarded", "retryable", f"signal {OMEGA!r} did not come in time", 2),
    "progress": ("completed", "progress"),
}
"""How a step ends that says it where it can be stored."""

REFUSED = {
    "output": ("discarded", "permanent", f"result not storable: {NOT_ENCODABLE}", 1),
    "error": ("discarded", "retryable", ESCAPED, 2),
    "permanent": ("discarded", "permanent", ESCAPED, 1),
    "skip": ("skipped", None),
    "checkpoint": ("discarded", "retryable", NOT_ENCODABLE, 2),
    "key": ("discarded", "retryable", NOT_ENCODABLE, 2),
    "child": ("discarded", "retryable", NOT_ENCODABLE, 2),
    "sleep": ("discarded", "permanent", NOT_ENCODABLE, 1),
    "signal": ("discarded", "permanent", NOT_ENCODABLE, 1),
    "progress": ("completed", "progress"),
}
"""How it ends where it cannot: what was done fails for good, and what is only decoration goes in ASCII."""

BOOKING = pytest.mark.parametrize("handler", ["books", "books_thread", "books_process"])


@pytest.fixture
def encoding() -> str:
    """Of the test's database."""
    return "UTF8"


@pytest.fixture
def database(server: TestServer, encoding: str) -> Iterator[Database]:
    """A database of this encoding with the engine in it."""
    with server.database(template="template0", encoding=encoding) as made:
        with server.connect(made.name) as conn:
            migrate(conn)
        yield made


def enqueue(bench: Bench, handler: str, what: str = "") -> int:
    """With two attempts, one right after the other."""
    return bench.enqueue(handler, what, max_attempts=2, backoff={"kind": "fixed", "base": 0.05, "jitter": 0})


def ends(bench: Bench, step_id: int) -> tuple[Any, ...]:
    """How the step has ended: with its output, or with kind and message of its error, and its attempt."""
    step = bench.ended(step_id)
    assert step["reclaims"] == 0
    if step["state"] != "discarded":
        return step["state"], step["output"]
    return step["state"], step["error_kind"], step["error"]["message"], step["attempt"]


def bookings(bench: Bench) -> int:
    return int(bench.value("select count(*) from booking"))


@pytest.mark.parametrize(("encoding", "expected"), [("LATIN1", REFUSED), ("SQL_ASCII", STORED)])
def test_a_letter_that_the_database_may_not_have_ends_no_worker(
    bench: Bench, start_worker: Start, expected: dict[str, tuple[Any, ...]]
) -> None:
    """R-384."""
    worker = start_worker(app="tests.worker.abroad:app")
    steps = {what: enqueue(bench, name, what) for name, all_of_it in HOW.items() for what in all_of_it}
    assert {what: ends(bench, step_id) for what, step_id in steps.items()} == expected
    worker.stop()


@BOOKING
@pytest.mark.parametrize("encoding", ["LATIN1"])
def test_so_it_is_within_the_transaction_of_a_handler(
    bench: Bench, start_worker: Start, handler: str
) -> None:
    """R-384: once and for all, and the rows are undone."""
    worker = start_worker(app="tests.worker.abroad:app")
    assert ends(bench, enqueue(bench, handler)) == REFUSED["output"]
    assert bookings(bench) == 0
    worker.stop()


@pytest.mark.parametrize("encoding", ["LATIN1"])
def test_a_shutdown_report_with_such_a_letter_is_stored(bench: Bench, start_worker: Start) -> None:
    """R-384, R-314."""
    assert start_worker(app="tests.worker.abroad:failing").wait() == 1
    reason = bench.value("select report ->> 'reason' from tenure.worker_status")
    assert f"ValueError: {ESCAPED}" in reason


class NarrowLink(FakeLink):
    """A database that does not have this letter."""

    async def call(self, call: Call[Any]) -> Any:
        answer = await super().call(call)
        if OMEGA in str(call.params):
            raise ArgumentInvalid("no such letter")
        return answer


def test_a_completion_that_is_refused_spoils_none_that_is_reported_with_it() -> None:
    """R-384: each is then said alone."""
    link, settled = NarrowLink(), []

    async def report() -> None:
        settings = cast("Settings", type("Owned", (), {"owner": "w"}))
        reports = Reports(
            settings,
            cast("Link", link),
            settled=lambda lease, verdict: settled.append((lease.step_id, verdict)),
        )
        running = asyncio.create_task(reports.run())
        for step_id, output in ((1, "1"), (2, f'"{OMEGA}"'), (3, "3")):
            reports.add(replace(lease(), step_id=step_id, run_id=step_id), Outcome("complete", (output,)))
        await reports.settle(30)
        running.cancel()

    asyncio.run(report())
    asked = [function for function, _ in link.asked]
    assert asked == ["complete_many", "complete", "complete", "complete", "fail"]
    assert [step_id for step_id, _ in settled] == [1, 3, 2]
    _, (step_id, _, _, error, kind, _) = link.asked[-1]
    assert (step_id, json.loads(error)["message"], kind) == (
        2,
        "result not storable: no such letter",
        "permanent",
    )


def test_the_environment_has_no_say_in_it(
    bench: Bench, start_worker: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-384."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    worker = start_worker(app="tests.worker.abroad:app")
    steps = {what: enqueue(bench, name, what) for name, all_of_it in HOW.items() for what in all_of_it}
    booked = [enqueue(bench, name) for name in ("books", "books_thread", "books_process")]
    assert {what: ends(bench, step_id) for what, step_id in steps.items()} == STORED
    assert [ends(bench, step_id) for step_id in booked] == [("completed", OMEGA)] * 3
    assert bookings(bench) == 3
    worker.stop()
