"""What open transactions do not hold up: a batch of heartbeats, and reports of one run's children."""

from __future__ import annotations

from tests.races.stage import Conn, Lease, Stage, claim, complete, enqueue, rows, state, value

_BEATS = "select h.step_id, h.verdict from tenure.heartbeat_many(%s, %s, %s) as h order by h.step_id"
_EXPIRY = "select s.lease_expiry from tenure.step_status as s where s.step_id = %s"
# As workflows will have them: a copy of the run's row with a parent.
_CHILD = """
insert into tenure_private.step
select r.*
from tenure_private.step as s
cross join jsonb_populate_record(
    s, jsonb_build_object('step_id', %s::bigint, 'parent_id', s.step_id, 'tree', false)
) as r
where s.step_id = %s
"""


def beats(conn: Conn, leases: list[Lease]) -> list[tuple[int, str]]:
    """Renew the leases in one batch; returns each step's verdict."""
    ids, generations = [lease.step_id for lease in leases], [lease.generation for lease in leases]
    return rows(conn, _BEATS, ids, leases[0].owner, generations)


def test_a_batch_of_heartbeats_waits_for_nobody(stage: Stage) -> None:
    """R-046: a step that its own handler's open transaction holds is busy, and delays no other."""
    conn, handler = stage.session(), stage.holding()
    first, second, third = (enqueue(conn) for _ in range(3))
    leases = claim(conn, max_steps=3)
    before = [value(conn, _EXPIRY, step_id) for step_id in (first, second, third)]
    assert complete(handler, leases[1]) == "completed"

    answered = stage.passes_by(handler, beats, conn, leases)

    assert answered == [(first, "renewed"), (second, "busy"), (third, "renewed")]
    handler.rollback()
    after = [value(conn, _EXPIRY, step_id) for step_id in (first, second, third)]
    assert [new > old for old, new in zip(before, after, strict=True)] == [True, False, True]
    assert beats(conn, leases) == [(first, "renewed"), (second, "renewed"), (third, "renewed")]


def test_children_report_side_by_side(stage: Stage) -> None:
    """R-165: a child's report that is not committed yet keeps no other child of its run waiting."""
    conn, reporter = stage.session(), stage.holding()
    run_id = enqueue(conn)
    children = (run_id + 1000, run_id + 1001)
    for step_id in children:
        conn.execute(_CHILD, (step_id, run_id))
    conn.execute(
        "update tenure_private.step set state = 'waiting_steps', tree = true where step_id = %s", (run_id,)
    )
    first, second = claim(conn, max_steps=3)
    assert (first.step_id, second.step_id) == children
    assert complete(reporter, first) == "completed"

    assert stage.passes_by(reporter, complete, conn, second) == "completed"

    reporter.commit()
    assert [state(conn, step_id) for step_id in children] == ["completed", "completed"]
