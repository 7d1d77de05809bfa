"""The demo's application: what its two workers run."""

from __future__ import annotations

import asyncio
from pathlib import Path

import tenure
from tenure.demo._measure import UNREADABLE, Measure, measure

app = tenure.App()


@app.step("demo.measure_file", timeout=60)
async def measure_file(ctx: tenure.Context, input: str) -> Measure:
    """Measure one file; one that cannot be parsed will not parse next time either."""
    del ctx
    try:
        return measure(Path(input))
    except UNREADABLE as error:
        raise tenure.Permanent(str(error)) from error


@app.step("demo.oversleep", timeout=1.5, max_attempts=2, backoff={"kind": "fixed", "base": 0.1, "jitter": 0})
async def oversleep(ctx: tenure.Context, input: None) -> int:
    """Sit past the limit at the first attempt; the second one is quick."""
    del input
    if ctx.attempt == 1:
        await asyncio.Event().wait()
    return ctx.attempt


@app.step("demo.endless")
async def endless(ctx: tenure.Context, input: None) -> None:
    """Run until somebody cancels it."""
    del ctx, input
    await asyncio.Event().wait()
