"""Who waits for whom: a race's test shows the wait that it is about, or it shows nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import class_row

from tests.support.wait import wait_until

_WAITS = """
select l.pid, l.locktype, l.mode, coalesce(l.relation::regclass::text, '') as relation,
    pg_blocking_pids(l.pid) as blockers, a.query
from pg_locks as l
join pg_stat_activity as a on a.pid = l.pid
where not l.granted and a.datname = current_database()
order by l.pid
"""


@dataclass(frozen=True, slots=True)
class LockWait:
    """One session that waits for a lock."""

    pid: int
    locktype: str
    mode: str
    relation: str
    blockers: list[int]
    query: str


def lock_waits(observer: psycopg.Connection[Any]) -> list[LockWait]:
    """Return every ungranted lock in the observer's database."""
    with observer.cursor(row_factory=class_row(LockWait)) as cursor:
        return cursor.execute(_WAITS).fetchall()


def wait_for_lock(
    observer: psycopg.Connection[Any],
    waiter: psycopg.Connection[Any],
    *,
    blocker: psycopg.Connection[Any] | None = None,
    limit: float = 30.0,
) -> LockWait:
    """Wait until `waiter` waits for a lock (that `blocker` holds); fail when it never does."""
    pid = waiter.info.backend_pid

    def waits() -> LockWait | None:
        for wait in lock_waits(observer):
            if wait.pid == pid and (blocker is None or blocker.info.backend_pid in wait.blockers):
                return wait
        return None

    found = wait_until(waits, limit=limit, what=f"backend {pid} waits for a lock")
    assert found is not None
    return found
