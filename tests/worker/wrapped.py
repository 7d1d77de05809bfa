"""An application whose hook has each handler run in a task of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import tenure
from tests.worker.bodies import leave, tool

app = tenure.App()


@app.around
async def in_a_task(ctx: tenure.Context, next: Callable[[], Awaitable[Any]]) -> Any:
    """Wait for what is inside as for anything else."""
    return await asyncio.wait_for(next(), 600)


@app.step(kind="process")
async def blocks(ctx: tenure.Context, input: Any, tool: Annotated[str, tenure.Resource(tool)]) -> None:
    """Block the loop until interrupted."""
    leave(ctx, "started")
    try:
        time.sleep(600)  # noqa: ASYNC251 - it blocks on purpose
    except asyncio.CancelledError:
        leave(ctx, "interrupted", ctx.reason)
        raise
