"""The engine as the scenarios use it: its functions, under a clock that stands still until it is moved."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from tests.workflows.flows import Flow, interval
from tests.workflows.policy import Defaults, Layer, Retry, Timeout

OWNER = "judge"
TTL = "100 days"
EPOCH = datetime(2031, 1, 1, tzinfo=UTC)

# A table is moved faster than a function is replaced.
_CLOCK = """
create table public.moment (at timestamptz not null);
insert into public.moment values ('2031-01-01 00:00:00+00');
grant select on public.moment to public;
create or replace function tenure_private.clock() returns timestamptz
language sql volatile parallel unsafe
as 'select at from public.moment';
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a worker is given."""

    step_id: int
    generation: int
    keys: dict[str, Any]
    time_left: timedelta | None


@dataclass(frozen=True, slots=True)
class Row:
    """What the engine shows of a step."""

    step_id: int
    parent_id: int | None
    node: str | None
    position: int | None
    group_attempt: int | None
    state: str
    attempt: int
    scheduled_at: datetime | None
    lease_generation: int
    output: Any
    error_kind: str | None
    cancel_reason: str | None


class Engine:
    """The functions that a scenario calls, over one connection."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        """Stop the clock."""
        self._conn = conn
        self._keys = 0
        conn.execute(_CLOCK)

    def set_clock(self, now: int) -> None:
        """Move the clock."""
        self._conn.execute("update public.moment set at = %s", (moment(now),))

    def define_step(self, name: str, defaults: Defaults) -> None:
        """Declare what a step name has where its node says nothing."""
        self._value(
            "select tenure.define_step(%s, quota => %s, quota_units => %s, {})",
            [name, defaults.quota, defaults.units],
            defaults.layers,
        )

    def set_quota(self, name: str, capacity: int) -> None:
        """Make a quota, or change its capacity."""
        self._one("select tenure.set_quota(%s, %s)", name, capacity)

    def define_workflow(self, flow: Flow) -> int:
        """Define a workflow; those that it mounts are defined."""
        version: int = self._one("select tenure.define_workflow(%s, %s)", flow.name, Jsonb(flow.json()))
        return version

    def start(self, flow: Flow, value: Any, layers: tuple[Layer, ...]) -> int:
        """Start a run."""
        run_id: int = self._value("select tenure.start(%s, %s, {})", [flow.name, Jsonb(value)], layers)
        return run_id

    def claim(self, name: str | None) -> Claim | None:
        """Claim a step of this name, or of any."""
        with self._conn.cursor(row_factory=class_row(Claim)) as cursor:
            return cursor.execute(
                "select step_id, generation, keys, time_left"
                " from tenure.claim(array['default'], %s, 1, %s, %s::text[])",
                (OWNER, TTL, None if name is None else [name]),
            ).fetchone()

    def heartbeat(self, step_id: int, generation: int) -> tuple[str, timedelta | None]:
        """Renew a lease: the verdict and the time left."""
        row = self._conn.execute(
            "select verdict, time_left from tenure.heartbeat(%s, %s, %s)", (step_id, OWNER, generation)
        ).fetchone()
        assert row is not None
        return row[0], row[1]

    def start_child(self, step_id: int, generation: int, name: str, layers: tuple[Layer, ...]) -> int:
        """Start a step of this name beside a running one: its id."""
        child_id: int = self._value(
            "select tenure.start_child(%s, %s, %s, %s, '{{}}', {})",
            [step_id, OWNER, generation, name],
            layers,
        )
        return child_id

    def stage(self, step_id: int, generation: int, key: str, value: Any) -> str:
        """Stage an output."""
        return self._verdict(
            "select tenure.stage(%s, %s, %s, %s, %s)", step_id, OWNER, generation, key, Jsonb(value)
        )

    def staged(self, step_id: int, generation: int, key: str) -> Any:
        """Read a staged output."""
        return self._one("select tenure.staged(%s, %s, %s, %s)", step_id, OWNER, generation, key)

    def complete(self, step_id: int, generation: int, output: Any) -> str:
        """Report success."""
        return self._verdict(
            "select tenure.complete(%s, %s, %s, %s)", step_id, OWNER, generation, Jsonb(output)
        )

    def skip(self, step_id: int, generation: int) -> str:
        """Report that there was nothing to do."""
        return self._verdict("select tenure.skip(%s, %s, %s, 'nothing')", step_id, OWNER, generation)

    def fail(self, step_id: int, generation: int, kind: str) -> str:
        """Report a failure."""
        return self._verdict(
            "select tenure.fail(%s, %s, %s, '{}', kind => %s)", step_id, OWNER, generation, kind
        )

    def release(self, step_id: int, generation: int) -> str:
        """Hand the step back."""
        return self._verdict("select tenure.release(%s, %s, %s)", step_id, OWNER, generation)

    def sleep(self, step_id: int, generation: int, duration: int) -> str:
        """Sleep, under a key of its own."""
        return self._verdict(
            "select tenure.sleep(%s, %s, %s, %s, %s)",
            step_id, OWNER, generation, interval(duration), self._key(),
        )  # fmt: skip

    def wait_signal(self, step_id: int, generation: int, name: str, timeout: int | None) -> str:
        """Wait for a signal, under a key of its own."""
        limit = None if timeout is None else interval(timeout)
        return self._verdict(
            "select tenure.wait_signal(%s, %s, %s, %s, %s, %s)",
            step_id, OWNER, generation, name, limit, self._key(),
        )  # fmt: skip

    def signal(self, run_id: int, name: str) -> str:
        """Send a signal."""
        return self._verdict("select tenure.signal(%s, %s, '1')", run_id, name)

    def expire_lease(self, step_id: int) -> None:
        """End a lease, as if its worker had died."""
        self._conn.execute("select tenure_private.expire_lease(%s)", (step_id,))

    def cancel(self, run_id: int) -> int:
        """Cancel the run."""
        count: int = self._one("select tenure.cancel(%s, 'cancelled by a client')", run_id)
        return count

    def retry(self, step_id: int) -> str:
        """Reopen what was discarded."""
        return self._verdict("select tenure.retry(%s)", step_id)

    def pause(self, run_id: int) -> int:
        """Pause the run."""
        count: int = self._one("select tenure.pause(%s)", run_id)
        return count

    def resume(self, run_id: int) -> int:
        """Resume the run."""
        count: int = self._one("select tenure.resume(%s)", run_id)
        return count

    def sweep(self) -> None:
        """Sweep until a pass finds nothing to move."""
        while self._one("select reclaimed + timed_out + discarded + woken > 0 from tenure.sweep(1000)"):
            pass

    def rows(self, run_id: int) -> list[Row]:
        """Return every step of a run, oldest first."""
        with self._conn.cursor(row_factory=class_row(Row)) as cursor:
            return cursor.execute(
                "select step_id, parent_id, node, position, group_attempt, state, attempt, scheduled_at,"
                " lease_generation, output, error_kind, cancel_reason"
                " from tenure.step_status where run_id = %s order by step_id",
                (run_id,),
            ).fetchall()

    def result(self, run_id: int) -> Any:
        """Return a run's output."""
        return self._one("select tenure.result(%s)", run_id)

    def _key(self) -> str:
        self._keys += 1
        return f"k{self._keys}"

    def _verdict(self, statement: str, *values: Any) -> str:
        verdict: str = self._one(statement, *values)
        return verdict

    def _value(self, statement: str, values: list[Any], layers: tuple[Layer, ...]) -> Any:
        """Call a function with the named arguments that say the same as these layers."""
        options = _options(layers)
        names = ", ".join(f"{name} => %s" for name in options)
        return self._one(statement.format(names).replace(", )", ")"), *values, *options.values())

    def _one(self, statement: str, *values: Any) -> Any:
        row = self._conn.execute(statement.encode(), values).fetchone()
        assert row is not None
        return row[0]


def _options(layers: tuple[Layer, ...]) -> dict[str, Any]:
    """The everyday shape: a deadline, attempts with their delay, a timeout."""
    options: dict[str, Any] = {}
    for layer in layers:
        if isinstance(layer, Retry):
            options["max_attempts"] = layer.attempts
            options["backoff"] = Jsonb({"kind": "fixed", "base": layer.delay / 1_000_000, "jitter": 0})
        elif isinstance(layer, Timeout):
            options[layer.kind] = interval(layer.limit)
    return options


def moment(now: int) -> datetime:
    """The engine's time at a moment of the model."""
    return EPOCH + timedelta(microseconds=now)
