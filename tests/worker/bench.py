"""What a test does with the database beside the worker: enqueue, look, open gates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from psycopg.rows import dict_row

from tests.support.servers import Database
from tests.support.wait import wait_until

_TABLES = """
create table trace (
    id bigint generated always as identity primary key,
    step_id bigint not null, generation bigint not null, attempt int not null, pid int not null,
    event text not null, value text, at timestamptz not null default clock_timestamp()
);
create table gate (name text primary key);
create table booking (step_id bigint not null, what text not null);
grant insert, select on booking to tenure_worker;
"""

_CONNECTIONS = """
from pg_stat_activity
where datname = current_database()
and application_name in ('tenure worker', 'tenure heartbeats', 'tenure listener')
"""

_SLOW_COMMIT = """
create or replace function wait() returns trigger language plpgsql security definer as $$
begin
    perform set_config('lock_timeout', '0', true);
    perform pg_advisory_xact_lock_shared(1);
    return null;
end
$$;
create constraint trigger slow_STATE after update on tenure_private.step deferrable initially deferred
for each row when (new.state = 'STATE') execute function wait();
"""

TERMINAL = {"completed", "skipped", "discarded", "cancelled"}


@dataclass(frozen=True, slots=True)
class Trace:
    """What a handler said of itself."""

    step_id: int
    generation: int
    attempt: int
    pid: int
    event: str
    value: str


class Bench:
    """The database of one test."""

    def __init__(self, database: Database) -> None:
        """Make the tables of evidence."""
        self.database = database
        self.conn = database.connect()
        self.conn.execute(_TABLES)

    def reconnect(self) -> None:
        """Go on after the server has restarted."""
        self.conn = self.database.connect()

    @contextmanager
    def slow_commit_of(self, state: str) -> Iterator[Callable[[], bool]]:
        """Let transactions that bring a step into this state wait, for as long as the block runs, to commit.

        The block gets a function that tells whether one waits.
        """
        self.conn.execute(_SLOW_COMMIT.replace("STATE", state).encode())
        self.conn.execute("select pg_advisory_lock(1)")
        waiting = "select count(*) > 0 from pg_locks where locktype = 'advisory' and not granted"
        try:
            yield lambda: bool(self.value(waiting))
        finally:
            self.conn.execute("select pg_advisory_unlock(1)")

    def kill_connections(self) -> int:
        """End every connection of the workers themselves; how many there were."""
        return int(self.value(f"select count(pg_terminate_backend(pid)) {_CONNECTIONS}"))

    def connections(self) -> int:
        """How many connections the workers themselves have."""
        return int(self.value(f"select count(*) {_CONNECTIONS}"))

    def enqueue(self, name: str, input: Any = None, **options: Any) -> int:
        """Enqueue by SQL; options are parameters of `tenure.enqueue`, numbers stand for seconds where due."""
        values = {key: _value(value) for key, value in options.items()}
        named = "".join([f", {key} => %({key})s" for key in values])
        text = f"select tenure.enqueue(name => %(name)s, input => %(input)s::jsonb{named})"
        row = self.conn.execute(
            text.encode(), {"name": name, "input": json.dumps(input), **values}
        ).fetchone()
        assert row is not None
        return int(row[0])

    def step(self, step_id: int) -> dict[str, Any]:
        """The step as its view shows it."""
        with self.conn.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute("select * from tenure.step_status where step_id = %s", (step_id,)).fetchone()
        assert row is not None
        return row

    def lose(self, step_id: int) -> None:
        """Let the lease of a step end, and the step go back: at once, for a heartbeat might renew it."""

        def reclaimed() -> bool:
            with self.conn.transaction():
                self.conn.execute("select tenure_private.expire_lease(%s)", (step_id,))
                return bool(self.value("select reclaimed from tenure.sweep()"))

        wait_until(reclaimed, what=f"step {step_id} is reclaimed")

    def ended(self, step_id: int) -> dict[str, Any]:
        """Wait until the step has ended; the step."""
        wait_until(lambda: self.step(step_id)["state"] in TERMINAL, what=f"step {step_id} ends")
        return self.step(step_id)

    def in_state(self, step_id: int, state: str) -> dict[str, Any]:
        """Wait until the step is in this state; the step."""
        wait_until(lambda: self.step(step_id)["state"] == state, what=f"step {step_id} is {state}")
        return self.step(step_id)

    def traces(self, step_id: int, event: str) -> list[Trace]:
        """The evidence of this kind, in order."""
        rows = self.conn.execute(
            "select step_id, generation, attempt, pid, event, value from trace"
            " where step_id = %s and event = %s order by id",
            (step_id, event),
        ).fetchall()
        return [Trace(*row) for row in rows]

    def traced(self, step_id: int, event: str, times: int = 1) -> list[Trace]:
        """Wait for evidence; the evidence."""

        def there() -> list[Trace] | None:
            found = self.traces(step_id, event)
            return found if len(found) >= times else None

        found = wait_until(there, what=f"step {step_id} says {event}")
        assert found is not None
        return found

    def open(self, gate: str) -> None:
        """Let handlers pass that wait for this gate."""
        self.conn.execute("insert into gate values (%s)", (gate,))

    def value(self, text: str, *parameters: Any) -> Any:
        """The one value of a query."""
        row = self.conn.execute(text.encode(), parameters).fetchone()
        assert row is not None
        return row[0]

    def listening(self, workers: int = 1) -> None:
        """Wait until so many workers are idle, so that an enqueue has somebody to wake."""
        wait_until(
            lambda: self.value("select count(*) from tenure.worker_status where idle") >= workers,
            what="the workers are idle",
        )


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value)
    return timedelta(seconds=value) if isinstance(value, float) else value
