"""An application under which the deliveries of one step hang, by a fault of the worker that nobody knows."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import tenure
from tenure.worker import _host
from tenure.worker._execution import Execution
from tenure.worker._outcome import Outcome
from tests.worker import bodies

app = bodies.app


@app.step
async def hangs(ctx: tenure.Context, input: Any) -> None:
    """Never reached."""


_deliver = _host.deliver  # type: ignore[attr-defined]


async def _hang(execution: Execution) -> Outcome:
    while execution.claimed.name == "hangs":
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
    return await _deliver(execution)


_host.deliver = _hang  # type: ignore[attr-defined]
