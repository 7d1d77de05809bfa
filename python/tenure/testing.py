"""For tests of programs that use Tenure: a database of one's own, steps run in this process, time moved.

::

    @pytest.fixture(scope="session")
    def server():
        with tenure.embedded.start(in_memory=True) as server:
            yield server

    def test_shipping(server):
        with tenure.testing.database(server) as dsn:
            app.dsn = dsn
            run = ship.enqueue(Order(id=7))
            assert tenure.testing.run_until_complete(app, run).state == "completed"

Whoever moves the clock or expires a lease must own the engine, as the superuser of such a server does.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from tenure import _calls, _check, _rows, embedded
from tenure._session import SESSION
from tenure.errors import TenureError
from tenure.migrate import migrate
from tenure.worker._budget import Budget
from tenure.worker._deliver import deliver
from tenure.worker._execution import Execution
from tenure.worker._limits import Limits
from tenure.worker._questions import VERBS
from tenure.worker._threads import Threads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from tenure._durations import Duration
    from tenure._rows import Claimed, RunStatus
    from tenure.app import App
    from tenure.client import Client
    from tenure.run import Run

PAUSE = 0.02
LEASE_TTL = 3600
"""Nobody beats here."""


@contextmanager
def database(server: embedded.Server | None = None) -> Iterator[str]:
    """Make a database with the engine in it, lend its DSN, and drop it.

    On `server` where one is given, which saves a second for each test; else on one that goes with it.
    """
    if server is None:
        with embedded.start(in_memory=True) as own, database(own) as dsn:
            yield dsn
        return
    name = f"tenure_test_{secrets.token_hex(8)}"
    with psycopg.connect(server.dsn(), **SESSION) as admin:
        admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            with psycopg.connect(server.dsn(name), **SESSION) as conn:
                migrate(conn)
            yield server.dsn(name)
        finally:
            # Whoever a test left connected must not keep the database alive.
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def expire_lease(conn: psycopg.Connection[Any], step_id: int) -> None:
    """Let a running step's lease be over, as if its worker had gone: the next sweep reclaims it."""
    call = _calls.Call("select tenure_private.expire_lease(%s::bigint)", (step_id,), _rows.nothing)
    _calls.run(conn, call)


def move_clock(conn: psycopg.Connection[Any], by: Duration) -> None:
    """Let the engine's clock run ahead of the true time by so much."""
    ahead = _check.duration("by", by)
    _replace_clock(conn, sql.SQL("select pg_catalog.clock_timestamp() + {}").format(ahead).as_string(conn))


def stop_clock(conn: psycopg.Connection[Any], at: datetime) -> None:
    """Stop the engine's clock at a moment."""
    _replace_clock(conn, sql.SQL("select {}").format(_check.instant("at", at)).as_string(conn))


def reset_clock(conn: psycopg.Connection[Any]) -> None:
    """Let the engine's clock tell the true time again."""
    # To the letter as it was installed: verify_schema() compares.
    _replace_clock(conn, "\nselect pg_catalog.clock_timestamp();\n")


def _replace_clock(conn: psycopg.Connection[Any], body: str) -> None:
    """Replace the one function that the engine reads the time by; no setting could move it."""
    conn.execute(
        sql.SQL(
            "create or replace function tenure_private.clock() returns timestamptz "
            "language sql volatile parallel unsafe as {}"
        ).format(sql.Literal(body))
    )


def run_until_complete(app: App, run: Run, *, timeout: float = 30.0) -> RunStatus:
    """Run the app's steps in this process until `run` has ended; returns how it stands then.

    As a worker would, one step at a time: claims, calls the handler, reports, sweeps. What is due only later,
    a retry for instance, is waited for, so a test may want to move the clock. TimeoutError when the run has
    not ended after `timeout` seconds.
    """
    return asyncio.run(_Drive(app, app.client).until_ended(run, timeout))


class _Drive:
    """A worker's loop without its processes."""

    def __init__(self, app: App, client: Client) -> None:
        self._app = app
        self._client = client
        self._owner = f"tenure.testing:{secrets.token_hex(8)}"
        self._limits = Limits()

    async def until_ended(self, run: Run, timeout: float) -> RunStatus:  # noqa: ASYNC109 - of the run
        end = time.monotonic() + timeout
        while not (status := run.status()).finished:
            if time.monotonic() > end:
                raise TimeoutError(f"run {run.id} is still {status.state} after {timeout:g} s")
            self._client.sweep()
            if not await self._work(status.queue, end):
                await asyncio.sleep(PAUSE)
        return status

    async def _work(self, queue: str, end: float) -> bool:
        """Run the next step, if one is due; one alone, for its time counts from the claim."""
        sent_at = time.monotonic()
        claim = _calls.claim([queue], self._owner, lease_ttl=LEASE_TTL, names=list(self._app.steps))
        claimed = self._client.call(claim)
        if not claimed:
            return False
        await self._run(claimed[0], sent_at, end)
        return True

    async def _run(self, claimed: Claimed, sent_at: float, end: float) -> None:
        left = None if claimed.time_left is None else claimed.time_left.total_seconds()
        step, threads = self._app.steps[claimed.name], Threads(f"step {claimed.step_id}")
        execution = Execution(
            step,
            claimed,
            Budget.of(sent_at, left),
            host=self,
            dsn=self._app.dsn,
            owner=self._owner,
            threads=threads,
        )
        task = asyncio.create_task(deliver(execution))
        execution.task = task
        self._limits.watch(execution)
        in_time, _ = await asyncio.wait({task}, timeout=max(end - time.monotonic(), 0))
        if not in_time:
            # Hands the step back, as a worker that is stopped does.
            execution.stop("shutdown")
        outcome = await task
        execution.ended = True
        threads.close()
        report = outcome.call(claimed.step_id, self._owner, claimed.generation)
        if report is not None:
            self._client.call(report)
        if not in_time:
            raise TimeoutError(f"the handler of {claimed.name!r} had not ended when the time was over")

    def progress(self, claimed: Claimed, text: str) -> None:
        self._client.call(_calls.heartbeat(claimed.step_id, self._owner, claimed.generation, text))

    def holds(self, claimed: Claimed) -> None:
        """Nobody fences here."""

    def ask(self, claimed: Claimed, verb: str, *arguments: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        call = VERBS[verb](claimed.step_id, self._owner, claimed.generation, *arguments)
        try:
            answer.set_result(self._client.call(call))
        except (TenureError, psycopg.Error) as error:
            answer.set_exception(error)
        return answer
