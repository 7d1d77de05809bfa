"""An application that starts a thread when it is imported, as some libraries do, and never ends it."""

from __future__ import annotations

import threading
import time
from typing import Any

import tenure

app = tenure.App()

threading.Thread(target=time.sleep, args=(600,), name="metrics").start()


@app.step
async def quick(ctx: tenure.Context, input: Any) -> str:
    """Be done at once."""
    return "done"


@app.step(kind="process")
def apart(ctx: tenure.SyncContext, input: Any) -> str:
    """Be done at once, in a process of its own."""
    return "done"
