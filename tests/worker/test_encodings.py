"""Text that the database, or the environment, has no letters for: no worker ends for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tenure.migrate import migrate
from tests.support.servers import Database, TestServer
from tests.worker.abroad import OMEGA
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

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
