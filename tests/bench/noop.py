"""The application whose handlers do nothing."""

from __future__ import annotations

import tenure

app = tenure.App()


@app.step
async def noop(ctx: tenure.Context, input: object) -> None:
    """Nothing: what is measured is all around it."""
