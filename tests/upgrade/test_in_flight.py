"""Calls that are on their way while the engine is upgraded under them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import psycopg
import pytest

from tenure.migrate import migrate
from tests.support.locks import lock_waits
from tests.support.repository import PREVIOUS
from tests.support.servers import Database
from tests.support.wait import wait_until
from tests.upgrade.stop import STOP, stopped

Background = Callable[..., Future[Any]]

# What each answers of a step of its own, which w runs for the first time.
REPORTS = {
    "select tenure.complete({}, 'w', 1)": "completed",
    "select (tenure.complete_many(array[{}], 'w', '{{1}}')).verdict": "completed",
    "select tenure.skip({}, 'w', 1)": "skipped",
    "select tenure.fail({}, 'w', 1, '{{}}')": "retrying",
    "select tenure.fail({}, 'w', 1, '{{}}', 'permanent')": "discarded",
    "select tenure.release({}, 'w', 1)": "released",
    "select tenure.sleep({}, 'w', 1, '1 h')": "sleeping",
    "select tenure.wait_signal({}, 'w', 1, 'go')": "waiting",
    "select tenure.checkpoint({}, 'w', 1, 'key', '1')": 1,
    "select (tenure.heartbeat({}, 'w', 1)).verdict": "renewed",
    "select (tenure.heartbeat_many(array[{}], 'w', '{{1}}')).verdict": "renewed",
    "select tenure.cancel({})": 1,
    "select tenure.signal({}, 'go', '1')": "kept",
    "select tenure.pause({})": 0,
    "select tenure.resume({})": 0,
    "select (tenure.status({})).state": "running",
    "select state from tenure.step_status where step_id = {}": "running",
}
# And those that are about no step in particular.
OTHERS = {
    "select name from tenure.claim('{default}', 'other', names => '{waits}')": "waits",
    "select tenure.enqueue('new') > 0": True,
    "select tenure.enqueue('t', queue => 'second', idempotency_key => 'k') > 0": True,
    """select count(*) from tenure.enqueue_many('[{"name": "new"}, {"name": "t"}]')""": 2,
    "select tenure.define_step('defined', timeout => '1 s')::text": "",
    "select tenure.retry({discarded})": "available",
    "select tenure.result({completed})": "done",
    "select (tenure.sweep()).next_due_in is not null": True,
    "select tenure.purge('1 day')": 0,
    "select tenure.worker_hello('w', '{default}', true) is not null": True,
    "select tenure.pause_queue('second')::text": "",
    "select depth > 0 from tenure.queue_status where queue = 'default'": True,
    "select count(*) > 0 from tenure.lease_status": True,
    "select tenure.create_queue('third_' || pg_backend_pid())::text": "",
    "select tenure.alter_queue('default', retention => '1 day')::text": "",
    "select tenure.resume_queue('second')::text": "",
    "select tenure.grant_queue('second', 'postgres')::text": "",
    "select tenure.worker_report('w', '{}')::text": "",
}


def begin(conn: psycopg.Connection[Any], name: str) -> int:
    """A step of this name that w runs."""
    conn.execute("select tenure.enqueue(%s)", (name,))
    row = conn.execute("select * from tenure.claim('{default}', 'w', names => %s)", ([name],)).fetchone()
    assert row is not None
    return int(row[0])


def calls(conn: psycopg.Connection[Any], name: str) -> dict[str, Any]:
    """Each call, and what it is to answer; those about a step have one of this name."""
    conn.execute("select tenure.enqueue('waits')")
    discarded, completed = begin(conn, name), begin(conn, name)
    conn.execute("select tenure.fail(%s, 'w', 1, '{}', 'permanent')", (discarded,))
    conn.execute("""select tenure.complete(%s, 'w', 1, '"done"')""", (completed,))
    ended = {"{discarded}": str(discarded), "{completed}": str(completed)}
    found = {call.format(begin(conn, name)): answer for call, answer in REPORTS.items()}
    for call, answer in OTHERS.items():
        for mark, step_id in ended.items():
            call = call.replace(mark, step_id)  # noqa: PLW2901
        found[call] = answer
    return found


def answer(conn: psycopg.Connection[Any], call: str) -> Any:
    """What a call answers, or its error."""
    try:
        row = conn.execute(call.encode()).fetchone()
    except psycopg.Error as error:
        return str(error)
    return None if row is None else row[0]


def stands(observer: psycopg.Connection[Any], session: psycopg.Connection[Any], answer: Future[Any]) -> bool:
    """Whether a call is over, or waits for a lock."""
    return answer.done() or any(wait.pid == session.info.backend_pid for wait in lock_waits(observer))


@pytest.mark.parametrize("warm", [True, False])
def test_no_call_in_flight_fails(old_database: Database, background: Background, warm: bool) -> None:
    """R-246: what waits for the upgrade's locks goes on with the functions that are there then."""
    conn = old_database.connect()
    conn.execute("select tenure.create_queue('second')")
    conn.execute(STOP)
    sessions = [old_database.connect() for _ in [*REPORTS, *OTHERS]]
    if warm:  # each has its plans, and what it has cached of the functions, from before
        for session, (call, expected) in zip(sessions, calls(conn, "warms").items(), strict=True):
            assert answer(session, call) == expected, call
    asked = calls(conn, "asked")
    upgrade = background(migrate, old_database.connect())
    stopped(conn)
    with ThreadPoolExecutor(max_workers=len(sessions)) as pool:
        answers = [pool.submit(answer, session, call) for session, call in zip(sessions, asked, strict=True)]
        for session, found in zip(sessions, answers, strict=True):
            wait_until(partial(stands, conn, session, found), what="it is done, or waits")
        conn.execute("insert into public.go default values")
        assert upgrade.result().found == PREVIOUS
        assert dict(zip(asked, [found.result() for found in answers], strict=True)) == asked
    assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
