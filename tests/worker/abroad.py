"""An application that says a letter that not every encoding has, wherever it can say something."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import tenure

app, failing = tenure.App(), tenure.App()

OMEGA = "\N{GREEK CAPITAL LETTER OMEGA}"


@app.step
async def says(ctx: tenure.Context, input: str) -> object:
    """Say it so."""
    match input:
        case "output":
            return OMEGA
        case "error":
            raise ValueError(OMEGA)
        case "permanent":
            raise tenure.Permanent(OMEGA)
        case "skip":
            raise tenure.Skip(OMEGA)
        case "progress":
            ctx.progress(OMEGA)
    return input


@app.step
async def asks(ctx: tenure.Context, input: str) -> object:
    """Ask the database with it."""
    match input:
        case "checkpoint":
            return await ctx.checkpoint("key", OMEGA)
        case "key":
            return await ctx.checkpoint(OMEGA, 1)
        case "child":
            await ctx.start_child("says", OMEGA)
        case "sleep":
            await ctx.sleep(0.1, key=OMEGA)
        case "signal":
            await ctx.wait_signal(OMEGA, timeout=0.1, key="key")
    return input


@app.step
async def books(ctx: tenure.Context, _input: Any) -> str:
    """Say it as the output of a step with a transaction."""
    async with ctx.transaction() as conn:
        await conn.execute("insert into booking values (%s, 'first')", (ctx.step_id,))
    return OMEGA


def books_sync(ctx: tenure.SyncContext, _input: Any) -> str:
    """Do so in a thread or a process."""
    with ctx.transaction() as conn:
        conn.execute("insert into booking values (%s, 'first')", (ctx.step_id,))
    return OMEGA


app.step("books_thread")(books_sync)
app.step("books_process", kind="process")(books_sync)


@failing.step
async def nothing(_ctx: tenure.Context, _input: Any) -> None:
    """Never run."""


@failing.around_worker
async def says_no(_next: Callable[[], Awaitable[None]]) -> None:
    """Say it instead of letting handlers run."""
    raise ValueError(OMEGA)
