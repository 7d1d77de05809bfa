"""The handler's rows and the step's completion commit together or not at all."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import psycopg
import pytest
from psycopg.types.json import Jsonb

import tenure
from tenure import _calls, testing
from tenure._calls import Call
from tenure.worker import _transaction
from tenure.worker._leash import Leash
from tenure.worker._link import connect, limited
from tenure.worker._threads import Threads
from tenure.worker._transaction import SyncTransaction, Transaction
from tests.support.locks import lock_waits
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.proxy import proxy

Start = Callable[..., WorkerProcess]

BOOKS = ("books", "books_thread", "books_process")
"""Handlers of each kind that write in their transaction."""


def booked(bench: Bench, step_id: int) -> list[str]:
    rows = bench.conn.execute("select what from booking where step_id = %s", (step_id,)).fetchall()
    return [what for (what,) in rows]


def test_rows_and_completion_commit_in_one_transaction(bench: Bench, start_worker: Start) -> None:
    worker = start_worker()
    step_id = bench.enqueue("books", "well")
    step = bench.ended(step_id)
    assert (step["state"], step["output"], step["attempt"]) == ("completed", "booked", 1)
    assert booked(bench, step_id) == ["first"]
    worker.stop()
    assert bench.value("select report -> 'verdicts' from tenure.worker_status") == {"completed": 1}


@pytest.mark.parametrize("handler", ["in_loop", "in_thread", "in_process"])
def test_it_is_committed_after_the_last_hook_and_not_if_that_fails(
    bench: Bench, start_worker: Start, handler: str
) -> None:
    """R-349, R-365."""
    start_worker(app="tests.worker.hooked:app")
    step_id = bench.enqueue(handler, "well")
    assert bench.ended(step_id)["output"] == "booked"
    assert (bench.traces(step_id, "seen")[0].value, booked(bench, step_id)) == ("0", ["first"])
    refused = bench.enqueue(handler, "well", headers={"refuse": True})
    assert bench.ended(refused)["error"]["message"] == "not like this"
    assert (bench.traces(refused, "seen")[0].value, booked(bench, refused)) == ("0", [])


@pytest.mark.parametrize("handler", ["looks", "looks_on_loop", "looks_apart"])
def test_no_connection_of_the_worker_is_where_a_handler_could_reach_it(
    bench: Bench, start_worker: Start, handler: str
) -> None:
    """R-383: the transaction has one of its own, and is the only one in the process."""
    start_worker(app="tests.worker.bodies:app")
    bench.listening()
    assert bench.connections() >= 2
    for _ in range(2):
        assert bench.ended(bench.enqueue(handler))["output"] == [0, 1, "tenure handler"]


def test_neither_is_seen_without_the_other(bench: Bench, start_worker: Start) -> None:
    """The completion waits for a lock, and the rows wait with it."""
    start_worker(lease_ttl=1)
    step_id = bench.enqueue("books", "gate")
    bench.traced(step_id, "booked")
    with bench.database.connect(autocommit=False) as holder:
        holder.execute("select from tenure_private.step where step_id = %s for update", (step_id,))
        bench.open(f"books {step_id}")
        wait_until(
            lambda: [wait for wait in lock_waits(bench.conn) if "tenure.complete" in wait.query],
            what="the completion waits for the step's row",
        )
        assert booked(bench, step_id) == []
    assert bench.ended(step_id)["reclaims"] == 0
    assert booked(bench, step_id) == ["first"]


def test_a_limit_that_passes_during_the_commit_does_not_cut_it(bench: Bench, start_worker: Start) -> None:
    """R-349: the completion is asked for in time and answered too late: its verdict undoes the rows."""
    start_worker(concurrency=len(BOOKS))
    steps = [bench.enqueue(name, "gate", timeout=4.0, max_attempts=1) for name in BOOKS]
    for step_id in steps:
        bench.traced(step_id, "booked")
    with bench.database.connect(autocommit=False) as holder:
        holder.execute("select from tenure_private.step where step_id = any(%s) for update", (steps,))
        for step_id in steps:
            bench.open(f"books {step_id}")
        wait_until(
            lambda: len([wait for wait in lock_waits(bench.conn) if "tenure.complete" in wait.query]) == 3
        )
        passed = "select clock_timestamp() > max(started_at + timeout) + '0.2 s' from tenure.step_status"
        wait_until(lambda: bench.value(passed))
    for step_id in steps:
        assert bench.ended(step_id)["error_kind"] == "timeout"
        assert booked(bench, step_id) == []
    # And every slot is free.
    for step_id in [bench.enqueue("wait", "gate") for _ in BOOKS]:
        bench.traced(step_id, "started")


def test_a_verdict_that_nobody_was_told_of_undoes_the_rows(bench: Bench, start_worker: Start) -> None:
    """R-349: of each kind; the handlers return as if all were well, and the completion is refused."""
    worker = start_worker(lease_ttl=300)
    bench.listening()
    steps = [bench.enqueue(name, "gate") for name in BOOKS]
    for step_id in steps:
        bench.traced(step_id, "booked")
    # As behind a pooler that drops LISTEN.
    bench.conn.execute("update tenure_private.worker set channel = 'nobody'")
    for step_id in steps:
        bench.value("select tenure.cancel(%s, null)", step_id)
        bench.open(f"books {step_id}")
    worker.stop()
    for step_id in steps:
        assert bench.step(step_id)["state"] == "cancelled"
        assert booked(bench, step_id) == []


def test_a_failure_undoes_the_rows(served: Bench) -> None:
    step_id = served.enqueue("books", "fail")
    assert served.ended(step_id)["error"]["message"] == "after the booking"
    assert booked(served, step_id) == []


def test_a_block_that_fails_is_undone_alone_when_the_handler_goes_on(served: Bench) -> None:
    step_id = served.enqueue("books", "failed block")
    assert served.ended(step_id)["state"] == "completed"
    assert served.traces(step_id, "caught")
    assert booked(served, step_id) == ["first"]


def test_a_handler_cannot_commit_by_itself(served: Bench) -> None:
    step_id = served.enqueue("books", "commit", max_attempts=1)
    step = served.ended(step_id)
    assert (step["state"], step["error"]["type"]) == ("discarded", "psycopg.ProgrammingError")
    assert booked(served, step_id) == []


@pytest.mark.parametrize(
    ("handler", "how"),
    [
        ("ends_itself", "cancel"),
        ("ends_itself", "fail"),
        ("ends_itself_thread", "cancel"),
        ("ends_itself_process", "cancel"),
    ],
)
def test_a_transaction_that_ends_its_own_step_fails_for_good(served: Bench, handler: str, how: str) -> None:
    """R-376: it is undone, and would do the same at each attempt."""
    step_id = served.enqueue(handler, how)
    step = served.ended(step_id)
    assert (step["state"], step["error_kind"], step["attempt"]) == ("discarded", "permanent", 1)
    assert (step["lease_generation"], step["reclaims"], step["cancel_reason"]) == (1, 0, None)
    assert step["error"]["message"] == (
        "the handler's transaction has cancelled or ended its own step, and was rolled back, that included"
    )
    assert booked(served, step_id) == []


def test_a_result_that_cannot_be_stored_undoes_the_rows(served: Bench) -> None:
    step_id = served.enqueue("books", "nan")
    assert served.ended(step_id)["error_kind"] == "permanent"
    assert booked(served, step_id) == []


def test_skip_undoes_the_rows(served: Bench) -> None:
    step_id = served.enqueue("books", "skip")
    assert served.ended(step_id)["state"] == "skipped"
    assert booked(served, step_id) == []


def test_rows_before_a_sleep_are_undone_and_written_by_the_execution_that_completes(served: Bench) -> None:
    step_id = served.enqueue("books", "nap")
    assert served.ended(step_id)["state"] == "completed"
    assert booked(served, step_id) == ["first"]


def test_cancel_undoes_the_rows_of_a_handler_that_stops(bench: Bench, start_worker: Start) -> None:
    worker = start_worker()
    step_id = bench.enqueue("books", "gate")
    bench.traced(step_id, "booked")
    assert bench.value("select tenure.cancel(%s, null)", step_id) == 1
    worker.stop()
    assert bench.step(step_id)["state"] == "cancelled"
    assert booked(bench, step_id) == []


def test_cancel_undoes_the_rows_of_a_handler_that_does_not_listen(bench: Bench, start_worker: Start) -> None:
    """It returns as if all were well: the verdict inside its transaction is what counts."""
    worker = start_worker()
    step_id = bench.enqueue("books", "deaf")
    bench.traced(step_id, "booked")
    bench.value("select tenure.cancel(%s, null)", step_id)
    bench.open(f"books {step_id}")
    worker.stop()
    assert bench.step(step_id)["state"] == "cancelled"
    assert booked(bench, step_id) == []


def test_a_limit_undoes_the_rows_of_a_handler_that_does_not_listen(bench: Bench, start_worker: Start) -> None:
    start_worker(poll_interval=300)
    step_id = bench.enqueue("books", "deaf", timeout=3.0, max_attempts=1)
    bench.traced(step_id, "booked")
    wait_until(lambda: bench.value("select clock_timestamp() > started_at + timeout from tenure.step_status"))
    bench.open(f"books {step_id}")
    assert bench.ended(step_id)["error_kind"] == "timeout"
    assert booked(bench, step_id) == []


TWICE = {"retry": {"attempts": 2, "delay": "50 ms"}}


def publishes(bench: Bench, handler: str) -> int:
    """Start a workflow in which this handler's step is to publish a key; its step."""
    nodes = [{"name": handler, "requires": ["a"], "provides": ["key"], "policy": [TWICE]}]
    bench.value("select tenure.define_workflow('publishes', %s)", Jsonb({"nodes": nodes, "outputs": ["key"]}))
    run_id = bench.value("""select tenure.start('publishes', '{"a": 3, "key": 1}')""")
    return int(bench.value("select step_id from tenure.step_status where parent_id = %s", run_id))


@pytest.mark.parametrize("handler", ["books", "books_thread", "books_process"])
def test_a_completion_that_is_refused_for_its_keys_fails_as_without_a_transaction(
    bench: Bench, start_worker: Start, handler: str
) -> None:
    """R-385, R-338: the key is there already, and the handler's rows are undone."""
    worker = start_worker(app="tests.worker.abroad:app")
    step_id = publishes(bench, handler)
    step = bench.ended(step_id)
    assert (step["state"], step["error_kind"], step["attempt"]) == ("discarded", "output_conflict", 2)
    log = "select attempt, kind from tenure.attempt_log where step_id = %s order by attempt"
    assert bench.conn.execute(log, (step_id,)).fetchall() == [(1, "output_conflict"), (2, "output_conflict")]
    assert booked(bench, step_id) == []
    worker.stop()
    said = [
        line.partition(" ")[2].partition(" ")[2] for line in worker.output.splitlines() if handler in line
    ]
    assert said[:2] == [
        f"INFO tenure.worker._logging: step {step_id} {handler!r}, attempt 1: retrying, output_conflict",
        f"WARNING tenure.worker._logging: step {step_id} {handler!r}, attempt 2: discarded, output_conflict",
    ]


FOREIGN_KEY = """
insert into tenure_private.published (group_id, attempt, key, value, step_id)
values (%s, 1, 'out', '0', 0)
"""


def _publishes_itself(app: tenure.App) -> None:
    """Handlers that publish a key beside the engine, in their transaction and in their first attempt."""

    @app.step
    async def in_loop(ctx: tenure.Context, _input: Any) -> int:
        async with ctx.transaction() as conn:
            await conn.execute("insert into booking values (%s, %s)", (ctx.step_id, str(ctx.attempt)))
            if ctx.attempt == 1:
                await conn.execute(FOREIGN_KEY, (ctx.run_id,))
        return 7

    @app.step
    def in_thread(ctx: tenure.SyncContext, _input: Any) -> int:
        with ctx.transaction() as conn:
            conn.execute("insert into booking values (%s, %s)", (ctx.step_id, str(ctx.attempt)))
            if ctx.attempt == 1:
                conn.execute(FOREIGN_KEY, (ctx.run_id,))
        return 7


@pytest.mark.parametrize("handler", ["in_loop", "in_thread"])
def test_no_step_is_completed_without_the_rows_of_its_handler(bench: Bench, handler: str) -> None:
    """R-385: what was refused for these rows would be accepted without them, and is not."""
    app = tenure.App(bench.database.dsn())
    _publishes_itself(app)
    nodes = [{"name": handler, "provides": ["out"], "policy": [TWICE]}]
    bench.value("select tenure.define_workflow('w', %s)", Jsonb({"nodes": nodes}))
    with app:
        run = app.start("w")
        assert testing.run_until_complete(app, run).state == "completed"
        assert run.result(timeout=0) == {"out": 7}
    log = bench.conn.execute("select kind, error ->> 'message' from tenure.attempt_log").fetchall()
    assert log == [("retryable", "the completion was refused: retrying")]
    assert bench.conn.execute("select what from booking").fetchall() == [("2",)]


def test_a_lost_connection_undoes_the_rows_and_the_step_is_tried_again(served: Bench) -> None:
    step_id = served.enqueue("books", "gate", backoff={"kind": "fixed", "base": 0.05, "jitter": 0})
    served.traced(step_id, "booked")
    served.conn.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where application_name = 'tenure handler' and datname = current_database()"
    )
    served.open(f"books {step_id}")
    step = served.ended(step_id)
    assert (step["state"], step["attempt"]) == ("completed", 2)
    assert booked(served, step_id) == ["first"]


SYNC = pytest.mark.parametrize("handler", ["books_thread", "books_process"])


@SYNC
@pytest.mark.parametrize(
    ("input", "state", "rows"),
    [
        ("well", "completed", ["first"]),
        ("fail", "discarded", []),
        ("failed block", "completed", ["first"]),
        ("nap", "completed", ["first"]),
    ],
)
def test_a_synchronous_handler_has_one_too(
    served: Bench, handler: str, input: str, state: str, rows: list[str]
) -> None:
    """R-349."""
    step_id = served.enqueue(handler, input)
    assert served.ended(step_id)["state"] == state
    assert booked(served, step_id) == rows


@SYNC
def test_a_cutoff_ends_the_transaction_of_a_thread_that_waits_in_it(served: Bench, handler: str) -> None:
    """R-349: the server is asked to stop, so that no lock outlives its time, and the thread comes back."""
    step_id = served.enqueue(handler, "query", timeout=3.0, max_attempts=1)
    served.traced(step_id, "booked")
    assert served.ended(step_id)["error_kind"] == "timeout"
    open_ones = (
        "select count(*) from pg_stat_activity where application_name = 'tenure handler'"
        " and datname = current_database()"
    )
    wait_until(lambda: served.value(open_ones) == 0, what="no transaction of a handler is left")
    assert booked(served, step_id) == []


def test_a_cutoff_ends_the_transaction_of_a_thread_that_never_looks_at_it(
    bench: Bench, start_worker: Start
) -> None:
    """R-349: the thread sits elsewhere; its rows are undone and its locks are gone."""
    start_worker()
    step_id = bench.enqueue("books_thread", "sits", timeout=3.0, max_attempts=1)
    bench.traced(step_id, "booked")
    assert bench.ended(step_id)["error_kind"] == "timeout"
    locks = "select count(*) from pg_locks where relation = 'booking'::regclass"
    wait_until(lambda: bench.value(locks) == 0, what="its locks are gone")
    assert booked(bench, step_id) == []


@pytest.mark.parametrize(
    ("handler", "timeout", "state"), [("books_late", 1.0, "discarded"), ("books_behind", None, "completed")]
)
def test_no_transaction_is_begun_after_its_execution(
    bench: Bench, start_worker: Start, handler: str, timeout: float | None, state: str
) -> None:
    """R-378: nobody would end it, and its locks would stay."""
    start_worker(app="tests.worker.bodies:app")
    step_id = bench.enqueue(handler, "late", timeout=timeout, max_attempts=1)
    assert bench.ended(step_id)["state"] == state
    bench.open("late")
    refused = bench.traced(step_id, "refused")[0]
    assert refused.value == "the execution is over: what is written now could not be committed with it"
    assert booked(bench, step_id) == []


def test_a_server_that_does_not_answer_the_rollback_costs_no_slot(bench: Bench, start_worker: Start) -> None:
    """R-349, R-345: its handler was dropped within the transaction, and the backend stands still."""
    start_worker(concurrency=1)
    step_id = bench.enqueue("books", "inside", timeout=4.0, max_attempts=1)
    bench.traced(step_id, "booked")
    backend = bench.value("select pid from pg_stat_activity where application_name = 'tenure handler'")
    os.kill(backend, signal.SIGSTOP)
    try:
        assert bench.ended(step_id)["error_kind"] == "timeout"
        assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
    finally:
        os.kill(backend, signal.SIGCONT)
    locks = "select count(*) from pg_locks where relation = 'booking'::regclass"
    wait_until(lambda: bench.value(locks) == 0, what="its locks are gone")
    assert booked(bench, step_id) == []


async def _drop_in_a_silent_transaction(dsn: str, silence: Callable[[], None]) -> bool:
    """Let go of a handler whose rollback gets no answer, then close; whether that came to an end."""
    transaction, leash, inside = Transaction(dsn), Leash(), asyncio.Event()

    async def handler() -> None:
        async with transaction.block() as conn:
            await conn.execute("select 1")
            inside.set()
            await asyncio.sleep(1000)

    async def deliver() -> None:
        with pytest.raises(asyncio.CancelledError):
            await leash.drive(handler())
        while task.cancelling():
            task.uncancel()
        await transaction.close(0.3)

    task = asyncio.create_task(deliver())
    await inside.wait()
    silence()
    task.cancel()
    # It begins to roll back, and waits for the answer.
    await asyncio.sleep(0.1)
    leash.let_go(task)
    await asyncio.wait({task}, timeout=20)
    return task.done() and task.exception() is None


def test_what_is_let_go_of_in_its_rollback_leaves_no_lock_that_is_waited_for(bench: Bench) -> None:
    """R-349: the server gives no answer, and the slot is free all the same."""
    socket = bench.database.server.server.socket
    with proxy(socket) as silent:
        dsn = bench.database.dsn().replace(str(socket), str(silent.folder))
        assert asyncio.run(_drop_in_a_silent_transaction(dsn, silent.fall_silent))


@pytest.fixture
def silent_dsn(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Callable[[], None]]]:
    """A way to the database, what makes it fall silent, and little patience."""
    monkeypatch.setattr(_transaction, "CALL_LIMIT", 0.3)
    socket = bench.database.server.server.socket
    with proxy(socket) as silent:
        yield bench.database.dsn().replace(str(socket), str(silent.folder)), silent.fall_silent


def test_a_connection_that_gives_no_answer_at_the_end_of_a_block_is_given_up(
    silent_dsn: tuple[str, Callable[[], None]],
) -> None:
    """R-375: the handler hears of it, instead of waiting for ever under a lease that is renewed."""
    dsn, fall_silent = silent_dsn

    async def handle() -> None:
        transaction = Transaction(dsn)
        try:
            async with transaction.block() as conn:
                await conn.execute("select 1")
                fall_silent()
        finally:
            await transaction.close(0.3)

    with pytest.raises(psycopg.OperationalError):
        asyncio.run(asyncio.wait_for(handle(), 60))


def test_a_commit_that_is_interrupted_is_one_that_got_no_answer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-375: as SIGTERM interrupts the main thread of a process at its end."""

    def interrupted(*_: object) -> NoReturn:
        raise asyncio.CancelledError

    async def scene() -> None:
        threads = Threads("step 1")
        transaction = SyncTransaction(bench.database.dsn(), threads)

        def use() -> None:
            with transaction.block() as conn:
                conn.execute("select 1")

        await threads.run(use)
        with pytest.raises(TimeoutError, match="before the database had answered"):
            await transaction.commit(Call("select 1", (), lambda _: "completed"), lambda: None)
        await transaction.close(None)
        threads.close()

    monkeypatch.setattr(_calls, "run", interrupted)
    asyncio.run(scene())


def test_so_is_that_of_a_synchronous_handler(silent_dsn: tuple[str, Callable[[], None]]) -> None:
    """R-375."""
    dsn, fall_silent = silent_dsn

    def handle(transaction: SyncTransaction) -> None:
        with transaction.block() as conn:
            conn.execute("select 1")
            fall_silent()

    async def deliver() -> None:
        threads = Threads("test")
        transaction = SyncTransaction(dsn, threads)
        try:
            await threads.run(lambda: handle(transaction))
        finally:
            await transaction.close(0.3)
            threads.close()

    with pytest.raises(psycopg.OperationalError):
        asyncio.run(asyncio.wait_for(deliver(), 60))


def test_whoever_waits_for_the_lock_of_a_connection_is_not_waited_for(bench: Bench) -> None:
    """R-349: to shut the socket wakes nobody who waits for that."""

    async def wait_in_vain() -> bool:
        conn = await connect(bench.database.dsn(), "test")
        await conn.lock.acquire()
        work = asyncio.create_task(limited(conn.rollback(), conn, 0.1, stop=False))
        await asyncio.wait({work}, timeout=20)
        if done := work.done():
            with pytest.raises(psycopg.OperationalError, match="given up"):
                work.result()
        await conn.close()
        return done

    assert asyncio.run(wait_in_vain())
