"""What the races play with: sessions, the engine's calls as they make them, and who waits for whom."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.support.locks import wait_for_lock
from tests.support.servers import Database
from tests.support.wait import wait_until

Conn = psycopg.Connection[Any]

_LOCKED_STEP = """
select s.step_id
from pg_locks as l
join tenure_private.step as s on s.ctid = format('(%%s,%%s)', l.page, l.tuple)::tid
where l.pid = %s and l.locktype = 'tuple' and l.granted and l.relation = 'tenure_private.step'::regclass
"""


@dataclass(frozen=True, slots=True)
class Lease:
    """A claimed step, as its worker knows it."""

    step_id: int
    generation: int
    owner: str


def rows(conn: Conn, query: LiteralString, *values: object) -> list[tuple[Any, ...]]:
    """Return a query's rows."""
    return conn.execute(query, values).fetchall()


def value(conn: Conn, query: LiteralString, *values: object) -> Any:
    """Return the one value of a query's one row."""
    [row] = rows(conn, query, *values)
    return row[0]


def enqueue(conn: Conn, name: str = "job", **options: object) -> int:
    """Enqueue a step; the options are parameters of `tenure.enqueue`."""
    named = {key: Jsonb(given) if isinstance(given, dict) else given for key, given in options.items()}
    named["name"] = name
    arguments = sql.SQL(", ").join(
        sql.SQL("{} => {}").format(sql.Identifier(key), sql.Placeholder(key)) for key in named
    )
    row = conn.execute(sql.SQL("select tenure.enqueue({})").format(arguments), named).fetchone()
    assert row is not None
    step_id: int = row[0]
    return step_id


def enqueue_batch(conn: Conn, count: int, name: str = "job", **options: object) -> list[int]:
    """Enqueue `count` equal steps."""
    batch = [{"name": name, **options}] * count
    return [step_id for (step_id,) in rows(conn, "select tenure.enqueue_many(%s)", Jsonb(batch))]


def claim(
    conn: Conn,
    owner: str = "w1",
    max_steps: int = 1,
    *,
    ttl: str = "30 s",
    queue: str = "default",
    names: list[str] | None = None,
) -> list[Lease]:
    """Claim steps."""
    claimed = rows(
        conn,
        "select c.step_id, c.generation from tenure.claim(%s, %s, %s, %s, %s) as c",
        [queue], owner, max_steps, ttl, names,
    )  # fmt: skip
    return [Lease(step_id, generation, owner) for step_id, generation in claimed]


def start(conn: Conn, name: str = "job", **options: object) -> Lease:
    """Enqueue a step where no other is due, and claim it."""
    step_id = enqueue(conn, name, **options)
    [lease] = claim(conn)
    assert lease.step_id == step_id
    return lease


def complete(conn: Conn, lease: Lease) -> str:
    """Complete a step."""
    call: LiteralString = "select tenure.complete(%s, %s, %s)"
    return str(value(conn, call, lease.step_id, lease.owner, lease.generation))


def release(conn: Conn, lease: Lease) -> str:
    """Hand a step back."""
    return str(value(conn, "select tenure.release(%s, %s, %s)", lease.step_id, lease.owner, lease.generation))


def fail(conn: Conn, lease: Lease, kind: str = "retryable", retry_after: str | None = None) -> str:
    """Fail a step."""
    return str(
        value(
            conn,
            "select tenure.fail(%s, %s, %s, '{}', %s, %s)",
            lease.step_id, lease.owner, lease.generation, kind, retry_after,
        )
    )  # fmt: skip


def heartbeat(conn: Conn, lease: Lease) -> str:
    """Renew a lease."""
    return str(
        value(
            conn,
            "select h.verdict from tenure.heartbeat(%s, %s, %s) as h",
            lease.step_id, lease.owner, lease.generation,
        )
    )  # fmt: skip


def sleep(conn: Conn, lease: Lease, duration: str) -> str:
    """Sleep."""
    call: LiteralString = "select tenure.sleep(%s, %s, %s, %s)"
    return str(value(conn, call, lease.step_id, lease.owner, lease.generation, duration))


def wait_signal(conn: Conn, lease: Lease, signal: str = "go", timeout: str | None = None) -> str:
    """Wait for a signal."""
    return str(
        value(
            conn,
            "select tenure.wait_signal(%s, %s, %s, %s, %s)",
            lease.step_id, lease.owner, lease.generation, signal, timeout,
        )
    )  # fmt: skip


def send_signal(conn: Conn, run_id: int, signal: str = "go") -> str:
    """Send a signal."""
    return str(value(conn, """select tenure.signal(%s, %s, '"now"')""", run_id, signal))


def cancel(conn: Conn, run_id: int) -> int:
    """Cancel a run; returns how many steps that ended."""
    return int(value(conn, "select tenure.cancel(%s, 'enough')", run_id))


def retry(conn: Conn, step_id: int) -> str:
    """Reopen a discarded step."""
    return str(value(conn, "select tenure.retry(%s)", step_id))


def pause(conn: Conn, run_id: int) -> int:
    """Pause a run; returns how many steps became paused."""
    return int(value(conn, "select tenure.pause(%s)", run_id))


def resume(conn: Conn, run_id: int) -> int:
    """Resume a run; returns how many steps went back to what they were."""
    return int(value(conn, "select tenure.resume(%s)", run_id))


def purge(conn: Conn, max_rows: int = 1000) -> int:
    """Remove runs that have ended."""
    return int(value(conn, "select tenure.purge('0', %s)", max_rows))


def sweep(conn: Conn, max_steps: int = 100) -> tuple[int, int, int, int]:
    """Sweep once; returns how many steps were reclaimed, timed out, discarded, woken."""
    [found] = rows(conn, "select reclaimed, timed_out, discarded, woken from tenure.sweep(%s)", max_steps)
    return found


def state(conn: Conn, step_id: int) -> str:
    """Return a step's state."""
    return str(value(conn, "select s.state from tenure.step_status as s where s.step_id = %s", step_id))


def expire(conn: Conn, *step_ids: int) -> None:
    """Let the leases of running steps be over."""
    conn.execute(
        "select tenure_private.expire_lease(u.id) from unnest(%s::bigint[]) as u (id)", (list(step_ids),)
    )


def make_due(conn: Conn, step_id: int) -> None:
    """Let the sleep or the signal wait of a step be over, as if its time had passed."""
    conn.execute(
        "update tenure_private.step set due_at = tenure_private.clock(), alarm_at = tenure_private.clock()"
        " where step_id = %s",
        (step_id,),
    )


class Stage:
    """Sessions on one database, of which one acts in the background and an observer watches."""

    def __init__(self, database: Database, submit: Callable[..., Future[Any]]) -> None:
        """Open the observer's session."""
        self._database = database
        self._submit = submit
        self.observer = database.connect()

    def session(self) -> Conn:
        """Open a session whose calls commit by themselves."""
        return self._database.connect()

    def holding(self) -> Conn:
        """Open a session that holds its transaction open until its `commit()` or `rollback()`."""
        return self._database.connect(autocommit=False)

    def start(self, call: Callable[..., Any], *values: object) -> Future[Any]:
        """Start a call in the background."""
        return self._submit(call, *values)

    def waits_for_step(self, waiter: Conn, holder: Conn, step_id: int) -> None:
        """Wait until `waiter` waits for this step's row, which `holder` has locked; fail if it never does."""
        wait = wait_for_lock(self.observer, waiter, blocker=holder)
        assert wait.locktype == "transactionid", wait
        locked = rows(self.observer, _LOCKED_STEP, waiter.info.backend_pid)
        assert locked == [(step_id,)], (wait, locked)

    def waits_for_transaction(self, waiter: Conn, holder: Conn) -> None:
        """Wait until `waiter` waits for what `holder` has inserted, and for no row of step."""
        wait = wait_for_lock(self.observer, waiter, blocker=holder)
        assert wait.locktype == "transactionid", wait
        assert rows(self.observer, _LOCKED_STEP, waiter.info.backend_pid) == [], wait

    def passes_by(self, holder: Conn, call: Callable[..., Any], conn: Conn, *values: object) -> Any:
        """Make a call that must not wait: it returns while `holder` still has its transaction open."""
        future = self._submit(call, conn, *values)
        wait_until(future.done, limit=10, what="the call returns without waiting")
        assert holder.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        return future.result()
