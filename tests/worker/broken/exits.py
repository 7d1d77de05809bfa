"""An application whose import ends the handler process."""

from __future__ import annotations

import os
import sys

import tenure

if "worker" not in sys.argv:
    os._exit(7)

app = tenure.App()


@app.step
async def never(ctx: tenure.Context, input: object) -> None:
    """Never run."""
