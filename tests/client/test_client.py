"""`Client` and `AsyncClient` on real databases: whose transaction it is, and what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row
from psycopg.types.json import set_json_loads

import tenure
from tenure import AsyncClient, Client, StepNotFound, _calls
from tests.client.conftest import OWNER, claim_one, lease
from tests.support.clock import move_clock
from tests.support.servers import Database
from tests.support.wait import wait_until


def count(conn: psycopg.Connection[Any]) -> int:
    [number] = conn.execute("select count(*) from tenure.run_status").fetchone() or (0,)
    return int(number)


OTHERS = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"


def terminate_others(conn: psycopg.Connection[Any]) -> None:
    conn.execute(f"select pg_terminate_backend(pid, 10000) {OTHERS}")


class TestJoining:
    """A client on a connection is part of the caller's transaction."""

    @pytest.fixture
    def business(self, database: Database) -> psycopg.Connection[Any]:
        conn = database.connect(autocommit=False)
        conn.execute("create table orders (id int)")
        conn.commit()
        return conn

    def orders(self, conn: psycopg.Connection[Any]) -> list[Any]:
        return conn.execute("select id from orders").fetchall()

    def test_a_run_is_there_once_the_caller_commits(
        self, business: psycopg.Connection[Any], conn: psycopg.Connection[Any]
    ) -> None:
        business.execute("insert into orders values (7)")
        run = Client(business).enqueue("ship", {"id": 7})
        assert business.info.transaction_status == TransactionStatus.INTRANS
        assert (count(conn), self.orders(conn)) == (0, [])
        business.commit()
        assert (count(conn), self.orders(conn)) == (1, [(7,)])
        assert Client(conn).status(run.id).state == "available"

    def test_a_run_was_never_there_when_the_caller_rolls_back(
        self, business: psycopg.Connection[Any], conn: psycopg.Connection[Any]
    ) -> None:
        business.execute("insert into orders values (7)")
        run = Client(business).enqueue("ship", {"id": 7})
        Client(business).enqueue_many([{"name": "ship"}, {"name": "ship"}])
        business.rollback()
        assert (count(conn), self.orders(conn)) == (0, [])
        with pytest.raises(StepNotFound):
            Client(conn).status(run.id)

    def test_a_savepoint_takes_back_its_part_alone(
        self, business: psycopg.Connection[Any], conn: psycopg.Connection[Any]
    ) -> None:
        client = Client(business)
        kept = client.enqueue("kept")
        with business.transaction(force_rollback=True):
            client.enqueue("dropped")
        business.commit()
        assert [row[0] for row in conn.execute("select run_id from tenure.run_status")] == [kept.id]

    def test_a_cancel_is_undone_by_a_rollback(
        self, business: psycopg.Connection[Any], client: Client
    ) -> None:
        run = client.enqueue("ship")
        assert Client(business).cancel(run.id) == 1
        business.rollback()
        assert run.status().state == "available"

    def test_closing_the_client_leaves_the_connection_open(self, business: psycopg.Connection[Any]) -> None:
        with Client(business) as client:
            client.enqueue("ship")
        assert not business.closed
        business.commit()

    def test_the_asynchronous_client_joins_alike(
        self, database: Database, business: psycopg.Connection[Any], conn: psycopg.Connection[Any]
    ) -> None:
        async def main() -> tuple[int, int]:
            async with await psycopg.AsyncConnection.connect(database.dsn()) as mine:
                async with AsyncClient(mine) as client:
                    await mine.execute("insert into orders values (1)")
                    await client.enqueue("ship")
                    before = count(conn)
                    await mine.commit()
                    await mine.execute("insert into orders values (2)")
                    await client.enqueue("ship")
                    await mine.rollback()
                assert not mine.closed
            return before, count(conn)

        assert asyncio.run(main()) == (0, 1)
        assert self.orders(business) == [(1,)]


class TestOwnConnections:
    """A client made by connect commits each call by itself."""

    def test_a_call_is_a_transaction(self, pooled: Client, conn: psycopg.Connection[Any]) -> None:
        run = pooled.enqueue("ship")
        assert Client(conn).status(run.id).run_id == run.id

    def test_an_error_leaves_the_client_usable(self, pooled: Client) -> None:
        for _ in range(2 * 4):
            with pytest.raises(StepNotFound):
                pooled.status(404)
        assert pooled.enqueue("ship").status().state == "available"

    def test_connections_that_the_server_ends_are_replaced(
        self, pooled: Client, conn: psycopg.Connection[Any]
    ) -> None:
        pooled.schema_version()
        terminate_others(conn)
        assert pooled.schema_version() == Client(conn).schema_version()

    def test_the_asynchronous_clients_are_replaced_too(
        self, database: Database, conn: psycopg.Connection[Any]
    ) -> None:
        async def main() -> list[str]:
            async with AsyncClient.connect(database.dsn()) as client:
                before = await client.schema_version()
                terminate_others(conn)
                return [before, await client.schema_version()]

        assert len(set(asyncio.run(main()))) == 1

    def test_nothing_is_connected_before_the_first_call(self) -> None:
        with Client.connect("postgresql://nobody@localhost:1/nothing") as client:
            assert client.run(7).id == 7

    def test_a_server_that_is_not_there_is_told_at_once(self) -> None:
        with (
            Client.connect("postgresql://nobody@localhost:1/nothing") as client,
            pytest.raises(psycopg.OperationalError, match="connection failed"),
        ):
            client.enqueue("ship")

    def test_close_closes_all(self, database: Database, conn: psycopg.Connection[Any]) -> None:
        with Client.connect(database.dsn()) as client:
            client.schema_version()
        with pytest.raises(psycopg.OperationalError):
            client.schema_version()
        wait_until(lambda: conn.execute(f"select count(*) {OTHERS}").fetchone() == (0,))

    def test_the_asynchronous_client_has_its_own_too(self, database: Database) -> None:
        async def main() -> str:
            async with AsyncClient.connect(database.dsn()) as client:
                runs = await asyncio.gather(*[client.enqueue("ship") for _ in range(20)])
                states = {(await run.status()).state for run in runs}
                with pytest.raises(StepNotFound):
                    await client.status(404)
                [state] = states
                return state

        assert asyncio.run(main()) == "available"

    def test_many_threads_share_one_client(self, pooled: Client, background: Any) -> None:
        futures = [background(pooled.enqueue, "ship") for _ in range(50)]
        assert len({future.result(timeout=30).id for future in futures}) == 50


@contextmanager
def odd_sessions(database: Database) -> Iterator[list[psycopg.Connection[Any]]]:
    """Connections set up as callers set them up, each in another way."""
    dicts = psycopg.connect(database.dsn(), autocommit=True, row_factory=dict_row)
    client_side = psycopg.connect(database.dsn(), autocommit=True, cursor_factory=psycopg.ClientCursor)
    raw = psycopg.connect(database.dsn(), autocommit=True, cursor_factory=psycopg.RawCursor)
    bare = psycopg.connect(database.dsn(), autocommit=True, prepare_threshold=None)
    styled = psycopg.connect(database.dsn(), autocommit=True)
    for setting in (
        "set datestyle = 'SQL, DMY'",
        "set intervalstyle = 'sql_standard'",
        "set timezone = 'Asia/Kathmandu'",
        "set search_path = pg_temp",
        "set standard_conforming_strings = on",
        "set bytea_output = escape",
    ):
        styled.execute(setting)
    loads = psycopg.connect(database.dsn(), autocommit=True)
    set_json_loads(lambda _: "not parsed", loads)
    opened: list[psycopg.Connection[Any]] = [dicts, client_side, raw, bare, styled, loads]
    try:
        yield opened
    finally:
        for conn in opened:
            conn.close()


def test_the_callers_settings_of_a_connection_do_not_matter(database: Database) -> None:
    with odd_sessions(database) as sessions:
        for conn in sessions:
            client = Client(conn)
            run = client.enqueue("ship", {"a": [1]}, timeout=timedelta(days=2), headers={"h": 1})
            [step] = client.call(_calls.claim(["default"], OWNER, lease_ttl=60))
            assert (step.step_id, step.run_id, step.name, step.queue) == (run.id, run.id, "ship", "default")
            assert (step.input, step.headers, step.keys, step.signal, step.waits) == (
                {"a": [1]},
                {"h": 1},
                {},
                None,
                [],
            )
            assert (step.attempt, step.max_attempts, step.generation, step.reclaims) == (1, 5, 1, 0)
            assert step.on_timeout == "abandon"
            assert step.time_left is not None
            assert timedelta(hours=47, minutes=59) < step.time_left <= timedelta(hours=48)
            assert timedelta(seconds=50) < step.lease_expiry - datetime.now(UTC) <= timedelta(seconds=60)
            beat = client.call(_calls.heartbeat(*lease(step), '{"done": 1}'))
            assert (beat.verdict, beat.lease_expiry is not None) == ("renewed", True)
            assert client.call(_calls.complete(*lease(step), '{"b": null}')) == "completed"
            assert run.result(timeout=5) == {"b": None}
            assert run.status().finished_at is not None


def test_enqueue_passes_every_option(client: Client, conn: psycopg.Connection[Any]) -> None:
    client.create_queue("mail")
    at = datetime(2030, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    options: tenure.EnqueueOptions = {
        "queue": "mail",
        "priority": -7,
        "scheduled_at": at,
        "timeout": 1.5,
        "deadline": timedelta(days=4000),
        "max_attempts": 9,
        "backoff": {"kind": "fixed", "base": 3},
        "max_reclaims": 4,
        "idempotency_key": "key",
        "on_timeout": "wait",
        "headers": {"trace": "x"},
        "start_within": 7200,
        "progress_timeout": 0.000001,
        "idempotency_period": 60,
    }
    single = client.enqueue("a", {"n": 1}, **options)
    jobs: list[tenure.Job] = [
        {"name": "b", "input": {"n": 1}, **options},
        {"name": "a", **options},  # type: ignore[typeddict-item]
    ]
    batch = client.enqueue_many(jobs)
    assert batch[1] == single, "the same key again"
    with conn.cursor(row_factory=dict_row) as cursor:
        for run in (single, batch[0]):
            row = cursor.execute("select * from tenure.step_status where step_id = %s", (run.id,)).fetchone()
            assert row is not None
            assert {name: row[name] for name in options if name in row} == {
                "queue": "mail",
                "priority": -7,
                "scheduled_at": at,
                "timeout": timedelta(seconds=1.5),
                "deadline": timedelta(days=4000),
                "max_attempts": 9,
                "backoff": {"kind": "fixed", "base": 3},
                "max_reclaims": 4,
                "on_timeout": "wait",
                "headers": {"trace": "x"},
                "start_within": timedelta(hours=2),
                "progress_timeout": timedelta(microseconds=1),
            }
            assert row["input"] == {"n": 1}


def test_a_delay_counts_from_now(client: Client) -> None:
    for run in (client.enqueue("a", delay=3600), client.enqueue_many([{"name": "a", "delay": 3600.25}])[0]):
        due = run.status().scheduled_at
        assert due is not None
        assert timedelta(minutes=59) < due - datetime.now(UTC) < timedelta(minutes=61)


def test_definitions_are_replaced(client: Client, conn: psycopg.Connection[Any]) -> None:
    client.define_step("a", max_attempts=3, timeout=10)
    first = client.enqueue("a")
    client.define_step("a", timeout=20)
    second = client.enqueue("a")
    rows = conn.execute("select step_id, max_attempts, timeout from tenure.step_status order by step_id")
    assert rows.fetchall() == [(first.id, 3, timedelta(seconds=10)), (second.id, 5, timedelta(seconds=20))]


def test_many_jobs_come_back_in_order(client: Client) -> None:
    runs = client.enqueue_many({"name": f"n{number % 3}", "input": number} for number in range(2000))
    assert len({run.id for run in runs}) == 2000
    assert [run.status().name for run in runs[:4]] == ["n0", "n1", "n2", "n0"]
    assert client.enqueue_many([]) == []


def test_a_run_lives_through_signal_pause_retry_and_sweep(
    client: Client, conn: psycopg.Connection[Any]
) -> None:
    run = client.enqueue("a")
    assert client.signal(run.id, "go", {"n": None}) == "kept"
    step = claim_one(client)
    assert client.call(_calls.wait_signal(*lease(step), "go")) == "waiting"
    again = claim_one(client)
    assert (again.generation, again.attempt) == (2, 1)
    assert again.signal["payload"] == {"n": None}
    assert [wait["outcome"] for wait in again.waits] == ["arrived"]
    assert client.call(_calls.sleep(*lease(again), 3600, key="nap")) == "sleeping"
    assert client.pause(run.id) == 1
    assert run.status().state == "paused"
    assert client.resume(run.id) == 1
    move_clock(conn, timedelta(hours=2))
    report = client.sweep()
    assert (report.woken, report.reclaimed, report.discarded) == (1, 0, 0)
    last = claim_one(client)
    assert client.call(_calls.fail(*lease(last), ValueError("bad"), kind="permanent")) == "discarded"
    status = run.status()
    assert (status.state, status.error_kind, status.finished) == ("discarded", "permanent", True)
    assert (status.error["type"], status.error["message"]) == ("ValueError", "bad")
    assert client.retry(run.id) == "available"
    assert run.cancel("enough") == 1
    assert run.cancel("enough") == 0
    assert client.signal(run.id, "go") == "over"
    assert run.status().cancel_reason == "enough"
    assert client.purge(0) > 0
    with pytest.raises(StepNotFound):
        run.status()


def test_queues(client: Client, conn: psycopg.Connection[Any]) -> None:
    client.create_queue("mail", preset="delivery", retention=timedelta(days=3))
    client.alter_queue("mail", timeout_floor=1, discarded_retention=timedelta(days=9))
    client.alter_queue("mail", clear=["timeout_ceiling"])
    row = conn.execute(
        "select timeout_default, timeout_floor, timeout_ceiling, retention, discarded_retention "
        "from tenure.queue_status where queue = 'mail'"
    ).fetchone()
    assert row == (
        timedelta(seconds=30),
        timedelta(seconds=1),
        None,
        timedelta(days=3),
        timedelta(days=9),
    )
    client.enqueue("a", queue="mail")
    client.pause_queue("mail")
    assert client.call(_calls.claim(["mail"], OWNER)) == []
    client.resume_queue("mail")
    assert claim_one(client, "mail").name == "a"
    client.grant_queue("mail", "tenure_worker")
    client.grant_queue("mail", "tenure_reader")
    client.revoke_queue("mail", "tenure_worker")
    assert conn.execute("select queue, role from tenure.queue_grants").fetchall() == [
        ("mail", "tenure_reader")
    ]


def test_many_are_renewed_and_completed_in_one_call(client: Client) -> None:
    runs = client.enqueue_many([{"name": "a"}] * 3)
    steps = client.call(_calls.claim(["default"], OWNER, max_steps=10, names=["a"]))
    ids, generations = [step.step_id for step in steps], [step.generation for step in steps]
    runs[1].cancel()
    beats = client.call(_calls.heartbeat_many(ids, OWNER, generations))
    assert {beat.step_id: beat.verdict for beat in beats} == dict(
        zip(ids, ["renewed", "cancelled", "renewed"], strict=True)
    )
    verdicts = client.call(_calls.complete_many(ids, OWNER, generations, ['"x"', '"y"', None]))
    assert {verdict.step_id: verdict.verdict for verdict in verdicts} == dict(
        zip(ids, ["completed", "cancelled", "completed"], strict=True)
    )
    assert [run.result(timeout=5) for run in (runs[0], runs[2])] == ["x", None]


def test_the_asynchronous_client_does_the_same(database: Database) -> None:
    async def main() -> None:
        async with AsyncClient.connect(database.dsn()) as client:
            await client.create_queue("mail")
            await client.alter_queue("mail", retention=60)
            await client.define_step("a", queue="mail", max_attempts=1)
            run, other = await client.enqueue_many([{"name": "a"}, {"name": "a", "delay": 60}])
            assert await client.signal(run.id, "go") == "kept"
            assert (await client.pause(run.id), await client.resume(run.id)) == (1, 1)
            await client.pause_queue("mail")
            await client.resume_queue("mail")
            await client.grant_queue("mail", "tenure_worker")
            await client.revoke_queue("mail", "tenure_worker")
            [step] = await client.call(_calls.claim(["mail"], OWNER))
            assert await client.call(_calls.fail(*lease(step), ValueError("bad"))) == "discarded"
            with pytest.raises(tenure.RunDiscarded, match="was discarded after its last attempt"):
                await run.result(timeout=5)
            assert await client.retry(run.id) == "available"
            [step] = await client.call(_calls.claim(["mail"], OWNER))
            assert await client.call(_calls.complete(*lease(step), "1")) == "completed"
            assert await run.result(timeout=5) == await client.result(run.id) == 1
            assert await other.cancel("enough") == 1
            assert await client.cancel(other.id) == 0
            with pytest.raises(tenure.RunCancelled):
                await other.result(timeout=5)
            assert (await client.status(other.id)).state == "cancelled"
            assert (await client.sweep()).reclaimed == 0
            assert await client.verify_schema() == []
            assert await client.purge(0, 1000) > 0

    asyncio.run(main())


def test_waiting_for_a_result_ends_when_another_session_completes_the_run(
    client: Client, pooled: Client, background: Any
) -> None:
    run = pooled.enqueue("a")
    waiting = background(run.result, 20)
    step = claim_one(client)
    assert not waiting.done()
    client.call(_calls.complete(*lease(step), '{"done": true}'))
    assert waiting.result(timeout=20) == {"done": True}


def test_a_skipped_run_has_no_result(client: Client) -> None:
    run = client.enqueue("a")
    step = claim_one(client)
    assert client.call(_calls.skip(*lease(step), "out of stock")) == "skipped"
    assert run.result(timeout=5) is None
    assert client.result(run.id) is None


def test_waiting_for_a_failed_run_does_not_end_the_callers_transaction(database: Database) -> None:
    conn = database.connect(autocommit=False)
    client = Client(conn)
    run = client.enqueue("a")
    run.cancel()
    with pytest.raises(tenure.RunCancelled):
        run.result(timeout=5)
    assert conn.info.transaction_status == TransactionStatus.INTRANS
