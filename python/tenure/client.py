"""The engine's functions for programs that make and watch runs: `Client`, and `AsyncClient` alike.

A client on a connection joins whatever transaction the connection is in and never commits: a run exists
if and only if the caller's own rows do. A client made by `connect` has a small pool of its own, opened at
the first call, and each call is a transaction.
"""

from __future__ import annotations

import select
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, Unpack

import psycopg
import psycopg_pool

from tenure import _calls
from tenure._options import NO_INPUT, EnqueueOptions, Job, NewQueue, QueueChange, StepOptions
from tenure._session import SESSION
from tenure.run import AsyncRun, Run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping

    from psycopg.pq.abc import PGconn

    from tenure._calls import Call
    from tenure._durations import Duration
    from tenure._rows import Difference, RunStatus, SweepReport

T = TypeVar("T")

POOL_SIZE = 4


class Source(Protocol):
    """Where a client's connections come from; a psycopg_pool.ConnectionPool is one."""

    def connection(self) -> AbstractContextManager[psycopg.Connection[Any]]:
        """Lend a connection."""


class AsyncSource(Protocol):
    """Where an asynchronous client's connections come from; an AsyncConnectionPool is one."""

    def connection(self) -> AbstractAsyncContextManager[psycopg.AsyncConnection[Any]]:
        """Lend a connection."""


class Client:
    """The engine over a connection or a pool."""

    def __init__(self, conn: psycopg.Connection[Any] | Source) -> None:
        """Join the connection's transactions, or borrow a connection of the pool for each call."""
        self._source: Source = _Joined(conn) if isinstance(conn, psycopg.Connection) else conn

    @classmethod
    def connect(cls, dsn: str) -> Self:
        """Return a client with connections of its own; `close` it, or use it in a with block."""
        return cls(_Pool(dsn))

    def close(self) -> None:
        """Close the client's own connections; those that it was given stay open."""
        if isinstance(self._source, _Pool):
            self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, call: Call[T]) -> T:
        """Make a described call."""
        with self._source.connection() as conn:
            return _calls.run(conn, call)

    def run(self, run_id: int) -> Run:
        """Return a handle on a run; whether it exists shows when it is used."""
        return Run(run_id, self)

    def enqueue(self, name: str, input: object = NO_INPUT, **options: Unpack[EnqueueOptions]) -> Run:
        """Create a run of one step."""
        return self.run(self.call(_calls.enqueue(name, input, **options)))

    def enqueue_many(self, jobs: Iterable[Job]) -> list[Run]:
        """Create many runs in one statement; the handles come in the order of the jobs."""
        return [self.run(run_id) for run_id in self.call(_calls.enqueue_many(jobs))]

    def start(self, workflow: str, input: object = NO_INPUT, **options: Unpack[EnqueueOptions]) -> Run:
        """Start a run of a workflow; the members of the input are its first keys."""
        return self.run(self.call(_calls.start(workflow, input, **options)))

    def define_workflow(self, name: str, definition: Mapping[str, Any]) -> int:
        """Define a workflow in its JSON form, `Workflow.json`; returns its version.

        The definition that the newest version has makes no new one.
        """
        return self.call(_calls.define_workflow(name, definition))

    def define_step(self, name: str, **options: Unpack[StepOptions]) -> None:
        """Declare the defaults of a step name, in place of those declared before."""
        self.call(_calls.define_step(name, **options))

    def signal(self, run_id: int, signal: str, payload: object = None) -> str:
        """Send a signal to a run: `delivered`, `kept` until somebody waits, or `over`."""
        return self.call(_calls.signal(run_id, signal, payload))

    def cancel(self, run_id: int, reason: str | None = None) -> int:
        """Cancel a run; returns how many steps that ended, 0 when it was over."""
        return self.call(_calls.cancel(run_id, reason))

    def status(self, run_id: int) -> RunStatus:
        """Return how a run stands."""
        return self.call(_calls.status(run_id))

    def result(self, run_id: int) -> Any:
        """Return a completed run's output, None when it was skipped; `NotFinished` before its end."""
        return self.call(_calls.result(run_id))

    def retry(self, step_id: int, extra_attempts: int = 1) -> str:
        """Reopen a discarded step; returns its new state."""
        return self.call(_calls.retry(step_id, extra_attempts))

    def pause(self, run_id: int) -> int:
        """Pause a run; returns how many steps."""
        return self.call(_calls.pause(run_id))

    def resume(self, run_id: int) -> int:
        """Resume a paused run; returns how many steps."""
        return self.call(_calls.resume(run_id))

    def create_queue(self, name: str, **settings: Unpack[NewQueue]) -> None:
        """Create a queue; again with the same settings does nothing, with others is refused."""
        self.call(_calls.create_queue(name, **settings))

    def alter_queue(self, name: str, **settings: Unpack[QueueChange]) -> None:
        """Change the settings that are given; `clear` names those to be unset."""
        self.call(_calls.alter_queue(name, **settings))

    def set_quota(self, name: str, capacity: int) -> None:
        """Make a quota, or change how many units of it may run at once."""
        self.call(_calls.set_quota(name, capacity))

    def pause_queue(self, name: str) -> None:
        """Stop claims from a queue, and no clock."""
        self.call(_calls.pause_queue(name))

    def resume_queue(self, name: str) -> None:
        """Allow claims from a queue again."""
        self.call(_calls.resume_queue(name))

    def grant_queue(self, queue: str, role: str) -> None:
        """Give a queue to a database role, which then uses its own queues alone, and close it to others."""
        self.call(_calls.grant_queue(queue, role))

    def revoke_queue(self, queue: str, role: str) -> None:
        """Take a queue from a database role; without its last grant the queue is open again."""
        self.call(_calls.revoke_queue(queue, role))

    def sweep(self, max_steps: int = 100) -> SweepReport:
        """Move on what is overdue; workers do so by themselves."""
        return self.call(_calls.sweep(max_steps))

    def purge(self, older_than: Duration, max_rows: int = 1000) -> int:
        """Remove runs that ended that long ago; returns how many rows, at most `max_rows`."""
        return self.call(_calls.purge(older_than, max_rows))

    def schema_version(self) -> str:
        """Return the version of the installed engine."""
        return self.call(_calls.schema_version())

    def verify_schema(self) -> list[Difference]:
        """Return how the installed engine differs from its release: nothing, if all is well."""
        return self.call(_calls.verify_schema())


class AsyncClient:
    """The engine over an asynchronous connection or pool: the same methods, to be awaited."""

    def __init__(self, conn: psycopg.AsyncConnection[Any] | AsyncSource) -> None:
        """Join the connection's transactions, or borrow a connection of the pool for each call."""
        self._source: AsyncSource = _AsyncJoined(conn) if isinstance(conn, psycopg.AsyncConnection) else conn

    @classmethod
    def connect(cls, dsn: str) -> Self:
        """Return a client with connections of its own; `close` it, or use it in an async with block."""
        return cls(_AsyncPool(dsn))

    async def close(self) -> None:
        """Close the client's own connections; those that it was given stay open."""
        if isinstance(self._source, _AsyncPool):
            await self._source.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def call(self, call: Call[T]) -> T:
        """Make a described call."""
        async with self._source.connection() as conn:
            return await _calls.run_async(conn, call)

    def run(self, run_id: int) -> AsyncRun:
        """Return a handle on a run; whether it exists shows when it is used."""
        return AsyncRun(run_id, self)

    async def enqueue(
        self,
        name: str,
        input: object = NO_INPUT,
        **options: Unpack[EnqueueOptions],
    ) -> AsyncRun:
        """Create a run of one step."""
        return self.run(await self.call(_calls.enqueue(name, input, **options)))

    async def enqueue_many(self, jobs: Iterable[Job]) -> list[AsyncRun]:
        """Create many runs in one statement; the handles come in the order of the jobs."""
        return [self.run(run_id) for run_id in await self.call(_calls.enqueue_many(jobs))]

    async def start(
        self, workflow: str, input: object = NO_INPUT, **options: Unpack[EnqueueOptions]
    ) -> AsyncRun:
        """Start a run of a workflow; the members of the input are its first keys."""
        return self.run(await self.call(_calls.start(workflow, input, **options)))

    async def define_workflow(self, name: str, definition: Mapping[str, Any]) -> int:
        """Define a workflow in its JSON form, `Workflow.json`; returns its version.

        The definition that the newest version has makes no new one.
        """
        return await self.call(_calls.define_workflow(name, definition))

    async def define_step(self, name: str, **options: Unpack[StepOptions]) -> None:
        """Declare the defaults of a step name, in place of those declared before."""
        await self.call(_calls.define_step(name, **options))

    async def signal(self, run_id: int, signal: str, payload: object = None) -> str:
        """Send a signal to a run: `delivered`, `kept` until somebody waits, or `over`."""
        return await self.call(_calls.signal(run_id, signal, payload))

    async def cancel(self, run_id: int, reason: str | None = None) -> int:
        """Cancel a run; returns how many steps that ended, 0 when it was over."""
        return await self.call(_calls.cancel(run_id, reason))

    async def status(self, run_id: int) -> RunStatus:
        """Return how a run stands."""
        return await self.call(_calls.status(run_id))

    async def result(self, run_id: int) -> Any:
        """Return a completed run's output, None when it was skipped; `NotFinished` before its end."""
        return await self.call(_calls.result(run_id))

    async def retry(self, step_id: int, extra_attempts: int = 1) -> str:
        """Reopen a discarded step; returns its new state."""
        return await self.call(_calls.retry(step_id, extra_attempts))

    async def pause(self, run_id: int) -> int:
        """Pause a run; returns how many steps."""
        return await self.call(_calls.pause(run_id))

    async def resume(self, run_id: int) -> int:
        """Resume a paused run; returns how many steps."""
        return await self.call(_calls.resume(run_id))

    async def create_queue(self, name: str, **settings: Unpack[NewQueue]) -> None:
        """Create a queue; again with the same settings does nothing, with others is refused."""
        await self.call(_calls.create_queue(name, **settings))

    async def alter_queue(self, name: str, **settings: Unpack[QueueChange]) -> None:
        """Change the settings that are given; `clear` names those to be unset."""
        await self.call(_calls.alter_queue(name, **settings))

    async def set_quota(self, name: str, capacity: int) -> None:
        """Make a quota, or change how many units of it may run at once."""
        await self.call(_calls.set_quota(name, capacity))

    async def pause_queue(self, name: str) -> None:
        """Stop claims from a queue, and no clock."""
        await self.call(_calls.pause_queue(name))

    async def resume_queue(self, name: str) -> None:
        """Allow claims from a queue again."""
        await self.call(_calls.resume_queue(name))

    async def grant_queue(self, queue: str, role: str) -> None:
        """Give a queue to a database role, which then uses its own queues alone, and close it to others."""
        await self.call(_calls.grant_queue(queue, role))

    async def revoke_queue(self, queue: str, role: str) -> None:
        """Take a queue from a database role; without its last grant the queue is open again."""
        await self.call(_calls.revoke_queue(queue, role))

    async def sweep(self, max_steps: int = 100) -> SweepReport:
        """Move on what is overdue; workers do so by themselves."""
        return await self.call(_calls.sweep(max_steps))

    async def purge(self, older_than: Duration, max_rows: int = 1000) -> int:
        """Remove runs that ended that long ago; returns how many rows, at most `max_rows`."""
        return await self.call(_calls.purge(older_than, max_rows))

    async def schema_version(self) -> str:
        """Return the version of the installed engine."""
        return await self.call(_calls.schema_version())

    async def verify_schema(self) -> list[Difference]:
        """Return how the installed engine differs from its release: nothing, if all is well."""
        return await self.call(_calls.verify_schema())


class _Joined:
    """Lends the caller's connection as it is: what is done on it is the caller's to commit."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        yield self._conn


class _AsyncJoined:
    """As `_Joined`."""

    def __init__(self, conn: psycopg.AsyncConnection[Any]) -> None:
        self._conn = conn

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        yield self._conn


class _Pool:
    """A pool opened at the first use, after one plain connection has shown that the server answers.

    Without that a wrong DSN would be told only by a time-out of the pool, and not why.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._pool: psycopg_pool.ConnectionPool[psycopg.Connection[Any]] = psycopg_pool.ConnectionPool(
            dsn, min_size=1, max_size=POOL_SIZE, kwargs=SESSION, check=_check, open=False
        )

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        if self._pool.closed:
            psycopg.connect(self._dsn, **SESSION).close()
            self._pool.open()
        with self._pool.connection() as conn:
            yield conn

    def close(self) -> None:
        self._pool.close()


class _AsyncPool:
    """As `_Pool`."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._pool: psycopg_pool.AsyncConnectionPool[psycopg.AsyncConnection[Any]] = (
            psycopg_pool.AsyncConnectionPool(
                dsn,
                min_size=1,
                max_size=POOL_SIZE,
                kwargs=SESSION,
                check=_check_async,
                open=False,
            )
        )

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        if self._pool.closed:
            await (await psycopg.AsyncConnection.connect(self._dsn, **SESSION)).close()
            await self._pool.open()
        async with self._pool.connection() as conn:
            yield conn

    async def close(self) -> None:
        await self._pool.close()


def _check(conn: psycopg.Connection[Any]) -> None:
    _refuse_dead(conn.pgconn)


async def _check_async(conn: psycopg.AsyncConnection[Any]) -> None:
    _refuse_dead(conn.pgconn)


def _refuse_dead(pgconn: PGconn) -> None:
    """Raise when the server has ended an idle connection, so that the pool takes another.

    Its last words, and the end of the stream after them, wait in the socket: no round trip is needed to see
    them, and reading at the end raises.
    """
    poll = select.poll()
    poll.register(pgconn.socket, select.POLLIN)
    while poll.poll(0):
        pgconn.consume_input()
