"""An application: its database, its steps and workflows, and the way to enqueue and to start them."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from tenure import _calls
from tenure._options import NO_INPUT, EnqueueOptions
from tenure.client import AsyncClient, Client
from tenure.errors import ArgumentInvalid
from tenure.registry import Registry, Step
from tenure.run import AsyncRun, Run
from tenure.workflow import Workflow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psycopg

    from tenure._calls import Call
    from tenure.workflow import Key, Layer, Node
    from tenure.workflow._workflow import OnFailure

T = TypeVar("T")


class App(Registry):
    """Steps, and a client for the database that they run in.

    Making one does nothing but keep the DSN: connections are opened when the first call needs them. Without
    a DSN it is what the environment variable TENURE_DSN says now, as for the command `tenure`; where that is
    not set, as with an empty DSN, all is left to libpq: its environment variables and defaults.
    """

    def __init__(self, dsn: str | None = None) -> None:
        super().__init__(self)
        self.dsn = os.environ.get("TENURE_DSN", "") if dsn is None else dsn
        self._workflows: dict[str, Workflow] = {}
        self._client: Client | None = None
        self._lock = threading.Lock()

    @property
    def client(self) -> Client:
        """The app's own client."""
        with self._lock:
            if self._client is None:
                self._client = Client.connect(self.dsn)
            return self._client

    def close(self) -> None:
        """Close the app's connections; the next call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def enqueue(
        self,
        name: str | Step[Any],
        input: object = NO_INPUT,
        *,
        conn: psycopg.Connection[Any] | None = None,
        **options: Unpack[EnqueueOptions],
    ) -> Run:
        """Create a run of a step, named or given as its handler.

        With `conn` it joins the caller's transaction: the run exists if and only if that commits. A step of
        this app brings its policy; any other name may be enqueued too, for a worker that knows it.
        """
        call = self._enqueue(name, input, options)
        client = self.client if conn is None else Client(conn)
        return self.run(client.call(call))

    async def aenqueue(
        self,
        name: str | Step[Any],
        input: object = NO_INPUT,
        *,
        conn: psycopg.AsyncConnection[Any] | None = None,
        **options: Unpack[EnqueueOptions],
    ) -> AsyncRun:
        """Create a run as `enqueue` does, from asynchronous code; in a handler for instance."""
        call = self._enqueue(name, input, options)
        caller = _Threaded(self) if conn is None else AsyncClient(conn)
        return AsyncRun(await caller.call(call), _Threaded(self))

    def workflow(
        self,
        name: str,
        *nodes: Node,
        policy: Sequence[Layer] = (),
        on_failure: OnFailure = "cancel",
        outputs: Iterable[Key[Any]] | None = None,
    ) -> Workflow:
        """Build a workflow, as `Workflow` does, that is declared to the database with the app's steps."""
        built = Workflow(name, *nodes, policy=policy, on_failure=on_failure, outputs=outputs)
        for workflow in [*built.mounted, built]:
            if self._workflows.setdefault(workflow.name, workflow) is not workflow:
                raise ArgumentInvalid(
                    f"two workflows are named {workflow.name!r}", hint="Give one of them another name."
                )
        return built

    def start(
        self,
        workflow: str | Workflow,
        input: object = NO_INPUT,
        *,
        conn: psycopg.Connection[Any] | None = None,
        **options: Unpack[EnqueueOptions],
    ) -> Run:
        """Start a run of a workflow, named or given; its newest version in the database is what runs.

        The members of the input are its first keys. With `conn` it joins the caller's transaction.
        """
        client = self.client if conn is None else Client(conn)
        return self.run(client.call(_calls.start(_name(workflow), input, **options)))

    async def astart(
        self,
        workflow: str | Workflow,
        input: object = NO_INPUT,
        *,
        conn: psycopg.AsyncConnection[Any] | None = None,
        **options: Unpack[EnqueueOptions],
    ) -> AsyncRun:
        """Start a run as `start` does, from asynchronous code; in a handler for instance."""
        caller = _Threaded(self) if conn is None else AsyncClient(conn)
        return AsyncRun(await caller.call(_calls.start(_name(workflow), input, **options)), _Threaded(self))

    def run(self, run_id: int) -> Run:
        """Return a handle on a run, by its id."""
        return Run(run_id, self.client)

    def sync_definitions(self, conn: psycopg.Connection[Any]) -> None:
        """Declare all steps and workflows to the database, in the connection's transaction.

        A worker does so when it starts. A workflow that has changed gets a new version.
        """
        for definition in self.definitions:
            _calls.run(conn, definition)

    @property
    def definitions(self) -> list[Call[Any]]:
        """What declares all steps and workflows, in an order in which the database takes it."""
        steps = [_calls.define_step(step.name, **step.options) for step in self.steps.values()]
        workflows = [_calls.define_workflow(one.name, one.json) for one in self._workflows.values()]
        return [*steps, *workflows]

    def _enqueue(self, name: str | Step[Any], value: object, options: EnqueueOptions) -> Call[int]:
        step = name if isinstance(name, Step) else self.steps.get(name)
        if step is None:
            return _calls.enqueue(str(name), value, **options)
        step.check_input(value)
        return _calls.enqueue(step.name, value, **step.with_policy(options))


def _name(workflow: str | Workflow) -> str:
    return workflow if isinstance(workflow, str) else workflow.name


class _Threaded:
    """Makes an app's calls in a thread, on the pool that its synchronous methods use.

    An asynchronous pool would belong to one event loop; an app outlives loops and may serve several.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def call(self, call: Call[T]) -> T:
        return await asyncio.to_thread(self._app.client.call, call)
