"""An application whose handlers log, and fail."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import tenure

app = tenure.App()
log = logging.getLogger("shop")


@app.step
def talks(_ctx: tenure.SyncContext, input: str) -> None:
    """Log in a thread of the process that many share."""
    log.info("heard %s", input)


@app.step(kind="process")
def talks_apart(_ctx: tenure.SyncContext, input: str) -> None:
    """Log in a process of its own."""
    log.info("heard %s", input)


@app.step
async def fails(ctx: tenure.Context, _input: Any) -> None:
    """Fail, with an error of two lines."""
    raise ValueError(f"bad luck {ctx.attempt}\nand more")


@app.step
async def oversleeps(_ctx: tenure.Context, _input: Any) -> None:
    """Run into every limit."""
    await asyncio.Event().wait()
