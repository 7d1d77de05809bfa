"""How many pages a call touches, those of the functions it calls included."""

from __future__ import annotations

from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from tests.races.stage import Conn, rows

WARM_UPS = 6  # after the fifth execution PostgreSQL may choose a generic plan


def buffers(conn: Conn, call: LiteralString, *values: object) -> int:
    """Return the pages that one execution of a call touches; what it did is rolled back."""
    with conn.transaction(force_rollback=True):
        for _ in range(WARM_UPS):
            with conn.transaction(force_rollback=True):
                conn.execute(call, values)
        [(report,)] = rows(conn, "explain (analyze, buffers, format json) " + call, *values)
    plan: dict[str, Any] = report[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def load(conn: Conn, count: int, name: str, **options: object) -> None:
    """Enqueue very many steps."""
    conn.execute(
        "select count(*) from tenure.enqueue_many((select jsonb_agg(%s::jsonb) from generate_series(1, %s)))",
        (Jsonb({"name": name, **options}), count),
    )
