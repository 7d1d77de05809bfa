"""The helpers for tests of programs that use Tenure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

import tenure
from tenure import Client, _calls, embedded, testing
from tests.client import shop
from tests.client.conftest import OWNER, claim_one, lease
from tests.support.clock import read_clock
from tests.support.servers import Database


@pytest.fixture
def app(database: Database) -> Iterator[tenure.App]:
    """The shop's app on the test's database."""
    shop.app.dsn = database.dsn()
    with shop.app as opened:
        yield opened


def test_a_run_is_completed_in_this_process(app: tenure.App) -> None:
    run = shop.ship.enqueue(shop.Order(id=7, express=True))
    status = testing.run_until_complete(app, run)
    assert status.state == "completed"
    assert run.result(timeout=0) == {"id": 7, "express": True, "attempt": 1}


def test_a_failed_attempt_is_tried_again(app: tenure.App, conn: psycopg.Connection[Any]) -> None:
    run = shop.flaky.enqueue()
    assert testing.run_until_complete(app, run).state == "completed"
    assert run.result(timeout=0) == "done"
    assert conn.execute("select attempt, kind from tenure.attempt_log").fetchall() == [(1, "retryable")]


def test_the_ends_other_than_success(app: tenure.App) -> None:
    status = testing.run_until_complete(app, shop.hopeless.enqueue())
    assert (status.state, status.error_kind) == ("discarded", "permanent")
    assert status.error["message"] == "no such order"
    assert testing.run_until_complete(app, shop.nothing_to_do.enqueue()).state == "skipped"
    unreadable = Client.connect(app.dsn)
    with unreadable as client:
        status = testing.run_until_complete(app, client.enqueue("ship", {"no": "id"}))
    assert (status.state, status.error["type"]) == ("discarded", "tenure.errors.ArgumentInvalid")


def test_time_is_moved_and_signals_are_waited_for(app: tenure.App, conn: psycopg.Connection[Any]) -> None:
    run = shop.patient.enqueue()
    with pytest.raises(TimeoutError, match=f"run {run.id} is still waiting_timer after 0.2 s"):
        testing.run_until_complete(app, run, timeout=0.2)
    testing.move_clock(conn, 3601)
    with pytest.raises(TimeoutError, match="waiting_signal"):
        testing.run_until_complete(app, run, timeout=0.5)
    app.client.signal(run.id, "answer", 42)
    assert testing.run_until_complete(app, run).state == "completed"
    assert run.result(timeout=0) == [42, 42]
    progress = conn.execute("select progress from tenure.step_status where step_id = %s", (run.id,))
    assert progress.fetchone() == ({"answer": 42},)


def test_a_handler_that_outlives_its_limit_is_stopped(app: tenure.App) -> None:
    run = shop.endless.enqueue()
    status = testing.run_until_complete(app, run)
    assert (status.state, status.error_kind) == ("discarded", "timeout")


def test_a_handler_without_a_limit_does_not_outlast_the_test(app: tenure.App) -> None:
    run = shop.endless.enqueue(timeout=3600)
    with pytest.raises(TimeoutError, match="the handler of 'endless' had not ended when the time was over"):
        testing.run_until_complete(app, run, timeout=0.5)
    status = run.status()
    assert (status.state, status.attempt) == ("available", 1)


def test_a_handlers_transaction_is_real(app: tenure.App) -> None:
    run = shop.nested.enqueue()
    testing.run_until_complete(app, run)
    assert testing.run_until_complete(app, app.run(run.result(timeout=0))).state == "completed"


def test_only_the_apps_own_steps_are_run(app: tenure.App, client: Client) -> None:
    other = client.enqueue("elsewhere")
    testing.run_until_complete(app, shop.ship.enqueue(shop.Order(id=1)))
    assert other.status().state == "available"
    with pytest.raises(TimeoutError):
        testing.run_until_complete(app, other, timeout=0.1)


def test_an_expired_lease_is_reclaimed_by_the_next_sweep(
    client: Client, conn: psycopg.Connection[Any]
) -> None:
    run = client.enqueue("a")
    step = claim_one(client)
    assert client.sweep().reclaimed == 0
    testing.expire_lease(conn, step.step_id)
    assert client.sweep().reclaimed == 1
    assert run.status().state == "available"
    again = claim_one(client)
    assert (again.generation, again.reclaims) == (2, 1)
    assert client.call(_calls.complete(*lease(step))) == "stale"
    with pytest.raises(tenure.StepNotFound):
        testing.expire_lease(conn, 404)


def test_the_clock_is_moved_stopped_and_let_go(client: Client, conn: psycopg.Connection[Any]) -> None:
    testing.move_clock(conn, timedelta(days=2))
    assert abs(read_clock(conn) - datetime.now(UTC) - timedelta(days=2)) < timedelta(minutes=1)
    moment = datetime(2031, 2, 3, 4, 5, 6, 7, tzinfo=UTC)
    testing.stop_clock(conn, moment)
    assert read_clock(conn) == read_clock(conn) == moment
    assert client.enqueue("a").status().created_at == moment
    testing.reset_clock(conn)
    assert abs(read_clock(conn) - datetime.now(UTC)) < timedelta(minutes=1)
    assert client.verify_schema() == []
    with pytest.raises(tenure.DurationInvalid):
        testing.move_clock(conn, "1 day")  # type: ignore[arg-type]
    with pytest.raises(tenure.ArgumentInvalid):
        testing.stop_clock(conn, datetime(2031, 1, 1))  # noqa: DTZ001 - the point of it


def test_only_the_owner_can_move_time(database: Database) -> None:
    for role in ("tenure_client", "tenure_worker", "tenure_operator", "tenure_reader"):
        conn = database.connect(role=role)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            testing.move_clock(conn, 60)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            testing.expire_lease(conn, 1)


def test_a_throw_away_database_holds_the_engine_and_goes(client: Client) -> None:
    with embedded.start(in_memory=True) as server:
        with testing.database(server) as first, testing.database(server) as second:
            assert first != second
            with Client.connect(first) as inside:
                run = inside.enqueue("a")
                assert inside.schema_version() == client.schema_version()
                assert inside.call(_calls.claim(["default"], OWNER))[0].run_id == run.id
            left_open = psycopg.connect(second)
        with psycopg.connect(server.dsn()) as admin:
            names = admin.execute("select datname from pg_database where datname like 'tenure%'").fetchall()
        assert names == []
        left_open.close()


def test_a_database_brings_its_own_server_where_none_is_given() -> None:
    with testing.database() as dsn, Client.connect(dsn) as client:
        assert client.verify_schema() == []
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(dsn)
