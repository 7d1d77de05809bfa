"""Stop an upgrade near its end."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.support.wait import wait_until

# Until somebody puts a row into public.go.
STOP = """
create table public.go ();
create function public.stop() returns event_trigger language plpgsql security definer as $$
begin
    while not exists (select from public.go) loop
        perform pg_sleep(0.01);
    end loop;
end
$$;
create event trigger stop on ddl_command_end when tag in ('CREATE TRIGGER') execute function public.stop();
"""


def stopped(conn: psycopg.Connection[Any]) -> int:
    """Wait until an upgrade has come to `STOP`; its backend."""
    text = "select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
    row = wait_until(lambda: conn.execute(text).fetchone(), what="the upgrade is near its end")
    assert row is not None
    return int(row[0])
