"""Handlers that leave no evidence in a database: there is none."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import tenure

app = tenure.App()


@app.step
async def blocks_loop(ctx: tenure.Context, input: Any) -> None:
    """Say that it is there, and block the loop."""
    ctx.progress("here")
    await asyncio.sleep(0.1)
    time.sleep(600)  # noqa: ASYNC251 - it blocks on purpose


@app.step
def sits(ctx: tenure.SyncContext, input: Any) -> None:
    """Say that it is there, and listen to nobody."""
    ctx.progress("here")
    while True:
        try:
            time.sleep(600)
        except BaseException:  # noqa: BLE001, S112 - just this is its fault
            continue
