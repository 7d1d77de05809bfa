"""An upgrade touches no step: what was there is there, and goes on."""

from __future__ import annotations

from typing import Any

import psycopg

from tenure.migrate import migrate
from tests.support.servers import Database

PREPARED = """
select tenure.create_queue('slow', 'delivery', retention => '3 days');
select tenure.define_step('t', timeout => '10 minutes');
select tenure.alter_queue('default', retention => '90 days');
update tenure_private.setting set bytes = 2097152 where name = 'input';
select tenure.enqueue('t', queue => 'default') from generate_series(1, 8);
select tenure.enqueue('t', queue => 'slow', delay => '1 hour', idempotency_key => 'k');
select tenure.claim('{default}', 'w', 6);
select tenure.complete(1, 'w', 1, '"done"');
select tenure.sleep(2, 'w', 1, '1 hour');
select tenure.wait_signal(3, 'w', 1, 'paid');
select tenure.fail(4, 'w', 1, '"no"', 'permanent');
select tenure.cancel(7);
select tenure.checkpoint(5, 'w', 1, 'c', '1');
select tenure.pause(8);
"""

TABLES = ["step", "track", "queue", "definition", "setting", "idempotency", "attempt", "wait", "checkpoint"]


def columns(conn: psycopg.Connection[Any]) -> dict[str, str]:
    """Return the tables' columns, as lists for `select`."""
    text = """
        select string_agg(format('t.%%I', a.attname), ', ' order by a.attnum) from pg_attribute as a
        where a.attrelid = %s::regclass and a.attnum > 0 and not a.attisdropped"""
    found = {name: conn.execute(text, (f"tenure_private.{name}",)).fetchone() for name in TABLES}
    return {name: row[0] for name, row in found.items() if row is not None}


def rows(conn: psycopg.Connection[Any], listed: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    """Return these columns of every row, with its place: what was written anew lies elsewhere."""
    return {
        name: conn.execute(
            f"select t.ctid::text, {list_} from tenure_private.{name} as t order by 1".encode()  # noqa: S608
        ).fetchall()
        for name, list_ in listed.items()
    }


def one(conn: psycopg.Connection[Any], text: str) -> Any:
    """Return the one value."""
    row = conn.execute(text.encode()).fetchone()
    assert row is not None
    return row[0]


def test_live_leases_survive(old_database: Database) -> None:
    """R-215: no row of a step is written, and whoever held a lease holds it."""
    conn = old_database.connect()
    conn.execute(PREPARED)
    listed = columns(conn)
    before = rows(conn, listed)
    assert {row[0] for row in conn.execute("select state from tenure.step_status").fetchall()} >= {
        "running", "completed", "waiting_timer", "waiting_signal", "discarded", "cancelled", "paused"
    }  # fmt: skip
    migrate(conn)
    assert rows(conn, listed) == before
    assert conn.execute("select reclaimed, timed_out, discarded, woken from tenure.sweep()").fetchone() == (
        0, 0, 0, 0
    )  # fmt: skip
    assert one(conn, "select verdict from tenure.heartbeat(5, 'w', 1)") == "renewed"
    assert one(conn, "select tenure.checkpoint(5, 'w', 1, 'c', '2')") == 1
    assert one(conn, "select tenure.complete(5, 'w', 1)") == "completed"
    assert one(conn, "select tenure.release(6, 'w', 1)") == "released"
    assert one(conn, "select tenure.signal(3, 'paid')") == "delivered"
    assert one(conn, "select tenure.complete(1, 'w', 1, '\"done\"')") == "completed"
    assert one(conn, "select tenure.resume(8)") == 1
    claimed = conn.execute("select step_id from tenure.claim('{default}', 'v', 10) order by 1").fetchall()
    assert claimed == [(3,), (6,), (8,)]
    assert one(conn, "select tenure.enqueue('t', idempotency_key => 'k')") == 9
