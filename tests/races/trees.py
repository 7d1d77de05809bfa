"""Runs of workflows, as the races play with them."""

from __future__ import annotations

from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from tests.races.stage import Conn, rows, value

# What must hold in any snapshot of a run at which nobody works just now.
_BROKEN: LiteralString = """
select format('step %s is %s under %s, which is %s', c.step_id, c.state, p.step_id, p.state)
from tenure_private.step as c
join tenure_private.step as p on p.step_id = c.parent_id
where c.finished_at is null and p.finished_at is not null
union all
select format('group %s has %s open children, not %s', g.step_id, c.open, g.open)
from tenure_private.step_group as g
join tenure_private.step as s on s.step_id = g.step_id and s.state = 'waiting_steps'
cross join lateral (
    select count(*) as open
    from tenure_private.member as m
    join tenure_private.step as c on c.step_id = m.step_id
    where m.group_id = g.step_id and m.attempt = s.attempt and m.node_id <> 0 and c.finished_at is null
) as c
where g.open <> c.open and g.ending is null
    and not exists (select from tenure_private.event as e where e.run_id = s.root_id)
union all
select format('node %s of group %s was made %s times', m.node_id, m.group_id, count(*))
from tenure_private.member as m
join tenure_private.step_group as g on g.step_id = m.group_id and not g.maps
where m.node_id <> 0
group by m.node_id, m.group_id, m.attempt
having count(*) > 1
"""


def define(conn: Conn, name: str, *nodes: dict[str, Any], **more: Any) -> int:
    """Define a workflow of these nodes; returns its version."""
    return int(value(conn, "select tenure.define_workflow(%s, %s)", name, Jsonb({"nodes": nodes, **more})))


def begin(conn: Conn, workflow: str, **keys: Any) -> int:
    """Start a run of a workflow; returns its id."""
    return int(value(conn, "select tenure.start(%s, %s)", workflow, Jsonb(keys)))


def fold(conn: Conn, run_id: int) -> int:
    """Ask for a fold, as a worker does after its commit; returns how many runs were busy."""
    return int(value(conn, "select tenure.fold(%s)", [run_id]))


def broken(conn: Conn) -> list[tuple[Any, ...]]:
    """Return what is wrong with the trees of the database."""
    return conn.execute(_BROKEN).fetchall()


def left(conn: Conn) -> int:
    """Return how many events wait for a fold."""
    return int(value(conn, "select count(*) from tenure_private.event"))


def tree(conn: Conn, run_id: int) -> dict[str, str]:
    """Return the states of a run's steps by node (by name where there is none; the last one counts)."""
    query: LiteralString = (
        "select coalesce(s.node || coalesce(s.position::text, ''), s.name), s.state"
        " from tenure.step_status as s where s.run_id = %s order by s.step_id"
    )
    return dict(rows(conn, query, run_id))
