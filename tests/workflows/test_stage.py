"""What handlers stage, and what the nodes after them get."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

import tenure
import tenure.testing
from tenure import Key, Node
from tests.support.servers import Database

page = Key("page", str)
links = Key("links", list[str])


@pytest.fixture
def app(database: Database, conn: psycopg.Connection[Any]) -> tenure.App:
    app = tenure.App(database.dsn())
    app.workflow(
        "crawl",
        Node("fetch", provides=[page, links]),
        Node("count", requires=[page, links], provides=[Key("found", dict[str, Any])]),
    )

    @app.step
    def count(ctx: tenure.SyncContext, input: Any, page: str, links: list[str]) -> dict[str, Any]:
        return {"page": page, "links": links, "keys": ctx.keys}

    return app


def finished(app: tenure.App, conn: psycopg.Connection[Any]) -> Any:
    app.sync_definitions(conn)
    with app:
        run = app.start("crawl")
        assert tenure.testing.run_until_complete(app, run).state == "completed"
        return run.result()["found"]


def test_what_is_staged_is_published_and_injected(app: tenure.App, conn: psycopg.Connection[Any]) -> None:
    """R-371."""

    @app.step
    async def fetch(ctx: tenure.Context, input: Any) -> None:
        assert await ctx.staged(page) is None
        await ctx.stage(page, "first")
        await ctx.stage("page", "<p>")
        await ctx.stage(links, ["a", "b"])
        assert [await ctx.staged("page"), await ctx.staged(links)] == ["<p>", ["a", "b"]]

    keys = {"page": "<p>", "links": ["a", "b"]}
    assert finished(app, conn) == {**keys, "keys": keys}


def test_a_thread_stages_by_the_same_methods(app: tenure.App, conn: psycopg.Connection[Any]) -> None:
    """R-350. What a failed attempt has staged is gone."""

    @app.step(backoff={"kind": "fixed", "base": 0, "jitter": 0})
    def fetch(ctx: tenure.SyncContext, input: Any) -> None:
        assert ctx.staged(page) is None
        ctx.stage(page, "<p>")
        ctx.stage(links, [])
        if ctx.attempt == 1:
            raise ValueError("once")
        with pytest.raises(tenure.ArgumentInvalid):
            ctx.stage("other", 1)
        with pytest.raises(tenure.TooLarge):
            ctx.stage(page, "x" * 17_000_000)

    assert finished(app, conn)["page"] == "<p>"


def test_whoever_has_lost_the_lease_stages_nothing(app: tenure.App, conn: psycopg.Connection[Any]) -> None:
    """R-344."""

    @app.step(timeout=3600)
    async def fetch(ctx: tenure.Context, input: Any) -> None:
        conn.execute("select tenure.cancel(%s, null)", (ctx.run_id,))
        with pytest.raises(tenure.StaleLease, match="nothing was staged") as refused:
            await ctx.stage(page, 1)
        assert refused.value.detail == "cancelled"

    app.sync_definitions(conn)
    with app:
        assert tenure.testing.run_until_complete(app, app.start("crawl")).state == "cancelled"
