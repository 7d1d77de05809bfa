"""Apps: steps enqueued with their policy, in whoever's transaction; definitions that agree with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

import tenure
from tests.support.servers import Database


@pytest.fixture
def app(database: Database) -> Iterator[tenure.App]:
    with tenure.App(database.dsn()) as made:
        yield made


@pytest.fixture
def ship(app: tenure.App) -> tenure.Step[Any]:
    @app.step(timeout=30, max_attempts=3, headers={"team": "a"}, deadline=timedelta(days=1))
    async def ship(ctx: Any, input: Any) -> None: ...

    return ship


def policies(conn: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            "select timeout, max_attempts, headers, deadline from tenure.step_status order by step_id"
        ).fetchall()


def test_enqueue_returns_a_run(app: tenure.App, ship: tenure.Step[Any]) -> None:
    for run in (app.enqueue("ship", {"n": 1}), app.enqueue(ship, {"n": 1}), ship.enqueue({"n": 1})):
        assert isinstance(run, tenure.Run)
        assert run.status().name == "ship"
        assert app.run(run.id) == run
        assert run.cancel() == 1


def test_a_name_that_the_app_does_not_know_may_be_enqueued(app: tenure.App) -> None:
    assert app.enqueue("elsewhere").status().name == "elsewhere"


def test_every_way_to_enqueue_gives_the_same_policy(
    app: tenure.App, ship: tenure.Step[Any], conn: psycopg.Connection[Any]
) -> None:
    async def main() -> None:
        await ship.aenqueue()
        await app.aenqueue("ship")

    ship.enqueue()
    app.enqueue("ship")
    app.enqueue(ship)
    asyncio.run(main())
    # By SQL alone, once a worker has said its definitions.
    app.sync_definitions(conn)
    tenure.Client(conn).enqueue("ship")
    wanted = {
        "timeout": timedelta(seconds=30),
        "max_attempts": 3,
        "headers": {"team": "a"},
        "deadline": timedelta(days=1),
    }
    assert policies(conn) == [wanted] * 6


def test_what_one_enqueue_says_beats_the_policy(
    ship: tenure.Step[Any], conn: psycopg.Connection[Any]
) -> None:
    ship.enqueue(timeout=5, headers={"mine": 1}, max_attempts=None)
    assert policies(conn) == [
        {
            "timeout": timedelta(seconds=5),
            "max_attempts": 3,
            "headers": {"mine": 1},
            "deadline": timedelta(days=1),
        }
    ]


def test_definitions_join_the_transaction(
    app: tenure.App, ship: tenure.Step[Any], database: Database
) -> None:
    conn = database.connect(autocommit=False)
    app.sync_definitions(conn)
    conn.rollback()
    assert conn.execute("select count(*) from tenure_private.definition").fetchone() == (0,)
    app.sync_definitions(conn)
    app.sync_definitions(conn)
    assert conn.execute("select name, max_attempts from tenure_private.definition").fetchall() == [
        (ship.name, 3)
    ]


def test_conn_joins_the_callers_transaction(
    app: tenure.App, ship: tenure.Step[Any], database: Database
) -> None:
    conn = database.connect(autocommit=False)
    for run in (ship.enqueue(conn=conn), app.enqueue("ship", conn=conn)):
        with pytest.raises(tenure.StepNotFound):
            run.status()
    kept = ship.enqueue(conn=conn)
    conn.commit()
    assert kept.status().state == "available"
    dropped = ship.enqueue(conn=conn)
    conn.rollback()
    with pytest.raises(tenure.StepNotFound):
        dropped.result(timeout=5)


def test_conn_joins_an_asynchronous_transaction(
    app: tenure.App, ship: tenure.Step[Any], database: Database
) -> None:
    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(database.dsn()) as conn:
            kept = await ship.aenqueue(conn=conn)
            with pytest.raises(tenure.StepNotFound):
                await kept.status()
            await conn.commit()
            assert (await kept.status()).state == "available"
            dropped = await app.aenqueue("ship", conn=conn)
            await conn.rollback()
            with pytest.raises(tenure.StepNotFound):
                await dropped.status()

    asyncio.run(main())


def test_an_app_serves_one_loop_after_another(ship: tenure.Step[Any]) -> None:
    async def main() -> int:
        run = await ship.aenqueue()
        assert await run.cancel() == 1
        with pytest.raises(tenure.RunCancelled):
            await run.result(timeout=5)
        return run.id

    assert asyncio.run(main()) != asyncio.run(main())


def test_a_closed_app_opens_anew(app: tenure.App, ship: tenure.Step[Any]) -> None:
    run = ship.enqueue()
    app.close()
    app.close()
    assert app.run(run.id).status().state == "available"


def test_threads_share_the_apps_connections(app: tenure.App, background: Any) -> None:
    gate = threading.Barrier(8)

    def client() -> tenure.Client:
        gate.wait(timeout=30)
        return app.client

    futures = [background(client) for _ in range(8)]
    assert len({id(future.result(timeout=30)) for future in futures}) == 1


def test_an_app_without_a_dsn_asks_the_database_of_the_environment(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-336: TENURE_DSN, as the command does, else what libpq has."""
    monkeypatch.setenv("PGDATABASE", database.name)
    monkeypatch.setenv("TENURE_DSN", database.dsn())
    with tenure.App() as app:
        assert app.enqueue("a").status().name == "a"
    assert tenure.App("dbname=mine").dsn == "dbname=mine"
    assert tenure.App("").dsn == ""
    monkeypatch.delenv("TENURE_DSN")
    assert tenure.App().dsn == ""


def test_making_an_app_connects_to_nothing() -> None:
    app = tenure.App("this is no dsn")
    app.close()
    with pytest.raises(psycopg.ProgrammingError):
        app.enqueue("a")
