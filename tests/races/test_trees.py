"""What two sessions can do to one run of a workflow."""

from __future__ import annotations

from datetime import timedelta
from typing import LiteralString

import psycopg

from tests.races.stage import (
    Conn,
    Lease,
    Stage,
    cancel,
    claim,
    complete,
    expire,
    fail,
    heartbeat,
    pause,
    resume,
    rows,
    sleep,
    sweep,
    value,
    wait_signal,
)
from tests.races.trees import begin, broken, define, fold, left, tree
from tests.support.locks import wait_for_lock
from tests.support.wait import wait_until

NEXT_DUE: LiteralString = "select next_due_in from tenure.sweep()"
PAIR = ({"name": "a", "provides": ["x"]}, {"name": "b", "provides": ["y"]})
JOIN = (*PAIR, {"name": "c", "requires": ["x", "y"], "provides": ["z"]})


def two(conn: Conn) -> tuple[int, Lease, Lease]:
    """Start a run whose first two nodes are claimed."""
    define(conn, "w", *JOIN)
    run_id = begin(conn, "w")
    a, b = claim(conn, max_steps=2)
    return run_id, a, b


def start_late(conn: Conn, lease: Lease) -> int:
    """Start a child of a running step."""
    call: LiteralString = "select tenure.start_child(%s, %s, %s, 'late')"
    return int(value(conn, call, lease.step_id, lease.owner, lease.generation))


def start_if_held(conn: Conn, lease: Lease) -> bool:
    """Start a child; false without the lease."""
    try:
        start_late(conn, lease)
    except psycopg.DatabaseError as error:
        if error.sqlstate != "TN014":
            raise
        return False
    return True


def test_a_report_while_another_folds(stage: Stage) -> None:
    """R-455: who finds the fold taken waits for nothing and leaves it; its worker asks for it afterwards."""
    first, second = stage.holding(), stage.session()
    run_id, a, b = two(second)
    assert complete(first, a) == "completed"
    assert stage.passes_by(first, complete, second, b) == "completed"
    assert left(second) == 1
    assert tree(second, run_id) == {"w": "waiting_steps", "a": "running", "b": "completed", "c": "pending"}
    assert fold(second, run_id) == 1  # busy, for as long as the first has it
    first.commit()
    assert tree(second, run_id)["c"] == "pending"
    assert fold(second, run_id) == 0
    assert tree(second, run_id) == {
        "w": "waiting_steps",
        "a": "completed",
        "b": "completed",
        "c": "available",
    }
    assert left(second) == 0
    assert broken(second) == []


def test_the_fold_waits_for_a_short_while(stage: Stage) -> None:
    """R-455: a fold that is asked for waits for the one that is being done, if that does not take long."""
    first, second = stage.holding(), stage.session()
    run_id, a, b = two(second)
    assert complete(first, a) == "completed"
    assert stage.passes_by(first, complete, second, b) == "completed"
    busy = 1
    while busy:
        late = stage.start(fold, second, run_id)
        first.commit()
        busy = late.result()
    assert tree(second, run_id)["c"] == "available"


def test_the_sweep_folds_what_is_left(stage: Stage) -> None:
    """R-455: where nobody asks, the sweep does it, and passes over a run whose fold is taken."""
    first, second = stage.holding(), stage.session()
    run_id, a, b = two(second)
    assert complete(first, a) == "completed"
    assert stage.passes_by(first, complete, second, b) == "completed"
    assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
    assert left(second) == 1
    first.commit()
    sweep(second)
    assert left(second) == 0
    assert tree(second, run_id)["c"] == "available"


def test_a_late_report_while_another_folds(stage: Stage) -> None:
    """R-448: past its group's limit a step ends cancelled, and the group by that limit with the next fold."""
    first, second = stage.holding(), stage.session()
    define(second, "pair", *PAIR)
    define(second, "w", {"name": "m", "workflow": "pair", "policy": [{"timeout": "3 s"}]}, {"name": "c"})
    run_id = begin(second, "w")
    a, b, c = (claim(second, names=[name])[0] for name in "abc")
    assert complete(first, c) == "completed"
    wait_until(lambda: heartbeat(second, a) == "cancelled", what="the limit passes")
    assert stage.passes_by(first, complete, second, a) == "cancelled"
    assert tree(second, run_id)["m"] == "waiting_steps"
    first.commit()
    assert fold(second, run_id) == 0
    assert tree(second, run_id) == {
        "w": "discarded",
        "m": "discarded",
        "a": "cancelled",
        "b": "cancelled",
        "c": "completed",
    }
    assert complete(second, b) == "cancelled"
    assert broken(second) == []


def test_a_doubt_below_a_failure(stage: Stage) -> None:
    """R-434: a group that another failure ends is not begun anew over an outside commit in doubt."""
    first, second, third = stage.holding(), stage.session(), stage.holding()
    define(second, "low", {"name": "a"}, {"name": "b"})
    define(second, "mid", {"name": "in", "workflow": "low"}, {"name": "c"})
    again = [{"retry": {"attempts": 3, "delay": "0 s"}}]
    define(second, "top", {"name": "m", "workflow": "mid", "policy": again}, {"name": "d"})
    run_id = begin(second, "top")
    a, _, c, d = (claim(second, names=[name])[0] for name in "abcd")
    assert complete(third, d) == "completed"
    assert stage.passes_by(third, fail, first, a, "uncertain") == "discarded"
    third.commit()
    assert stage.passes_by(first, fail, second, c, "permanent") == "discarded"
    first.commit()
    assert fold(second, run_id) == 0
    assert tree(second, run_id) == {
        "top": "discarded",
        "m": "discarded",
        "d": "completed",
        "in": "discarded",
        "c": "discarded",
        "a": "discarded",
        "b": "cancelled",
    }
    assert broken(second) == []


def test_locked_runs_hide_no_other(stage: Stage) -> None:
    """R-090, R-455: a hundred locked runs keep the sweep from no other, and it says that it is not done."""
    first, second = stage.holding(), stage.session()
    define(second, "w", {"name": "a", "provides": ["x"]}, {"name": "b", "requires": ["x"]})
    runs = [begin(second, "w") for _ in range(102)]
    rows(first, "select from tenure_private.step where step_id = any(%s) for no key update", runs[:100])
    leases = claim(second, max_steps=102)
    assert [complete(second, lease) for lease in leases[:100]] == ["completed"] * 100
    complete(first, leases[100])
    assert complete(second, leases[101]) == "completed"
    assert left(second) == 100
    assert stage.passes_by(first, value, second, NEXT_DUE) == timedelta(seconds=1)
    first.commit()
    assert value(second, NEXT_DUE) is None
    assert left(second) == 0
    assert {tree(second, run_id)["b"] for run_id in runs} == {"available"}


def test_a_sweep_folds_a_hundred_runs(stage: Stage) -> None:
    """R-089, R-455: and is to be followed at once by another when there are more."""
    first, second = stage.holding(), stage.session()
    define(second, "w", {"name": "a", "provides": ["x"]}, {"name": "b", "requires": ["x"]})
    runs = [begin(second, "w") for _ in range(101)]
    rows(first, "select from tenure_private.step where step_id = any(%s) for no key update", runs)
    for lease in claim(second, max_steps=101):
        complete(second, lease)
    first.rollback()
    assert value(second, NEXT_DUE) == timedelta(0)
    assert left(second) == 1
    assert value(second, NEXT_DUE) is None


def test_the_next_report_folds_what_is_left(stage: Stage) -> None:
    """R-455: and any later report of the run does."""
    first, second = stage.holding(), stage.session()
    define(second, "w", *JOIN, {"name": "d"})
    run_id = begin(second, "w")
    a, b, d = claim(second, max_steps=3)
    assert complete(first, a) == "completed"
    assert stage.passes_by(first, complete, second, b) == "completed"
    first.commit()
    assert complete(second, d) == "completed"
    assert tree(second, run_id)["c"] == "available"


def test_a_report_that_is_rolled_back(stage: Stage) -> None:
    """R-417: its keys and what followed from them go with it."""
    first, second = stage.holding(), stage.session()
    define(second, "w", {"name": "a", "provides": ["x"]}, {"name": "b", "requires": ["x"]})
    run_id = begin(second, "w")
    [a] = claim(second)
    assert complete(first, a) == "completed"
    assert tree(first, run_id)["b"] == "available"
    first.rollback()
    assert tree(second, run_id) == {"w": "waiting_steps", "a": "running", "b": "pending"}
    assert complete(second, a) == "completed"
    assert tree(second, run_id)["b"] == "available"


def test_a_sibling_that_is_locked(stage: Stage) -> None:
    """R-456: a failure waits for no sibling; the group ends with the last of them."""
    first, second = stage.holding(), stage.session()
    run_id, a, b = two(second)
    assert heartbeat(first, a) == "renewed"  # has a's row
    assert stage.passes_by(first, fail, second, b, "permanent") == "discarded"
    assert tree(second, run_id) == {"w": "waiting_steps", "a": "running", "b": "discarded", "c": "cancelled"}
    assert broken(second) == []
    first.commit()
    assert fold(second, run_id) == 0
    assert tree(second, run_id) == {"w": "discarded", "a": "cancelled", "b": "discarded", "c": "cancelled"}
    assert left(second) == 0


def test_a_sibling_that_reports_meanwhile(stage: Stage) -> None:
    """R-456: of a failure and a completion at once both stand, and the group is discarded."""
    first, second = stage.holding(), stage.session()
    run_id, a, b = two(second)
    assert complete(first, a) == "completed"
    assert stage.passes_by(first, fail, second, b, "permanent") == "discarded"
    first.commit()
    assert fold(second, run_id) == 0
    assert tree(second, run_id) == {"w": "discarded", "a": "completed", "b": "discarded", "c": "cancelled"}
    assert broken(second) == []


def test_cancel_waits_for_the_report_of_a_child(stage: Stage) -> None:
    """R-164, R-440: cancel waits for the open report of a child; the sweep passes by."""
    first, second = stage.holding(), stage.session()
    run_id, a, b = two(second)
    assert complete(first, a) == "completed"
    expire(second, b.step_id)
    assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
    late = stage.start(cancel, second, run_id)
    stage.waits_for_step(second, first, run_id)
    first.commit()
    assert late.result() == 3
    assert tree(second, run_id) == {"w": "cancelled", "a": "completed", "b": "cancelled", "c": "cancelled"}
    assert left(second) == 0


def test_the_report_of_a_child_waits_for_cancel(stage: Stage) -> None:
    """R-440: a report that comes while cancel is at it waits, and is told."""
    first, second = stage.holding(), stage.session()
    run_id, a, _ = two(second)
    assert cancel(first, run_id) == 4
    late = stage.start(complete, second, a)
    stage.waits_for_step(second, first, run_id)
    first.commit()
    assert late.result() == "cancelled"
    assert left(second) == 0


def test_a_child_that_starts_another_during_cancel(stage: Stage) -> None:
    """R-453: what is started while cancel waits is cancelled; afterwards nothing is started."""
    first, second = stage.holding(), stage.session()
    run_id, a, _ = two(second)
    child = start_late(first, a)
    late = stage.start(cancel, second, run_id)
    wait_for_lock(stage.observer, second, blocker=first)
    first.commit()
    assert late.result() == 5
    assert value(second, "select state from tenure.step_status where step_id = %s", child) == "cancelled"
    assert not start_if_held(second, a)
    assert broken(second) == []


def test_cancel_of_a_deep_tree(stage: Stage) -> None:
    """R-440, R-453: it reaches every step in whatever state, and whoever starts children meanwhile."""
    conn, spawner = stage.session(), stage.session()
    define(conn, "level4", *({"name": f"leaf{n}"} for n in range(3)))
    for level in (3, 2, 1):
        mounts = ({"name": f"m{level}{n}", "workflow": f"level{level + 1}"} for n in range(3))
        define(conn, f"level{level}", *mounts)
    run_id = begin(conn, "level1")
    leases = claim(conn, max_steps=40)
    for lease in leases[:10]:
        complete(conn, lease)
    for lease in leases[10:20]:
        sleep(conn, lease, "1 hour")
    for lease in leases[20:30]:
        wait_signal(conn, lease)
    child = start_late(conn, leases[30])

    def spawn() -> int:
        """Start children until it is refused."""
        count = 0
        while start_if_held(spawner, leases[39]):
            count += 1
        return count

    spawned = stage.start(spawn)
    some: LiteralString = "select count(*) > 10 from tenure.step_status where name = 'late'"
    wait_until(lambda: value(conn, some), what="children are started")
    done = cancel(conn, run_id)
    # 81 leaves, 40 groups, what was started; ten had completed, one before the loop was started.
    assert done == 81 + 40 + 1 + spawned.result() - 10
    assert value(conn, "select state from tenure.step_status where step_id = %s", child) == "cancelled"
    assert value(conn, "select count(*) from tenure.step_status where finished_at is null") == 0
    for lease in (leases[10], leases[20], leases[30]):
        assert complete(conn, lease) in ("cancelled", "stale")
    assert broken(conn) == []


def test_pause_between_two_reports(stage: Stage) -> None:
    """R-441: what a report leaves before a pause is folded by the pause, what comes after it by resume."""
    first, second = stage.holding(), stage.session()
    run_id, a, b = two(second)
    assert complete(first, a) == "completed"
    late = stage.start(pause, second, run_id)
    stage.waits_for_step(second, first, run_id)
    first.commit()
    assert late.result() == 2
    assert complete(second, b) == "completed"
    sweep(second)
    assert tree(second, run_id) == {"w": "paused", "a": "completed", "b": "completed", "c": "paused"}
    assert resume(second, run_id) == 2
    assert tree(second, run_id)["c"] == "available"


def test_a_plain_job_ends_while_its_child_reports(stage: Stage) -> None:
    """R-451: neither waits for the other for ever; the job's other children are cancelled."""
    first, second = stage.holding(), stage.session()
    value(second, "select tenure.enqueue('job')")
    [job] = claim(second)
    for _ in range(2):
        start_late(second, job)
    done, _ = claim(second, max_steps=2)
    assert complete(first, done) == "completed"
    assert stage.passes_by(first, complete, second, job) == "completed"
    first.commit()
    fold(second, job.step_id)
    states = rows(
        second, "select state from tenure.step_status where run_id = %s order by step_id", job.step_id
    )
    assert states == [("completed",), ("completed",), ("cancelled",)]
    assert left(second) == 0
