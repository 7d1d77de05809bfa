"""What the demo reads of the engine: the views that any operator can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row

if TYPE_CHECKING:
    import psycopg

    from tenure.demo._measure import Measure

FILES = "demo.measure_file"

_COUNTS = """
select
    count(*) filter (where s.state = 'completed') as completed,
    count(*) filter (where s.state = 'discarded') as discarded,
    count(*) filter (where s.state = 'cancelled') as cancelled,
    count(*) filter (where s.state in ('completed', 'skipped', 'discarded', 'cancelled')) as ended,
    count(*) filter (where s.name = %(files)s and s.finished_at is not null) as files,
    coalesce(sum(s.reclaims), 0)::bigint as reclaimed,
    (select count(*) from tenure.attempt_log as a where a.kind = 'timeout') as timed_out
from tenure.step_status as s
"""
_LEASES = """
select count(*) from tenure.lease_status as l where split_part(l.owner, ':', 2) = %s and l.state = 'running'
"""
_OUTCOMES = """
select s.input #>> '{}', s.state, s.output, s.error_kind from tenure.step_status as s where s.name = %s
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """How all steps stand."""

    completed: int
    discarded: int
    cancelled: int
    ended: int
    files: int
    reclaimed: int
    timed_out: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the step of one file."""

    state: str
    measure: Measure | None
    error_kind: str | None


def read_counts(conn: psycopg.Connection[Any]) -> Counts:
    """Count the steps by what became of them."""
    with conn.cursor(row_factory=class_row(Counts)) as cursor:
        [counts] = cursor.execute(_COUNTS, {"files": FILES}).fetchall()
    return counts


def leases_of(conn: psycopg.Connection[Any], pid: int) -> int:
    """Return how many steps the worker with this process id has leased."""
    [(count,)] = conn.execute(_LEASES, (str(pid),)).fetchall()
    return int(count)


def read_outcomes(conn: psycopg.Connection[Any]) -> dict[str, list[Outcome]]:
    """Return, for each file, what became of every step that there was for it."""
    outcomes: dict[str, list[Outcome]] = {}
    for path, state, output, kind in conn.execute(_OUTCOMES, (FILES,)):
        outcomes.setdefault(path, []).append(Outcome(state, output, kind))
    return outcomes
