"""Applications whose hooks around the worker are wrong."""

from __future__ import annotations

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
