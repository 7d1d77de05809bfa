"""Applications whose hooks around the worker are wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import tenure

Next = Callable[[], Awaitable[None]]

fails_app, twice_app, never_app = tenure.App(), tenure.App(), tenure.App()

for app in (fails_app, twice_app, never_app):

    @app.step
    async def nothing(ctx: tenure.Context, input: object) -> None:
        """Return nothing."""


@fails_app.around_worker
async def fails(next: Next) -> None:
    """Fail before handlers can run."""
    raise ValueError("no pool today")


@twice_app.around_worker
async def twice(next: Next) -> None:
    """Want to run them again when they have ended."""
    await next()
    await next()


@never_app.around_worker
async def never(next: Next) -> None:
    """Forget about the rest."""


late_app, at_work = tenure.App(), asyncio.Event()


@late_app.around_worker
async def late(next: Next) -> None:
    """Fail while a handler is at work."""
    serving = asyncio.ensure_future(next())
    await at_work.wait()
    serving.cancel()
    raise ValueError("the pool is gone")


@late_app.step
async def sits(ctx: tenure.Context, input: object) -> None:
    """Be at work."""
    at_work.set()
    await ctx.wait_cancelled()
