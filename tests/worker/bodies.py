"""Handlers of each kind that do not behave: they ignore, block, die, fork and leave."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import multiprocessing
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import psycopg

import tenure
from tests.worker.handlers import dsn

app = tenure.App()

POLL = 0.01


def leave(ctx: tenure.Context | tenure.SyncContext, event: str, value: object = None) -> None:
    """Leave evidence."""
    with psycopg.connect(dsn(), autocommit=True) as conn:
        conn.execute(
            "insert into trace (step_id, generation, attempt, pid, event, value)"
            " values (%s, %s, %s, %s, %s, %s)",
            (ctx.step_id, ctx.generation, ctx.attempt, os.getpid(), event, str(value)),
        )


def opened(name: str) -> bool:
    """Whether the test has opened the gate."""
    with psycopg.connect(dsn(), autocommit=True) as conn:
        return conn.execute("select from gate where name = %s", (name,)).fetchone() is not None


def hold(name: str) -> None:
    """Wait for the gate, and listen to nobody."""
    while True:
        try:
            while not opened(name):
                time.sleep(POLL)
        except BaseException:  # noqa: BLE001, S112 - just this is its fault
            continue
        return


def hold_interpreter(seconds: int) -> None:
    """Sleep in C without letting go of the interpreter: no other thread runs meanwhile."""
    ctypes.PyDLL(None).sleep(seconds)


# -- processes -----------------------------------------------------------------------------------------


@app.step(kind="process")
def works(ctx: tenure.SyncContext, input: str) -> dict[str, Any]:
    """Wait for the gate and tell where it ran."""
    leave(ctx, "started")
    while not opened(input):
        if ctx.wait_cancelled(POLL):
            leave(ctx, "stopped", ctx.reason)
            raise RuntimeError("stopped")
    main = threading.current_thread() is threading.main_thread()
    return {"pid": os.getpid(), "group": os.getpgid(0), "session": os.getsid(0), "main": main}


@app.step(kind="process")
async def works_async(ctx: tenure.Context, input: str) -> int:
    """Run on a loop in a process of its own."""
    await asyncio.sleep(0)
    return os.getpid()


@asynccontextmanager
async def tool(ctx: tenure.Context) -> AsyncIterator[str]:
    """Something that takes a moment to put away."""
    try:
        yield "tool"
    finally:
        await asyncio.sleep(POLL)
        leave(ctx, "put away", ctx.reason)


@app.step(kind="process")
async def blocks_apart(
    ctx: tenure.Context, input: str, tool: Annotated[str, tenure.Resource(tool)]
) -> dict[str, Any]:
    """Block its own loop until the gate opens or it is interrupted; with `deaf` ahead it goes on then.

    With `child` or `callback` ahead it does so in a task or a callback of its own.
    """

    def block() -> None:
        while not opened(input):
            try:
                time.sleep(600 if input.endswith("never") else POLL)
            except asyncio.CancelledError:
                leave(ctx, "interrupted", ctx.reason)
                if not input.startswith("deaf"):
                    raise

    async def block_in_task() -> None:
        block()

    await asyncio.sleep(0)
    leave(ctx, "started")
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    if input.startswith("child"):
        async with asyncio.TaskGroup() as group:
            group.create_task(block_in_task())
    elif input.startswith("callback"):
        asyncio.get_running_loop().call_soon(block)
        await asyncio.sleep(600)
    else:
        block()
    return {"main": threading.current_thread() is threading.main_thread(), "pid": os.getpid()}


@app.step(kind="process")
def ignores(ctx: tenure.SyncContext, input: str) -> str:
    """Swallow whatever it is told."""
    leave(ctx, "started")
    hold(input)
    return "late"


def scribble(ctx: tenure.Context | tenure.SyncContext) -> None:
    """Write to whatever is open: standard error, connections and the supervisor's pipe."""
    leave(ctx, "started")
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"garbage\n")


@app.step
def scribbles(ctx: tenure.SyncContext, input: Any) -> None:
    """Do so in the process that many share, and hold on."""
    scribble(ctx)
    hold("never")


@app.step(kind="process")
def scribbles_apart(ctx: tenure.SyncContext, input: Any) -> None:
    """Do so in a process of its own, and hold on."""
    scribble(ctx)
    hold("never")


@app.step(kind="process")
def holds(ctx: tenure.SyncContext, input: Any) -> None:
    """Block in C for ever, with the interpreter held: no signal but SIGKILL ends that."""
    leave(ctx, "started")
    mutex = ctypes.create_string_buffer(256)
    for _ in range(2):
        ctypes.PyDLL(None).pthread_mutex_lock(mutex)


@app.step(kind="process")
def dies(ctx: tenure.SyncContext, input: Any) -> str:
    """Die by a signal, the first time."""
    leave(ctx, "started")
    if ctx.generation == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


@app.step(kind="process")
def always_dies(ctx: tenure.SyncContext, input: str) -> None:
    """Die by a signal, each time, as soon as the gate is open."""
    leave(ctx, "started")
    while not opened(input):
        time.sleep(POLL)
    os.kill(os.getpid(), signal.SIGKILL)


@app.step(kind="process")
def unwinds(ctx: tenure.SyncContext, input: Any) -> None:
    """Sleep through everything but a signal, and clean up on the way out."""
    leave(ctx, "started")
    try:
        time.sleep(600)
    finally:
        leave(ctx, "finally", ctx.reason)


@app.step(kind="process")
def ignores_with_program(ctx: tenure.SyncContext, input: str) -> None:
    """Swallow whatever it is told, beside a program that writes down in a file that it got SIGTERM."""
    command = "trap 'echo told > \"$0\"' TERM; echo ready; while :; do sleep 600 & wait; done"
    with subprocess.Popen(["sh", "-c", command, input], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        leave(ctx, "started")
        hold("never")


@app.step(kind="process")
def forks(ctx: tenure.SyncContext, input: dict[str, Any]) -> None:
    """Fork a child that ignores SIGTERM, with `leave` in a session of its own; then sit.

    With `daemon` it is a grandchild whose parent has gone. With `die` it dies first, with `stop` it stops
    when it is told to.
    """
    leave(ctx, "started", daemon() if input.get("daemon") else spare(ctx, away=input.get("leave", False)))
    if input.get("die"):
        os.kill(os.getpid(), signal.SIGKILL)
    if input.get("stop"):
        ctx.wait_cancelled()
        ctx.raise_if_cancelled()
    hold("never")


@app.step(kind="process")
def forks_and_returns(ctx: tenure.SyncContext, input: Any) -> list[int]:
    """Fork a child that stays in the group, and be done."""
    return [os.getpid(), spare(ctx, away=False)]


def daemon() -> int:
    """Leave a process behind as daemons do: fork, a session of its own, fork, and the parent ends."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        if (grandchild := os.fork()) != 0:
            os.write(theirs, str(grandchild).encode())
            os._exit(0)
        while True:
            time.sleep(600)
    os.waitpid(child, 0)
    return int(os.read(ours, 20))


# -- threads -------------------------------------------------------------------------------------------


@app.step(kind="thread")
def sits(ctx: tenure.SyncContext, input: str) -> str:
    """Sit in a thread until the gate opens, and listen to nobody."""
    leave(ctx, "started")
    hold(input)
    leave(ctx, "returned", ctx.reason)
    return "late"


@app.step(kind="thread")
def books_late(ctx: tenure.SyncContext, input: str) -> None:
    """Listen to nobody until the gate opens, and then ask for the transaction."""
    leave(ctx, "started")
    hold(input)
    try:
        with ctx.transaction() as conn:
            conn.execute("insert into booking values (%s, 'late')", (ctx.step_id,))
    except RuntimeError as error:
        leave(ctx, "refused", error)


@app.step
async def books_behind(ctx: tenure.Context, input: str) -> str:
    """Leave a task behind that asks for the transaction when the gate opens."""

    async def book() -> None:
        while not opened(input):  # noqa: ASYNC110 - there is nothing else to wait on
            await asyncio.sleep(POLL)
        try:
            async with ctx.transaction() as conn:
                await conn.execute("insert into booking values (%s, 'late')", (ctx.step_id,))
        except RuntimeError as error:
            leave(ctx, "refused", error)

    BEHIND.append(asyncio.create_task(book()))
    return "gone"


BEHIND: list[asyncio.Task[None]] = []


async def swallow() -> None:
    """Swallow each cancellation."""
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(600)


@app.step
async def leaves_a_task(ctx: tenure.Context, input: Any) -> str:
    """Leave one behind that does not end."""
    BEHIND.append(asyncio.create_task(swallow()))
    return "gone"


@app.step(kind="process")
async def leaves_a_task_apart(ctx: tenure.Context, input: Any) -> str:
    """Do so in a process of its own."""
    BEHIND.append(asyncio.create_task(swallow()))
    return "gone"


@app.step(kind="thread")
def sleeps(ctx: tenure.SyncContext, input: float) -> str:
    """Block its thread."""
    time.sleep(input)
    return "slept"


@app.step(kind="thread")
def holds_in_thread(ctx: tenure.SyncContext, input: int) -> str:
    """Hold the interpreter of the process that it shares."""
    leave(ctx, "started")
    hold_interpreter(input)
    return "held"


@app.step(kind="thread")
def dies_in_thread(ctx: tenure.SyncContext, input: Any) -> str:
    """Die by a signal, the first time."""
    leave(ctx, "started")
    if ctx.generation == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def spare(ctx: tenure.Context | tenure.SyncContext, *, away: bool) -> int:
    """Fork a child that ignores SIGTERM, with `away` in a session of its own."""
    child = os.fork()
    if child == 0:
        if away:
            os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(600)
    return child


@app.step(kind="thread")
def forks_in_thread(ctx: tenure.SyncContext, input: bool) -> int:
    """Fork, and be done."""
    return spare(ctx, away=input)


@app.step
async def forks_in_loop(ctx: tenure.Context, input: bool) -> int:
    """Fork, and be done."""
    return spare(ctx, away=input)


@app.step(kind="thread")
def listens(ctx: tenure.SyncContext, input: str) -> str:
    """Return when told."""
    leave(ctx, "started")
    ctx.wait_cancelled()
    leave(ctx, "stopped", ctx.reason)
    return "stopped early"


# -- the loop ------------------------------------------------------------------------------------------


@app.step
async def waits(ctx: tenure.Context, input: str) -> str:
    """Wait for the gate."""
    leave(ctx, "started")
    try:
        while not opened(input):  # noqa: ASYNC110 - there is nothing else to wait on
            await asyncio.sleep(POLL)
    except asyncio.CancelledError:
        leave(ctx, "stopped", ctx.reason)
        raise
    return "passed"


@app.step
async def sits_aside(ctx: tenure.Context, input: str) -> str:
    """Have a thread of the loop's sit until the gate opens."""
    leave(ctx, "started")

    def sit() -> str:
        hold(input)
        leave(ctx, "returned")
        return "late"

    return await asyncio.to_thread(sit)


@app.step
async def holds_all(ctx: tenure.Context, input: int) -> str:
    """Hold the interpreter of the process that it shares."""
    leave(ctx, "started")
    hold_interpreter(input)
    return "held"


@app.step
async def sits_on_loop(ctx: tenure.Context, input: str) -> None:
    """Block the loop that it shares until the gate opens."""
    leave(ctx, "started")
    hold(input)


async def leaves() -> None:
    """Leave the program, as argparse does on a bad argument."""
    raise SystemExit(2)


@app.step
async def wrecks_loop(ctx: tenure.Context, input: str) -> str:
    """Stop the loop that it shares, exit in a task, or cancel all else that runs there; the first time."""
    leave(ctx, "started")
    if ctx.generation > 1:
        return "well"
    if input == "stop":
        asyncio.get_running_loop().stop()
    elif input == "exit":
        BEHIND.append(asyncio.create_task(leaves()))
    elif input == "wait for exit":
        await asyncio.wait_for(leaves(), 600)
    else:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(600)
    await asyncio.sleep(0.1)
    return "well"


@app.step
async def blocks_loop(ctx: tenure.Context, input: float) -> str:
    """Block the loop that it shares."""
    leave(ctx, "started")
    time.sleep(input)  # noqa: ASYNC251 - it blocks on purpose
    return "blocked"


@app.step
async def state(ctx: tenure.Context, input: Any) -> Any:
    """What the hooks around the worker have made."""
    return SHARED


# -- what is said after the word to stop ---------------------------------------------------------------


def goes_on_sync(ctx: tenure.SyncContext, input: float) -> str:
    """Return so many seconds after it was told to stop, whatever interrupts it; in a thread or a process."""
    leave(ctx, "started")
    ctx.wait_cancelled()
    until = time.monotonic() + input
    while (left := until - time.monotonic()) > 0:
        with contextlib.suppress(BaseException):
            time.sleep(left)
    return f"told: {ctx.reason}"


async def goes_on(ctx: tenure.Context, input: float) -> str:
    """Do so on the loop that many share, or in a process of its own."""
    leave(ctx, "started")
    await ctx.wait_cancelled()
    until = time.monotonic() + input
    while (left := until - time.monotonic()) > 0:
        with contextlib.suppress(BaseException):
            await asyncio.sleep(left)
    return f"told: {ctx.reason}"


app.step("goes_on_in_loop")(goes_on)
app.step("goes_on_in_thread")(goes_on_sync)
app.step("goes_on_apart", kind="process")(goes_on_sync)
app.step("goes_on_apart_in_loop", kind="process")(goes_on)


def compute() -> list[int]:
    """Use processes of the library's own, and end them as it does: by SIGTERM."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(abs, [-1, -2])


@app.step
def computes(ctx: tenure.SyncContext, input: Any) -> list[int]:
    """Do so in a thread."""
    return compute()


@app.step(kind="process")
def computes_apart(ctx: tenure.SyncContext, input: Any) -> list[int]:
    """Do so in a process of its own."""
    return compute()


# -- connections ---------------------------------------------------------------------------------------


def connections() -> int:
    """How many descriptors of this process lead to a PostgreSQL server."""
    found = 0
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if str(entry.readlink()).startswith("socket:"):
                with socket.socket(fileno=os.dup(int(entry.name))) as end:
                    found += ".s.PGSQL." in str(end.getpeername())
    return found


def look(ctx: tenure.SyncContext) -> list[Any]:
    """Connections before, and in the transaction; what that one is called."""
    before = connections()
    with ctx.transaction() as conn:
        return [before, connections(), conn.info.get_parameters()["application_name"]]


@app.step
def looks(ctx: tenure.SyncContext, input: Any) -> list[Any]:
    """Look in a thread."""
    return look(ctx)


@app.step(kind="process")
def looks_apart(ctx: tenure.SyncContext, input: Any) -> list[Any]:
    """Look in a process of its own."""
    return look(ctx)


@app.step
async def looks_on_loop(ctx: tenure.Context, input: Any) -> list[Any]:
    """Look on the loop."""
    before = connections()
    async with ctx.transaction() as conn:
        return [before, connections(), conn.info.get_parameters()["application_name"]]


# -- around the worker ---------------------------------------------------------------------------------

SHARED: dict[str, Any] = {}


def note(event: str) -> None:
    """Leave evidence that belongs to no step."""
    with psycopg.connect(dsn(), autocommit=True) as conn:
        conn.execute(
            "insert into trace (step_id, generation, attempt, pid, event) values (0, 0, 0, %s, %s)",
            (os.getpid(), event),
        )


@asynccontextmanager
async def pool() -> AsyncIterator[str]:
    """Something that handlers share."""
    note("opened")
    yield "open"
    note("closed")


@app.around_worker
async def with_pool(next: Callable[[], Awaitable[None]]) -> None:
    """Open it for as long as handlers run."""
    async with pool() as made:
        SHARED["pool"] = made
        await next()
