"""docs/concepts.md: its handler goes the ways that the page tells of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import timedelta
from itertools import count
from typing import Any

import psycopg
import pytest

import tenure
import tenure.testing
from tests.docs.blocks import blocks
from tests.support.repository import ROOT
from tests.support.servers import Database
from tests.support.wait import wait_until

Background = Callable[..., Future[Any]]
PAGE = ROOT / "docs" / "concepts.md"


@pytest.fixture
def shown(database: Database) -> Iterator[tenure.App]:
    """An app with the page's handler."""
    with tenure.App(database.dsn()) as app:
        asked = count(1)

        def ask_for_quote(order: int) -> str:
            return f"quote {next(asked)} for {order}"

        world = {"app": app, "tenure": tenure, "timedelta": timedelta, "ask_for_quote": ask_for_quote}
        for block in blocks(PAGE):
            if block.language == "python":
                exec(compile(block.text, str(PAGE), "exec", dont_inherit=True), world)  # noqa: S102
        yield app


def asleep(conn: psycopg.Connection[Any], state: str) -> None:
    """Wait until the run is in this state."""
    wait_until(lambda: conn.execute("select state from tenure.run_status").fetchone() == (state,), what=state)


def test_a_signal_that_came_early_is_taken(
    shown: tenure.App, conn: psycopg.Connection[Any], background: Background
) -> None:
    """The quote is asked for once, over the sleep; the payload is what was sent."""
    run = shown.enqueue("order", 3)
    assert shown.client.signal(run.id, "approve", "by ann") == "kept"
    ended = background(tenure.testing.run_until_complete, shown, run)
    asleep(conn, "waiting_timer")
    tenure.testing.move_clock(conn, timedelta(days=1))
    assert ended.result().state == "completed"
    assert run.result() == {"quote": "quote 1 for 3", "approval": "by ann"}


def test_a_time_out_is_caught(
    shown: tenure.App, conn: psycopg.Connection[Any], background: Background
) -> None:
    """It ends the step at once, instead of failing in each attempt."""
    ended = background(tenure.testing.run_until_complete, shown, shown.enqueue("order", 3))
    asleep(conn, "waiting_timer")
    tenure.testing.move_clock(conn, timedelta(days=1))
    asleep(conn, "waiting_signal")
    tenure.testing.move_clock(conn, timedelta(days=4))
    status = ended.result()
    assert (status.state, status.error_kind, status.attempt) == ("discarded", "permanent", 1)
