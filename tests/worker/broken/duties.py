"""Applications under which a duty of the supervisor comes to an end as soon as a handler reports progress."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import tenure
from tenure.worker._progress import Progress

app = raises = returns = cancelled = tenure.App()


@app.step
async def sits(ctx: tenure.Context, input: Any) -> None:
    """Say so, and wait to be told."""
    ctx.progress("here")
    await ctx.wait_cancelled()
    ctx.raise_if_cancelled()


async def _run(self: Progress) -> None:
    await self._bell.wait(None)
    if sys.argv[2].endswith(":raises"):
        raise ValueError("a fault of its own")
    if sys.argv[2].endswith(":cancelled"):
        raise asyncio.CancelledError


Progress.run = _run  # type: ignore[method-assign]
