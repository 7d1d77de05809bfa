"""What the client can tell to be wrong is refused before a single statement is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus

import tenure
from tenure import (
    ArgumentInvalid,
    AsyncClient,
    Client,
    DurationInvalid,
    NameInvalid,
    TenureError,
    TooLarge,
    _calls,
)
from tests.support.servers import Database

NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001 - the point of it

BAD_NAMES: list[Any] = [None, "", "x" * 1001, "é" * 501, "a\0b", "\ud800", b"bytes", 7]
BAD_DURATIONS: list[Any] = [
    -1,
    float("nan"),
    float("inf"),
    1e18,
    10**400,
    timedelta.max,
    "5 s",
    "1 mon",
    1e-9,
    True,
]
BAD_INTEGERS: list[Any] = [1.5, float("nan"), "7", True, 2**31, -(2**31) - 1, 10**400]
BAD_IDS: list[Any] = [None, 1.5, "7", True, 2**63, -(2**63) - 1]
BAD_JSON: list[Any] = [
    float("nan"),
    {"a": float("inf")},
    {1: 2},
    {"a": "\0"},
    ["\ud800"],
    b"x",
    {1},
    Decimal(1),
    object(),
]

Call = Callable[[Client, Any], object]

BY_NAME: dict[str, Call] = {
    "enqueue": lambda c, name: c.enqueue(name),
    "enqueue_many": lambda c, name: c.enqueue_many([{"name": "a"}, {"name": name}]),
    "define_step": lambda c, name: c.define_step(name),
    "signal": lambda c, name: c.signal(1, name),
    "create_queue": lambda c, name: c.create_queue(name),
    "alter_queue": lambda c, name: c.alter_queue(name),
    "pause_queue": lambda c, name: c.pause_queue(name),
    "resume_queue": lambda c, name: c.resume_queue(name),
    "grant_queue": lambda c, name: c.grant_queue(name, "tenure_worker"),
    "revoke_queue": lambda c, name: c.revoke_queue("default", name),
    "claim queue": lambda c, name: c.call(_calls.claim([name], "owner")),
    "claim owner": lambda c, name: c.call(_calls.claim(["q"], name)),
    "claim names": lambda c, name: c.call(_calls.claim(["q"], "o", names=[name])),
    "release owner": lambda c, name: c.call(_calls.release(1, name, 1)),
    "complete_many owner": lambda c, name: c.call(_calls.complete_many([1], name, [1], [None])),
    "checkpoint": lambda c, name: c.call(_calls.checkpoint(1, "o", 1, name)),
    "wait_signal": lambda c, name: c.call(_calls.wait_signal(1, "o", 1, name)),
    "worker_hello": lambda c, name: c.call(_calls.worker_hello(name, ["q"], idle=True)),
    "worker_report": lambda c, name: c.call(_calls.worker_report(name, {})),
}

BY_OPTIONAL_NAME: dict[str, Call] = {
    "queue": lambda c, name: c.enqueue("a", queue=name),
    "idempotency_key": lambda c, name: c.enqueue("a", idempotency_key=name),
    "define_step queue": lambda c, name: c.define_step("a", queue=name),
    "sleep key": lambda c, name: c.call(_calls.sleep(1, "o", 1, 1, key=name)),
    "wait_signal key": lambda c, name: c.call(_calls.wait_signal(1, "o", 1, "s", key=name)),
}

BY_DURATION: dict[str, Call] = {
    "timeout": lambda c, duration: c.enqueue("a", timeout=duration),
    "deadline": lambda c, duration: c.enqueue("a", deadline=duration),
    "delay": lambda c, duration: c.enqueue("a", delay=duration),
    "start_within": lambda c, duration: c.enqueue("a", start_within=duration),
    "progress_timeout": lambda c, duration: c.enqueue("a", progress_timeout=duration),
    "idempotency_period": lambda c, duration: c.enqueue("a", idempotency_period=duration),
    "enqueue_many": lambda c, duration: c.enqueue_many([{"name": "a", "delay": duration}]),
    "define_step": lambda c, duration: c.define_step("a", timeout=duration),
    "create_queue": lambda c, duration: c.create_queue("a", retention=duration),
    "alter_queue": lambda c, duration: c.alter_queue("a", timeout_floor=duration),
    "purge": lambda c, duration: c.purge(duration),
    "sleep": lambda c, duration: c.call(_calls.sleep(1, "o", 1, duration)),
    "wait_signal": lambda c, duration: c.call(_calls.wait_signal(1, "o", 1, "s", timeout=duration)),
    "lease_ttl": lambda c, duration: c.call(_calls.claim(["q"], "o", lease_ttl=duration)),
    "retry_after": lambda c, duration: c.call(_calls.fail(1, "o", 1, {}, retry_after=duration)),
}

BY_INTEGER: dict[str, Call] = {
    "priority": lambda c, number: c.enqueue("a", priority=number),
    "max_attempts": lambda c, number: c.enqueue("a", max_attempts=number),
    "max_reclaims": lambda c, number: c.enqueue("a", max_reclaims=number),
    "enqueue_many": lambda c, number: c.enqueue_many([{"name": "a", "priority": number}]),
    "extra_attempts": lambda c, number: c.retry(1, number),
    "max_rows": lambda c, number: c.purge(1, number),
    "max_steps": lambda c, number: c.call(_calls.claim(["q"], "o", max_steps=number)),
    "sweep": lambda c, number: c.sweep(number),
}

BY_ID: dict[str, Call] = {
    "status": lambda c, number: c.status(number),
    "result": lambda c, number: c.result(number),
    "cancel": lambda c, number: c.cancel(number),
    "signal": lambda c, number: c.signal(number, "s"),
    "retry": lambda c, number: c.retry(number),
    "pause": lambda c, number: c.pause(number),
    "resume": lambda c, number: c.resume(number),
    "complete": lambda c, number: c.call(_calls.complete(number, "o", 1)),
    "generation": lambda c, number: c.call(_calls.complete(1, "o", number)),
    "heartbeat_many": lambda c, number: c.call(_calls.heartbeat_many([1, number], "o", [1, 1])),
    "complete_many": lambda c, number: c.call(_calls.complete_many([1], "o", [number], [None])),
}

BY_JSON: dict[str, Call] = {
    "input": lambda c, value: c.enqueue("a", value),
    "headers": lambda c, value: c.enqueue("a", headers={"h": value}),
    "backoff": lambda c, value: c.enqueue("a", backoff={"base": value}),
    "enqueue_many": lambda c, value: c.enqueue_many([{"name": "a", "input": value}]),
    "payload": lambda c, value: c.signal(1, "s", value),
    "report": lambda c, value: c.call(_calls.worker_report("o", value)),
    "info": lambda c, value: c.call(_calls.worker_hello("o", ["q"], idle=True, info=value)),
}


def cases() -> Iterator[Any]:
    for kind, calls, values in (
        (NameInvalid, BY_NAME, BAD_NAMES),
        (NameInvalid, BY_OPTIONAL_NAME, BAD_NAMES[1:]),
        (DurationInvalid, BY_DURATION, BAD_DURATIONS),
        (ArgumentInvalid, BY_INTEGER, BAD_INTEGERS),
        (ArgumentInvalid, BY_ID, BAD_IDS),
        (ArgumentInvalid, BY_JSON, BAD_JSON),
    ):
        for what, call in calls.items():
            for value in values:
                shown = "huge" if value == 10**400 else ascii(value)[:30]
                yield pytest.param(kind, call, value, id=f"{what}-{shown}")
    for what, refusal, call in OTHERS:
        yield pytest.param(refusal, call, None, id=what)


OTHERS: list[tuple[str, type[TenureError], Call]] = [
    ("input over 1 MB", TooLarge, lambda c, _: c.enqueue("a", "x" * 2**20)),
    ("many over 1 MB", TooLarge, lambda c, _: c.enqueue_many([{"name": "a", "input": "x" * 2**20}])),
    ("headers over 64 kB", TooLarge, lambda c, _: c.enqueue("a", headers={"h": "x" * 2**16})),
    ("payload over 1 MB", TooLarge, lambda c, _: c.signal(1, "s", "x" * 2**20)),
    ("no time zone", ArgumentInvalid, lambda c, _: c.enqueue("a", scheduled_at=NAIVE)),
    ("no datetime", ArgumentInvalid, lambda c, _: c.enqueue("a", scheduled_at="today")),  # type: ignore[arg-type]
    ("on_timeout", ArgumentInvalid, lambda c, _: c.enqueue("a", on_timeout="a\0")),
    ("headers no object", ArgumentInvalid, lambda c, _: c.enqueue("a", headers=[1])),  # type: ignore[arg-type]
    ("many without name", ArgumentInvalid, lambda c, _: c.enqueue_many([{"input": 1}])),  # type: ignore[typeddict-item]
    ("one string for queues", ArgumentInvalid, lambda c, _: c.call(_calls.claim("default", "owner"))),
    ("one string for clear", ArgumentInvalid, lambda c, _: c.alter_queue("a", clear="retention")),
    ("no duration of a sleep", DurationInvalid, lambda c, none: c.call(_calls.sleep(1, "o", 1, none))),
    ("no lease", DurationInvalid, lambda c, none: c.call(_calls.claim(["q"], "o", lease_ttl=none))),
    ("no age", DurationInvalid, lambda c, none: c.purge(none)),
    ("kind", ArgumentInvalid, lambda c, _: c.call(_calls.fail(1, "o", 1, {}, kind="a\0"))),
]


@pytest.fixture(scope="module")
def untouched(server: Any) -> Any:
    """A connection on which no statement is ever sent: the same for all, for it stays as it is."""
    with server.database() as database:
        conn = database.connect(autocommit=False)
        yield conn
        assert conn.info.transaction_status == TransactionStatus.IDLE
        assert conn.execute("select count(*) from tenure.run_status").fetchone() == (0,)


@pytest.mark.parametrize(("kind", "call", "value"), list(cases()))
def test_it_is_refused_and_nothing_is_sent(
    kind: type[TenureError], call: Call, value: Any, untouched: psycopg.Connection[Any]
) -> None:
    with pytest.raises(TenureError) as caught:
        call(Client(untouched), value)
    assert type(caught.value) is kind
    assert caught.value.__cause__ is None
    # Any statement would have begun a transaction.
    assert untouched.info.transaction_status == TransactionStatus.IDLE


def test_the_asynchronous_client_refuses_alike(database: Database) -> None:
    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(database.dsn()) as conn:
            client = AsyncClient(conn)
            with pytest.raises(ArgumentInvalid):
                await client.enqueue("a", float("nan"))
            with pytest.raises(NameInvalid):
                await client.enqueue("")
            with pytest.raises(DurationInvalid):
                await client.purge(-1)
            assert conn.info.transaction_status == TransactionStatus.IDLE

    asyncio.run(main())


def test_a_handler_refuses_alike(database: Database) -> None:
    app = tenure.App()

    @app.step
    async def ship(ctx: Any, input: Any) -> None: ...

    with database.connect(autocommit=False) as conn:
        with pytest.raises(ArgumentInvalid):
            ship.enqueue({1: 2}, conn=conn)
        with pytest.raises(DurationInvalid):
            app.enqueue("ship", delay=-1, conn=conn)
        with pytest.raises(NameInvalid):
            app.enqueue("", conn=conn)
        assert conn.info.transaction_status == TransactionStatus.IDLE


def test_reasons_are_never_refused(client: Client) -> None:
    """They are decoration: escaped and cut, for the cancel must not hang on them."""
    for reason in ("a\0b\ud800", "x" * 10_000_000, "", "é" * 100_000):
        run = client.enqueue("a")
        assert run.cancel(reason) == 1
        stored = run.status().cancel_reason
        assert stored is not None
        assert len(stored.encode()) <= 8_000
    run = client.enqueue("a")
    run.cancel("a\0b\ud800é")
    assert run.status().cancel_reason == "a\\u0000b\\ud800é"
