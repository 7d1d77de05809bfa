"""An application of steps in two queues, for a worker that may use only one of them."""

from __future__ import annotations

import tenure

app = tenure.App()


@app.step(queue="own")
async def allowed(ctx: tenure.Context, input: object) -> str:
    """Runs where its queue may be used."""
    return "done"


@app.step(queue="other")
async def forbidden(ctx: tenure.Context, input: object) -> None:
    """Belongs to somebody else's workers."""
