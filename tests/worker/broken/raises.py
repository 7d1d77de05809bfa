"""An application that loads where it is named on the command line, and not in the handler process."""

from __future__ import annotations

import sys

import tenure

if "worker" not in sys.argv:
    raise RuntimeError("not twice")

app = tenure.App()


@app.step
async def never(ctx: tenure.Context, input: object) -> None:
    """Never run."""
