"""An application for the tests of the command line and of the test helpers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import tenure

app = tenure.App()

not_an_app = "text"


@dataclass
class Order:
    id: int
    express: bool = False


@app.step(timeout=20, max_attempts=3)
async def ship(ctx: tenure.Context, order: Order) -> dict[str, Any]:
    """Ship an order."""
    return {"id": order.id, "express": order.express, "attempt": ctx.attempt}


@app.step(max_attempts=2, backoff={"kind": "fixed", "base": 0})
async def flaky(ctx: tenure.Context, input: Any) -> str:
    """Fail once."""
    if ctx.attempt == 1:
        raise ValueError("not yet")
    return "done"


@app.step(max_attempts=5)
async def hopeless(ctx: tenure.Context, input: Any) -> None:
    """Fail for good."""
    raise tenure.Permanent("no such order")


@app.step
async def nothing_to_do(ctx: tenure.Context, input: Any) -> None:
    """Skip."""
    raise tenure.Skip("out of stock")


@app.step
async def patient(ctx: tenure.Context, input: Any) -> list[Any]:
    """Sleep an hour, then wait for a signal."""
    await ctx.sleep(3600)
    answer = await ctx.wait_signal("answer")
    ctx.progress({"answer": answer})
    return [await ctx.checkpoint("first", answer), await ctx.checkpoint("first", "another")]


@app.step
async def nested(ctx: tenure.Context, input: Any) -> int:
    """Enqueue another step in the handler's transaction."""
    async with ctx.transaction() as conn:
        run = await ship.aenqueue(Order(id=1), conn=conn)
    return run.id


@app.step(timeout=0.3, max_attempts=1)
async def endless(ctx: tenure.Context, input: Any) -> None:
    """Wait for what never comes."""
    await asyncio.Event().wait()
