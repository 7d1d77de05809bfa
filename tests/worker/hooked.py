"""Handlers that write in their step's transaction, inside a hook that looks on."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg

import tenure
from tests.worker.handlers import books_sync, dsn, leave

app = tenure.App()


@app.hook
def looks(ctx: tenure.Context | tenure.SyncContext) -> Iterator[None]:
    """On its way back, tell what others see of the rows; with the header `refuse` it fails then."""
    yield
    with psycopg.connect(dsn(), autocommit=True) as conn:
        row = conn.execute("select count(*) from booking where step_id = %s", (ctx.step_id,)).fetchone()
    leave(ctx, "seen", row and row[0])
    if ctx.headers.get("refuse"):
        raise tenure.Permanent("not like this")


app.step("in_thread")(books_sync)
app.step("in_process", kind="process")(books_sync)


@app.step
async def in_loop(ctx: tenure.Context, input: str) -> str:
    """Write."""
    async with ctx.transaction() as conn:
        await conn.execute("insert into booking values (%s, 'first')", (ctx.step_id,))
    return "booked"
