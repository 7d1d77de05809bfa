"""One step's trouble stays its own: it holds up neither the sweep nor anyone's claims."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.races.stage import (
    Lease,
    Stage,
    cancel,
    claim,
    complete,
    enqueue,
    enqueue_batch,
    expire,
    fail,
    make_due,
    pause,
    release,
    resume,
    rows,
    send_signal,
    sleep,
    start,
    state,
    sweep,
    value,
    wait_signal,
)
from tests.support.clock import move_clock

REFUSALS = {"TN006", "TN007", "22008"}  # the last is PostgreSQL's own: no interval is that long


def test_a_step_that_cannot_be_moved(stage: Stage) -> None:
    """R-091: a step whose row refuses the change fails alone; those beside it are swept."""
    conn = stage.session()
    broken = start(conn)
    ids = enqueue_batch(conn, 50)
    assert len(claim(conn, max_steps=50)) == 50
    conn.execute(
        "alter table tenure_private.step add constraint broken"
        f" check (step_id <> {broken.step_id} or state <> 'available')"
    )
    expire(conn, broken.step_id, *ids)
    assert sweep(conn) == (50, 0, 0, 0)
    assert sweep(conn) == (0, 0, 0, 0)
    with pytest.raises(psycopg.errors.CheckViolation):
        fail(conn, broken)
    assert state(conn, broken.step_id) == "running"
    assert len(claim(conn, max_steps=100)) == 50
    conn.execute("alter table tenure_private.step drop constraint broken")
    move_clock(conn, timedelta(minutes=2))
    assert sweep(conn) == (51, 0, 0, 0)


def test_a_key_that_is_taken(stage: Stage) -> None:
    """R-127: a running step keeps its key, so that putting it back collides with nothing."""
    conn = stage.session()
    first = start(conn, idempotency_key="key")
    assert enqueue(conn, idempotency_key="key") == first.step_id
    others = enqueue_batch(conn, 50)
    assert len(claim(conn, max_steps=50)) == 50
    expire(conn, first.step_id, *others)
    assert sweep(conn) == (51, 0, 0, 0)
    [again] = claim(conn)
    assert again.step_id == first.step_id
    assert fail(conn, again) == "retrying"
    assert enqueue(conn, idempotency_key="key") == first.step_id


LENGTHS = [
    "292278994 years",
    "-1 second",
    "1 month",
    "99 years",
    "876600 hours",
    "876601 hours",
    "0.1 microseconds",
]
DURATIONS = ["delay", "timeout", "deadline", "start_within", "progress_timeout"]
BASES = [1e18, 9.3e12, -1, 1e-7, 1e300]
ABSURD: list[dict[str, Any]] = [
    *(
        {"backoff": {"kind": kind, "base": base}}
        for kind in ("fixed", "exponential", "linear")
        for base in BASES
    ),
    {"backoff": {"base": "NaN"}},
    {"backoff": {"base": "Infinity"}},
    {"backoff": {"factor": 1e300, "cap": 1e300}},
    {"backoff": {"jitter": 1e18}},
    {"backoff": {"cap": -1}},
    {"backoff": {"factor": 0, "base": 0}},
    *({option: length} for option in DURATIONS for length in LENGTHS),
    {"scheduled_at": "infinity"},
    {"scheduled_at": "-infinity"},
    {"scheduled_at": "294276-12-31T00:00:00Z"},
    {"scheduled_at": "4713-01-01 00:00:00+00 BC"},
    {"priority": 2**31 - 1},
    {"max_attempts": 2**31 - 1},
    {"max_attempts": -(2**31)},
    {"max_reclaims": 2**31 - 1},
]


def test_absurd_policies(stage: Stage) -> None:
    """R-025, R-027, R-058: an absurd number is refused or harmless: failures land, claims go on."""
    conn = stage.session()
    warnings: list[str | None] = []
    conn.add_notice_handler(lambda notice: warnings.append(notice.message_primary))
    refusals: list[tuple[str | None, dict[str, Any]]] = []
    for options in ABSURD:
        try:
            enqueue(conn, "absurd", **options)
        except psycopg.DatabaseError as error:
            refusals.append((error.sqlstate, options))
    assert [refusal for refusal in refusals if refusal[0] not in REFUSALS] == []
    assert len(ABSURD) > len(refusals) > len(ABSURD) / 3
    for _ in range(3):
        for lease in claim(conn, max_steps=1000, names=["absurd"]):
            assert fail(conn, lease) in {"retrying", "discarded", "timed_out"}
        sweep(conn, 1000)
    for lease in claim(conn, max_steps=1000, names=["absurd"]):
        expire(conn, lease.step_id)
    sweep(conn, 1000)
    for _ in range(10):
        healthy = enqueue(conn, "healthy")
        [lease] = claim(conn, max_steps=1, names=["healthy"])
        assert lease.step_id == healthy
        assert complete(conn, lease) == "completed"
    future = value(
        conn,
        "select count(*) from tenure.step_status"
        " where scheduled_at > clock_timestamp() + interval '101 years'"
        " or (state = 'available' and attempt > 1 and scheduled_at < created_at)",
    )
    assert future == 0
    assert warnings == []


@pytest.mark.parametrize("length", ["292278994 years", "-1 second", "1 month", "876601 hours"])
def test_absurd_durations(stage: Stage, length: str) -> None:
    """R-025: an absurd delay, sleep, wait or lease is refused, and the step stays as it was."""
    conn = stage.session()
    lease = start(conn)
    calls: list[Callable[[], object]] = [
        lambda: fail(conn, lease, retry_after=length),
        lambda: sleep(conn, lease, length),
        lambda: wait_signal(conn, lease, timeout=length),
        lambda: claim(conn, ttl=length),
    ]
    for call in calls:
        with pytest.raises(psycopg.DatabaseError) as refused:
            call()
        assert refused.value.sqlstate in REFUSALS, refused.value
    assert complete(conn, lease) == "completed"


def test_cancelled_for_good(stage: Stage) -> None:
    """R-100, R-103: a step cancelled in any state never runs, wakes or is retried again."""
    conn = stage.session()
    conn.execute("select tenure.create_queue('paused')")
    conn.execute("select tenure.pause_queue('paused')")
    running, dead, backing_off, sleeping, parked = (start(conn) for _ in range(5))
    assert fail(conn, backing_off, retry_after="1 second") == "retrying"
    assert sleep(conn, sleeping, "1 second") == "sleeping"
    assert wait_signal(conn, parked, timeout="1 second") == "waiting"
    tomorrow, stopped = enqueue(conn, delay="24 hours"), enqueue(conn)
    assert pause(conn, stopped) == 1
    elsewhere = enqueue(conn, queue="paused")
    leases = [running, dead, backing_off, sleeping, parked]
    ids = [*(lease.step_id for lease in leases), tomorrow, stopped, elsewhere]
    for step_id in ids:
        assert cancel(conn, step_id) == 1
        assert cancel(conn, step_id) == 0
    assert fail(conn, running) == "cancelled"
    assert resume(conn, stopped) == 0
    assert send_signal(conn, parked.step_id) == "over"
    conn.execute("select tenure.resume_queue('paused')")
    move_clock(conn, timedelta(days=2))
    assert sweep(conn) == (0, 0, 0, 0)
    for lease in leases[1:]:
        assert release(conn, lease) in {"cancelled", "stale"}
    for queue in ("default", "paused"):
        assert claim(conn, max_steps=100, queue=queue) == []
    for step_id in ids:
        with pytest.raises(psycopg.DatabaseError) as refused:
            conn.execute("select tenure.retry(%s)", (step_id,))
        assert refused.value.sqlstate == "TN010"
    assert rows(conn, "select distinct state, cancel_reason from tenure.step_status") == [
        ("cancelled", "enough")
    ]


def test_a_batch_with_a_missing_row(stage: Stage) -> None:
    """R-054: of a batch of 20 completions with one row purged and one leased anew, the other 18 land."""
    conn = stage.session()
    ids = enqueue_batch(conn, 20)
    leases = claim(conn, max_steps=20)
    assert cancel(conn, ids[3]) == 1
    conn.execute("update tenure_private.step set lease_expiry = null where state = 'cancelled'")
    conn.execute("select tenure.purge('0')")
    assert release(conn, leases[7]) == "released"
    assert claim(conn, "w2") == [Lease(ids[7], 2, "w2")]
    verdicts = dict(
        rows(
            conn, "select step_id, verdict from tenure.complete_many(%s, 'w1', %s, %s)",
            ids, [lease.generation for lease in leases], [Jsonb(number) for number in range(20)],
        )
    )  # fmt: skip
    assert {step_id for step_id, verdict in verdicts.items() if verdict != "completed"} == {ids[3], ids[7]}
    assert verdicts[ids[3]] == verdicts[ids[7]] == "stale"
    assert value(conn, "select count(*) from tenure.step_status where state = 'completed'") == 18


def test_timers_of_cancelled_waits(stage: Stage) -> None:
    """R-125: a timer that came due while its step was being cancelled wakes nothing."""
    first, second = stage.holding(), stage.session()
    lease = start(second)
    assert sleep(second, lease, "1 hour") == "sleeping"
    make_due(second, lease.step_id)
    assert cancel(first, lease.step_id) == 1
    assert stage.passes_by(first, sweep, second) == (0, 0, 0, 0)
    first.commit()
    assert sweep(second) == (0, 0, 0, 0)
    assert state(second, lease.step_id) == "cancelled"
