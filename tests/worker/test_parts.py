"""Parts of the worker that need no database."""

from __future__ import annotations

import asyncio
import random
import struct

import pytest

from tenure import App
from tenure.worker import WorkerError, _wire
from tenure.worker._bell import Bell
from tenure.worker._child import load
from tenure.worker._link import Backoff
from tenure.worker._outcome import Outcome, failure
from tenure.worker._schedule import SMALL, Schedule
from tenure.worker._settings import Settings
from tenure.worker._token import Reason, Token
from tenure.worker._wire import GarbledError, Message, Unpacker, pack
from tenure.worker._worker import Worker, find
from tests.worker import handlers

WORDS: list[Reason] = ["shutdown", "timed_out", "cancelled", "timed_out"]


def test_messages_survive_any_cut_of_the_stream() -> None:
    batches: list[list[Message]] = [[["a", 1, None]], [["b", "ü\ud800\0"], ["c", [2**60]]], []]
    stream = b"".join([pack(batch) for batch in batches])
    expected = [message for batch in batches for message in batch]
    for size in (1, 2, 7, 8, 9, len(stream)):
        unpacker = Unpacker()
        pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
        assert [message for piece in pieces for message in unpacker.feed(piece)] == expected


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"garbage\n", "a frame of 7449361025514038538 bytes"),
        (struct.pack(">Q", 2**28 + 1), "a frame of 268435457 bytes"),
        (struct.pack(">Q", 3) + b"[1,", "a frame that is no JSON: "),
        (struct.pack(">Q", 2) + b"\xff\xff", "a frame that is no JSON: "),
        (struct.pack(">Q", 9999) + b"[" * 9999, "a frame that is no JSON: "),
        (struct.pack(">Q", 4) + b"null", "a frame of no messages"),
        (struct.pack(">Q", 5) + b"[[],1", "a frame that is no JSON: "),
        (struct.pack(">Q", 6) + b"[[],1]", "a frame of no messages"),
    ],
)
def test_what_is_no_message_is_told_at_once(data: bytes, sentence: str) -> None:
    """R-377: nothing is waited for, and nothing is guessed."""
    with pytest.raises(GarbledError, match=f"^{sentence}"):
        Unpacker().feed(pack([["pong"]]) + data)


def test_a_batch_that_is_too_long_for_a_frame_goes_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-377: many large outputs at once are no garbage."""
    batch: list[Message] = [["done", number, "x" * 50] for number in range(9)]
    monkeypatch.setattr(_wire, "LONGEST", 150)
    stream = pack(batch)
    assert Unpacker().feed(stream) == batch
    assert len(stream) > len(batch) * 60 + 4 * 8
    # One message alone is never cut; that it is short enough is for its own limit.
    assert len(pack([["x" * 200]])) == 8 + 206


def test_a_schedule_is_in_order_and_forgets_the_dead() -> None:
    dead: set[int] = set()
    schedule = Schedule[int](lambda _, item: item not in dead)
    items = list(range(1, 10 * SMALL))
    random.Random(7).shuffle(items)  # noqa: S311 - any order will do
    for item in items:
        schedule.add(float(item), item)
        if item > 10:
            dead.add(item)
    assert len(schedule) <= 2 * SMALL
    assert schedule.first() == 1.0
    assert schedule.pop(0.5) is None
    dead.add(2)
    assert [schedule.pop(5) for _ in range(5)] == [1, 3, 4, 5, None]


def test_pauses_grow_and_stay_bounded() -> None:
    backoff = Backoff()
    pauses = [backoff.pause() for _ in range(30)]
    assert pauses[0] <= Backoff.FIRST
    assert max(pauses) <= Backoff.LAST
    assert min(pauses[10:]) >= Backoff.LAST / 2
    backoff.reset()
    assert backoff.pause() <= Backoff.FIRST


def test_the_first_reason_stands_but_for_the_word_of_the_database() -> None:
    token = Token()
    told: list[int] = []
    reasons: list[Reason | None] = []
    token.add(lambda: told.append(1))
    for reason in WORDS:
        token.set(reason)
        reasons.append(token.reason)
    assert reasons == ["shutdown", "shutdown", "cancelled", "cancelled"]
    assert told == [1]
    token.add(lambda: told.append(2))
    assert told == [1, 2]


def test_an_app_is_found_by_the_module_that_holds_it() -> None:
    assert find(handlers.app) == "tests.worker.handlers:app"
    assert load("tests.worker.handlers:app") is handlers.app


def test_an_app_that_no_module_holds_is_refused() -> None:
    with pytest.raises(WorkerError, match="importable module"):
        Worker(App())


def test_a_reference_to_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="float, not a"):
        load("tests.worker.handlers:POLL")


REFUSAL = ValueError("refused")


def test_a_failure_or_a_skip_that_was_refused_is_said_in_ascii() -> None:
    """R-384."""
    outcome = failure(ValueError("ünï"), "uncertain", after=7).instead(REFUSAL)
    error, kind, after = outcome.arguments
    assert (error["message"], kind, after) == ("\\xfcn\\xef", "uncertain", 7)
    assert Outcome("skip", ("ü",)).instead(REFUSAL) == Outcome("skip", ("\\xfc",))
    assert outcome.instead(REFUSAL) == outcome


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (Outcome("complete", ('"ü"',)), "result not storable: refused"),
        (Outcome("sleep", (1.0, "ü")), "refused"),
        (Outcome("wait_signal", ("ü", None, "signal:ü:1")), "refused"),
    ],
)
def test_anything_else_that_was_refused_fails_its_step_for_good(outcome: Outcome, message: str) -> None:
    """R-384."""
    error, kind, after = outcome.instead(REFUSAL).arguments
    assert (error["type"], error["message"], kind, after) == ("ValueError", message, "permanent", None)
    assert Outcome("release").instead(REFUSAL) == Outcome("release")


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("queues", (), "queue"),
        ("concurrency", 0, "concurrency"),
        ("lease_ttl", 0.0, "lease"),
        ("poll_interval", 0.0, "poll interval"),
        ("shutdown_timeout", -1.0, "shutdown timeout"),
        ("settlement_timeout", -1.0, "settlement timeout"),
        ("stall_limit", 0.0, "stall limit"),
    ],
)
def test_settings_that_make_no_sense_are_refused(option: str, value: object, complaint: str) -> None:
    given: dict[str, object] = {
        "app": "a:b",
        "dsn": "",
        "queues": ("default",),
        "concurrency": 1,
        "lease_ttl": 1.0,
        "poll_interval": 1.0,
        "shutdown_timeout": 1.0,
        "settlement_timeout": 1.0,
        "stall_limit": 10.0,
    }
    with pytest.raises(ValueError, match=complaint):
        Settings(**(given | {option: value}))  # type: ignore[arg-type]


@pytest.mark.parametrize(("stated", "limit"), [(None, 15.0), (4, 4.0)])
def test_the_stall_limit_is_ten_leases_where_nobody_states_one(stated: float | None, limit: float) -> None:
    """R-332."""
    settings = Settings.of(
        app="a:b",
        dsn="",
        queues=["default"],
        concurrency=1,
        lease_ttl=1.5,
        poll_interval=1,
        shutdown_timeout=30,
        settlement_timeout=5,
        stall_limit=stated,
    )
    assert settings.stall_limit == limit


def test_a_bell_that_is_rung_before_the_wait_is_heard() -> None:
    async def both() -> tuple[bool, bool]:
        bell = Bell()
        bell.ring()
        return await bell.wait(5), await bell.wait(0)

    assert asyncio.run(both()) == (True, False)
