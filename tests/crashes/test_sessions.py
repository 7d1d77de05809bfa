"""A session is killed in the middle of a call: what it had not committed has not been; leases stay."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from tests.races.stage import (
    Conn,
    Lease,
    Stage,
    claim,
    complete,
    enqueue,
    fail,
    heartbeat,
    release,
    rows,
    start,
    state,
    sweep,
    value,
    wait_signal,
)
from tests.support.wait import wait_until


def kill(stage: Stage, victim: Conn) -> None:
    """Kill a session's server process, and wait until it has gone."""
    pid = victim.info.backend_pid
    stage.observer.execute("select pg_terminate_backend(%s)", (pid,))
    there = "select not exists (select from pg_stat_activity where pid = %s)"
    wait_until(lambda: value(stage.observer, there, pid), what="the killed session has gone")


Report = Callable[[Conn, Lease], str]
REPORTS: dict[str, tuple[Report, str]] = {
    "complete": (complete, "completed"),
    "fail": (fail, "retrying"),
    "release": (release, "released"),
    "wait_signal": (wait_signal, "waiting"),
}
every_report = pytest.mark.parametrize(("report", "verdict"), REPORTS.values(), ids=REPORTS)


def test_the_lease_outlives_its_session(stage: Stage) -> None:
    """A lease is a row: who lost a connection goes on with a new one; nobody else gets the step."""
    claimer, other = stage.session(), stage.session()
    enqueue(other)
    [lease] = claim(claimer)
    kill(stage, claimer)
    assert claim(other, "w2") == []
    assert sweep(other) == (0, 0, 0, 0)
    again = stage.session()
    assert heartbeat(again, lease) == "renewed"
    assert complete(again, lease) == "completed"


def test_killed_before_the_claim_commits(stage: Stage) -> None:
    """R-005: a claim whose session dies before it commits has not been."""
    claimer, other = stage.holding(), stage.session()
    step_id = enqueue(other)
    assert len(claim(claimer)) == 1
    kill(stage, claimer)
    assert claim(other, "w2") == [Lease(step_id, 1, "w2")]


@every_report
def test_killed_before_the_report_commits(stage: Stage, report: Report, verdict: str) -> None:
    """R-052: a report whose session dies before it commits has not been, and is sent again."""
    reporter, other = stage.holding(), stage.session()
    lease = start(other)
    assert report(reporter, lease) == verdict
    kill(stage, reporter)
    assert state(other, lease.step_id) == "running"
    assert report(other, lease) == verdict


@every_report
def test_killed_after_the_report_commits(stage: Stage, report: Report, verdict: str) -> None:
    """R-050: a report whose answer was lost is sent again and gets the same; nothing more happens."""
    reporter, other = stage.session(), stage.session()
    lease = start(other)
    assert report(reporter, lease) == verdict
    kill(stage, reporter)
    before = rows(other, "select to_jsonb(s) from tenure_private.step as s")
    assert report(other, lease) == verdict
    assert rows(other, "select to_jsonb(s) from tenure_private.step as s") == before


@every_report
def test_killed_while_the_report_waits(stage: Stage, report: Report, verdict: str) -> None:
    """A report whose session dies while it waits for the row changes nothing, and is sent again."""
    holder, reporter, other = stage.holding(), stage.session(), stage.session()
    lease = start(other)
    holder.execute("select from tenure_private.step for update")
    waiting = stage.start(report, reporter, lease)
    stage.waits_for_step(reporter, holder, lease.step_id)
    kill(stage, reporter)
    assert isinstance(waiting.exception(), psycopg.OperationalError)
    holder.commit()
    assert state(other, lease.step_id) == "running"
    assert report(other, lease) == verdict


def test_nobody_sends_it_again(stage: Stage) -> None:
    """A step whose report was lost with its worker is swept when its lease ends."""
    reporter, other = stage.holding(), stage.session()
    enqueue(other)
    [lease] = claim(other, ttl="1 ms")
    assert complete(reporter, lease) == "completed"
    kill(stage, reporter)
    wait_until(lambda: sweep(other) == (1, 0, 0, 0), what="the step is reclaimed")
    [again] = claim(other, "w2")
    assert complete(other, lease) == "stale"
    assert complete(other, again) == "completed"


def test_a_killed_sweeper(stage: Stage) -> None:
    """What a sweeper had not committed when it died is swept by the next."""
    sweeper, other = stage.holding(), stage.session()
    lease = start(other)
    other.execute("select tenure_private.expire_lease(%s)", (lease.step_id,))
    assert sweep(sweeper) == (1, 0, 0, 0)
    kill(stage, sweeper)
    assert sweep(other) == (1, 0, 0, 0)
