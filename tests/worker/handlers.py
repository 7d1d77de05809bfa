"""The application that the worker tests run: handlers that do what their input says, and leave evidence.

Evidence is a row in `trace`, written in a transaction of its own, so that it stays whatever becomes of the
step. A handler that is to wait waits for a row in `gate`, which the test inserts.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NoReturn

import psycopg

import tenure

app = tenure.App()

POLL = 0.01


def dsn() -> str:
    """The test's database, as its owner."""
    return os.environ["TRACE_DSN"]


def leave(ctx: tenure.Context | tenure.SyncContext, event: str, value: object = None) -> None:
    """Leave evidence."""
    with psycopg.connect(dsn(), autocommit=True) as conn:
        conn.execute(
            "insert into trace (step_id, generation, attempt, pid, event, value)"
            " values (%s, %s, %s, %s, %s, %s)",
            (ctx.step_id, ctx.generation, ctx.attempt, os.getpid(), event, str(value)),
        )


async def opened(name: str) -> None:
    """Wait until the test opens the gate."""
    async with await psycopg.AsyncConnection.connect(dsn(), autocommit=True) as conn:
        while True:
            cursor = await conn.execute("select from gate where name = %s", (name,))
            if await cursor.fetchone() is not None:
                return
            await asyncio.sleep(POLL)


def opened_sync(name: str) -> None:
    """Do so in a thread or a process."""
    with psycopg.connect(dsn(), autocommit=True) as conn:
        while conn.execute("select from gate where name = %s", (name,)).fetchone() is None:
            time.sleep(POLL)


@app.step
async def enqueues(ctx: tenure.Context, input: Any) -> int:
    """Enqueue another step by the app, and return its id."""
    return (await app.aenqueue("echo", input)).id


@app.step
async def echo(ctx: tenure.Context, input: Any) -> Any:
    """Return the input, and what the context says."""
    return {
        "input": input,
        "attempt": ctx.attempt,
        "generation": ctx.generation,
        "run_id": ctx.run_id,
        "step_id": ctx.step_id,
        "headers": ctx.headers,
        "has_limit": ctx.remaining() is not None,
    }


@app.step
async def nothing(ctx: tenure.Context, input: Any) -> None:
    """Return nothing."""


@app.step
async def wait(ctx: tenure.Context, input: str) -> str:
    """Wait for a gate, and tell what was said when interrupted."""
    leave(ctx, "started", ctx.remaining())
    try:
        await opened(input)
    except asyncio.CancelledError:
        leave(ctx, "stopped", ctx.reason)
        raise
    leave(ctx, "passed")
    return "passed"


@app.step
async def deaf(ctx: tenure.Context, input: str) -> str:
    """Swallow each interruption and wait on, until the gate opens."""
    leave(ctx, "started")
    while True:
        try:
            await opened(input)
        except asyncio.CancelledError:
            leave(ctx, "stopped", ctx.reason)
        else:
            return "late"


@app.step
def deaf_thread(ctx: tenure.SyncContext, input: str) -> str:
    """Note that it is told to stop, and go on until the gate opens."""
    leave(ctx, "started")
    told = False
    with psycopg.connect(dsn(), autocommit=True) as conn:
        while conn.execute("select from gate where name = %s", (input,)).fetchone() is None:
            time.sleep(POLL)
            if ctx.cancelled and not told:
                told = True
                leave(ctx, "stopped", ctx.reason)
    return "late"


@app.step(timeout=0.3, max_attempts=2, backoff={"kind": "fixed", "base": 0.05, "jitter": 0})
async def impatient(ctx: tenure.Context, input: str) -> None:
    """Sit past the limit."""
    leave(ctx, "started", ctx.remaining())
    try:
        await opened(input)
    finally:
        leave(ctx, "stopped", ctx.reason)


@app.step
async def permanent_when_stopped(ctx: tenure.Context, input: str) -> None:
    """Turn the word to stop into an error that no retry helps."""
    leave(ctx, "started")
    if await ctx.wait_cancelled():
        raise tenure.Permanent("found to be useless")


class NoText(Exception):
    """An error that cannot even say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


def _uncertain_inside() -> NoReturn:
    try:
        raise tenure.Uncertain("sent, no answer")
    except tenure.Uncertain:
        raise ValueError("while cleaning up")  # noqa: B904 - its context is what this is about


async def _in_a_group() -> None:
    async def fail() -> None:
        raise tenure.Uncertain("one of several")

    async with asyncio.TaskGroup() as group:
        group.create_task(fail())


ERRORS: dict[str, Callable[[], BaseException]] = {
    "once": lambda: ValueError("only once"),
    "value": lambda: ValueError("no good"),
    "permanent": lambda: tenure.Permanent("never"),
    "uncertain": lambda: tenure.Uncertain("sent, no answer"),
    "retry": lambda: tenure.Retry("later", after=3600),
    "skip": lambda: tenure.Skip("nothing to do"),
    "skip 404": lambda: tenure.Skip(404),
    "skip error": lambda: tenure.Skip(ValueError("no such order")),
    "exit": lambda: SystemExit("leaving"),
    "cancelled": asyncio.CancelledError,
    "nul": lambda: ValueError("a\0b\ud800c"),
    "no text": NoText,
    "huge": lambda: ValueError("x" * 10_000_000),
    "long": lambda: ValueError("ü" * 100_000),
}


@app.step
async def fails(ctx: tenure.Context, input: str) -> None:
    """Fail in the way that the input names."""
    leave(ctx, "started")
    if input == "uncertain inside":
        _uncertain_inside()
    if input == "uncertain group":
        await _in_a_group()
    if ctx.attempt == 1 or input != "once":
        error = ERRORS[input]()
        raise error


class Odd:
    """Not JSON."""


@app.step
async def returns(ctx: tenure.Context, input: str) -> Any:
    """Return what the input names."""
    circular: list[Any] = []
    circular.append(circular)
    outputs: dict[str, Any] = {
        "nan": float("nan"),
        "infinity": [float("-inf")],
        "nul": "a\0b",
        "surrogate": {"text": "\ud800"},
        "bytes": b"\xff",
        "set": {1},
        "keys": {1: 2},
        "object": Odd(),
        "circular": circular,
        "large": "x" * 17_000_000,
        "big": "y" * 1_000_000,
        "unicode": "ünïcödé \U0001f600 \\ \" '",
        "null": None,
        "false": False,
    }
    return outputs[input]


@dataclass
class Order:
    """A typed input."""

    number: int
    lines: list[str]


@app.step
async def typed(ctx: tenure.Context, input: Order) -> int:
    """Use the fields."""
    return input.number * len(input.lines)


@app.step
async def blocks(ctx: tenure.Context, input: float) -> str:
    """Block the loop, as badly written handlers do."""
    leave(ctx, "started")
    time.sleep(input)  # noqa: ASYNC251 - it blocks on purpose
    return "done"


@app.step
async def dies(ctx: tenure.Context, input: Any) -> str:
    """Kill the process that it runs in, the first time."""
    leave(ctx, "started")
    if ctx.generation == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


@app.step
async def starts_a_program(ctx: tenure.Context, input: Any) -> int:
    """Start a program that is then asked to stop by a signal: it must not have inherited an ignored one."""
    program = await asyncio.create_subprocess_exec("sleep", "600")
    program.terminate()
    return await program.wait()


@app.step
async def progresses(ctx: tenure.Context, input: str) -> None:
    """Report progress, and then nothing more until the gate opens."""
    for done in range(100):
        ctx.progress({"done": done})
    await opened(input)


@app.step
async def bad_progress(ctx: tenure.Context, input: Any) -> None:
    """Report what is no JSON."""
    ctx.progress(float("nan"))


@app.step
async def checkpoints(ctx: tenure.Context, input: Any) -> list[Any]:
    """Compute once what two attempts need."""

    async def compute() -> int:
        leave(ctx, "computed")
        return ctx.attempt

    first = await ctx.checkpoint("value", compute)
    null = await ctx.checkpoint("null", lambda: leave(ctx, "computed null"))
    if ctx.attempt == 1:
        raise ValueError("after the checkpoint")
    return [first, null, await ctx.checkpoint("value", 99), await ctx.checkpoint("other", [1])]


SUM = tenure.Key("sum", int)


@app.step
async def stages(ctx: tenure.Context, input: Any) -> None:
    """Stage two keys; what the first attempt has staged goes with it."""
    leave(ctx, "staged before", str(await ctx.staged(SUM)))
    await ctx.stage("sum", 1)
    await ctx.stage(SUM, ctx.keys["a"] + ctx.attempt)
    await ctx.stage("note", None)
    if ctx.attempt == 1:
        raise ValueError("after staging")
    leave(ctx, "staged", str(await ctx.staged("sum")))


@app.step
def stages_in_a_thread(ctx: tenure.SyncContext, input: Any) -> None:
    """The same, not awaited; and a key that is not the node's."""
    ctx.stage(SUM, 4)
    try:
        ctx.stage("other", 1)
    except tenure.ArgumentInvalid:
        ctx.stage("note", ctx.staged("sum"))


@app.step
async def doubles(ctx: tenure.Context, input: Any) -> list[Any]:
    """Return what it was given."""
    return [2 * SUM.of(ctx), ctx.keys["note"]]


@app.step
async def parent(ctx: tenure.Context, input: Any) -> int:
    """Start a child that is due in an hour, by its function, and one that is due at once, by name."""
    await ctx.start_child(progresses, "never", delay=3600, headers={"of": ctx.step_id})
    moment = datetime.now(UTC)
    return await ctx.start_child("echo", {"n": 1}, scheduled_at=moment, timeout=timedelta(minutes=1))


@app.step
async def naps(ctx: tenure.Context, input: float) -> list[int]:
    """Sleep twice; return the generations that it took."""
    leave(ctx, "started")
    await ctx.sleep(input)
    leave(ctx, "slept")
    await ctx.sleep(input, key="second")
    return [ctx.attempt, ctx.generation]


@app.step
async def swallows_sleep(ctx: tenure.Context, input: float) -> str:
    """Catch what unwinds it."""
    try:
        await ctx.sleep(input)
    except BaseException as error:  # noqa: BLE001 - just this is to be shown
        leave(ctx, "swallowed", type(error).__name__)
    return "returned"


@app.step
async def sleeps_in_group(ctx: tenure.Context, input: float) -> int:
    """Sleep in a task of a group."""
    async with asyncio.TaskGroup() as group:
        group.create_task(ctx.sleep(input))
    return ctx.generation


@app.step
async def listens(ctx: tenure.Context, input: Any) -> list[Any]:
    """Wait for two signals of one name, and for one that never comes."""
    first = await ctx.wait_signal("go")
    second = await ctx.wait_signal("go")
    try:
        await ctx.wait_signal("never", timeout=0.2)
    except TimeoutError:
        return [first, second, "timed out"]
    return []


@app.step
async def ends_itself(ctx: tenure.Context, input: str) -> None:
    """End its own step in its own transaction, by a call of more rights."""
    async with ctx.transaction() as conn:
        await conn.execute("insert into booking values (%s, 'first')", (ctx.step_id,))
        await conn.execute("set local role none")
        if input == "cancel":
            await conn.execute("select tenure.cancel(%s)", (ctx.run_id,))
        else:
            await conn.execute(
                "select tenure.fail(step_id, lease_owner, lease_generation, '{}')"
                " from tenure.step_status where step_id = %s",
                (ctx.step_id,),
            )
        await conn.execute("set local role tenure_worker")


def ends_itself_sync(ctx: tenure.SyncContext, input: str) -> None:
    """Cancel its own step in its own transaction, in a thread or a process."""
    with ctx.transaction() as conn:
        conn.execute("insert into booking values (%s, 'first')", (ctx.step_id,))
        conn.execute("set local role none")
        conn.execute("select tenure.cancel(%s)", (ctx.run_id,))
        conn.execute("set local role tenure_worker")


app.step("ends_itself_thread")(ends_itself_sync)
app.step("ends_itself_process", kind="process")(ends_itself_sync)


@app.step
async def books(ctx: tenure.Context, input: str) -> str:
    """Write business rows in the step's transaction, then do what the input says."""
    async with ctx.transaction() as conn:
        await conn.execute("insert into booking values (%s, 'first')", (ctx.step_id,))
    match input:
        case "fail":
            raise tenure.Permanent("after the booking")
        case "failed block":
            await _failed_block(ctx)
        case "commit":
            async with ctx.transaction() as conn:
                await conn.commit()
        case "nan":
            return float("nan")  # type: ignore[return-value]
        case "nap":
            await ctx.sleep(0.1)
        case "skip":
            raise tenure.Skip("booked by someone else")
        case "gate":
            leave(ctx, "booked")
            await opened(f"books {ctx.step_id}")
        case "inside":
            async with ctx.transaction():
                leave(ctx, "booked")
                await opened(f"books {ctx.step_id}")
        case "deaf":
            leave(ctx, "booked")
            await _deaf(f"books {ctx.step_id}")
    return "booked"


async def _failed_block(ctx: tenure.Context) -> None:
    try:
        async with ctx.transaction() as conn:
            await conn.execute("insert into booking values (%s, 'second')", (ctx.step_id,))
            await conn.execute("select 1 / 0")
    except psycopg.errors.DivisionByZero:
        leave(ctx, "caught")


async def _deaf(gate: str) -> None:
    while True:
        try:
            await opened(gate)
        except asyncio.CancelledError:
            continue
        return


@app.step
async def always_dies(ctx: tenure.Context, input: Any) -> None:
    """Kill the process that it runs in."""
    leave(ctx, "started")
    os.kill(os.getpid(), signal.SIGKILL)


@app.step
async def finishes_when_stopped(ctx: tenure.Context, input: str) -> str:
    """Come to an end early when asked to stop."""
    leave(ctx, "started")
    return "finished early" if await ctx.wait_cancelled() else "never told"


@app.step
async def late_checkpoint(ctx: tenure.Context, input: str) -> None:
    """Write a checkpoint when the gate opens."""
    leave(ctx, "started")
    await opened(input)
    try:
        await ctx.checkpoint("late", 1)
    except tenure.TenureError as error:
        leave(ctx, "refused", type(error).__name__)


@app.step
async def wait_for_file(ctx: tenure.Context, input: str) -> str:
    """Wait for a gate that no database is needed for."""
    leave(ctx, "started")
    while not Path(input).exists():  # noqa: ASYNC110, ASYNC240 - there is nothing else to wait on
        await asyncio.sleep(POLL)
    return "passed"


def books_sync(ctx: tenure.SyncContext, input: str) -> str:
    """Do as `books` does, in a thread or a process."""
    with ctx.transaction() as conn:
        conn.execute("insert into booking values (%s, 'first')", (ctx.step_id,))
    match input:
        case "fail":
            raise tenure.Permanent("after the booking")
        case "failed block":
            with contextlib.suppress(psycopg.errors.DivisionByZero), ctx.transaction() as conn:
                conn.execute("insert into booking values (%s, 'second')", (ctx.step_id,))
                conn.execute("select 1 / 0")
        case "nap":
            ctx.sleep(0.1)
        case "query":
            with ctx.transaction() as conn:
                leave(ctx, "booked")
                conn.execute("select pg_sleep(600)")
        case "sits":
            leave(ctx, "booked")
            while not Path(input).exists():
                time.sleep(POLL)
        case "gate":
            leave(ctx, "booked")
            opened_sync(f"books {ctx.step_id}")
    return "booked"


app.step("books_thread")(books_sync)
app.step("books_process", kind="process")(books_sync)


def remembers_sync(ctx: tenure.SyncContext, input: float) -> list[Any]:
    """Use what the database keeps for a step, in a thread or a process."""
    first = ctx.checkpoint("value", lambda: ctx.generation)
    ctx.sleep(input)
    second = ctx.wait_signal("go")
    ctx.progress({"signal": second})
    return [first, second, ctx.generation, ctx.checkpoint("value", 99)]


app.step("remembers_thread")(remembers_sync)
app.step("remembers_process", kind="process")(remembers_sync)


@contextlib.contextmanager
def tool(ctx: tenure.Context | tenure.SyncContext) -> Iterator[str]:
    """A resource that leaves evidence of how it is left."""
    try:
        yield "tool"
    except BaseException as error:
        leave(ctx, "put away", type(error).__name__)
        raise
    else:
        leave(ctx, "put away")


Tool = Annotated[str, tenure.Resource(tool)]


@app.step
async def uses_async(ctx: tenure.Context, input: str, tool: Tool) -> str:
    """Use it until the gate opens, and hear nothing."""
    leave(ctx, "started")
    try:
        await opened(input)
    finally:
        leave(ctx, "ended")
    return tool


@app.step
def uses_thread(ctx: tenure.SyncContext, input: str, tool: Tool) -> str:
    """Use it until told to stop, or the gate opens."""
    leave(ctx, "started")
    with psycopg.connect(dsn(), autocommit=True) as conn:
        while conn.execute("select from gate where name = %s", (input,)).fetchone() is None:
            if ctx.wait_cancelled(POLL):
                break
    leave(ctx, "ended")
    ctx.raise_if_cancelled()
    return tool


@app.step(kind="process")
def uses_process(ctx: tenure.SyncContext, input: str, tool: Tool) -> str:
    """Use it until the gate opens, and hear nothing."""
    leave(ctx, "started")
    try:
        opened_sync(input)
    finally:
        leave(ctx, "ended")
    return tool
