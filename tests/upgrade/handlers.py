"""What the workers of both versions run: only what the older package has, too."""

from __future__ import annotations

import asyncio
import os
from importlib.metadata import version

import psycopg

import tenure

app = tenure.App()

POLL = 0.01


@app.step
async def note(ctx: tenure.Context, input: object) -> None:
    """Write a row in the transaction that completes the step."""
    async with ctx.transaction() as conn:
        await conn.execute(
            "insert into public.done (step_id, package) values (%s, %s)", (ctx.step_id, version("tenure"))
        )


@app.step
async def wait(ctx: tenure.Context, input: str) -> str:
    """Wait until the test opens the gate of this name; answer who waited."""
    async with await psycopg.AsyncConnection.connect(os.environ["TRACE_DSN"], autocommit=True) as conn:
        while True:
            cursor = await conn.execute("select from gate where name = %s", (input,))
            if await cursor.fetchone() is not None:
                return version("tenure")
            await asyncio.sleep(POLL)
