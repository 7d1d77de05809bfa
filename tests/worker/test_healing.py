"""Lost connections: the worker heals by itself and loses no report."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tenure import _calls
from tenure.worker import _listener
from tenure.worker._bell import Bell
from tenure.worker._hello import Hello
from tenure.worker._link import Link, UnavailableError
from tenure.worker._listener import Listener
from tests.support.wait import LIMIT, wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.proxy import Proxy, proxy
from tests.worker.test_relay import SETTINGS

Start = Callable[..., WorkerProcess]


def test_all_connections_can_be_killed_while_steps_run(bench: Bench, start_worker: Start) -> None:
    """The lease is a row, and the worker holds it across connections."""
    worker = start_worker(lease_ttl=2)
    step_id = bench.enqueue("wait", "gate")
    bench.traced(step_id, "started")
    wait_until(lambda: bench.connections() == 3, what="heartbeats have begun, too")
    assert bench.kill_connections() == 3
    killed_at = bench.value("select clock_timestamp()")
    wait_until(lambda: bench.step(step_id)["heartbeat_at"] > killed_at, what="it beats again")
    bench.kill_connections()
    bench.open("gate")
    step = bench.ended(step_id)
    assert (step["output"], step["lease_generation"], step["reclaims"]) == ("passed", 1, 0)
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
    worker.stop()


def test_connections_that_answer_no_more_are_given_up(bench: Bench, start_worker: Start) -> None:
    """Half-open sockets, for each kind of call."""
    with proxy(bench.database.server.server.socket) as network:
        worker = start_worker(lease_ttl=3, host=network.folder)
        step_id = bench.enqueue("wait", "gate")
        bench.traced(step_id, "started")
        wait_until(lambda: bench.connections() == 3)
        network.fall_silent()
        silent_since = bench.value("select clock_timestamp()")
        wait_until(lambda: bench.step(step_id)["heartbeat_at"] > silent_since, what="it beats again")
        bench.open("gate")
        step = bench.ended(step_id)
        assert (step["output"], step["lease_generation"], step["reclaims"]) == ("passed", 1, 0)
        worker.stop()


def test_a_claim_whose_answer_is_lost_is_not_run_twice(bench: Bench, start_worker: Start) -> None:
    """It has committed, and nobody knows: the lease runs out, and another worker gets the step."""
    with proxy(bench.database.server.server.socket) as network:
        deaf = start_worker(lease_ttl=1, shutdown_timeout=0, host=network.folder)
        bench.listening()
        with bench.slow_commit_of("running") as waits:
            step_id = bench.enqueue("wait", "gate")
            wait_until(waits, what="the claim is about to commit")
            network.fall_silent()
        bench.in_state(step_id, "running")
        start_worker(poll_interval=0.2)
        bench.open("gate")
        step = bench.ended(step_id)
        assert (step["output"], step["attempt"], step["reclaims"]) == ("passed", 1, 1)
        deaf.stop()
        (trace,) = bench.traces(step_id, "started")
        assert trace.generation == 2


def test_a_server_that_is_starting_up_is_asked_again(bench: Bench, start_worker: Start) -> None:
    """57P03, at each connection that is made anew."""
    with proxy(bench.database.server.server.socket) as network:
        worker = start_worker(lease_ttl=30, host=network.folder)
        step_id = bench.enqueue("wait", "gate")
        bench.traced(step_id, "started")
        network.start_up()
        bench.kill_connections()
        bench.open("gate")
        wait_until(lambda: "reports wait for the database" in worker.output)
        wait_until(lambda: "the database system is starting up" in worker.output)
        assert bench.step(step_id)["state"] == "running"
        network.mend()
        step = bench.ended(step_id)
        assert (step["output"], step["lease_generation"], step["reclaims"]) == ("passed", 1, 0)
        worker.stop()


def test_a_listener_whose_connection_is_silent_listens_anew(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks now and then whether anybody is there, and looks for what it may have missed."""
    monkeypatch.setattr(_listener, "CHECK_EVERY", 0.1)
    monkeypatch.setattr(_listener, "CALL_LIMIT", 0.3)
    socket = bench.database.server.server.socket

    async def scene(network: Proxy) -> None:
        heard = Bell()
        dsn = bench.database.dsn().replace(str(socket), str(network.folder))
        settings = replace(SETTINGS, dsn=dsn)
        hello = Hello(settings, Link(dsn, "worker"), unheard=heard.ring)
        listener = asyncio.create_task(
            Listener(settings, hello, work=heard.ring, beat=lambda: None).run("channel")
        )
        for _ in range(2):
            # As it begins to listen, for what came before; and then when it is told.
            assert await heard.wait(LIMIT / 4)
            bench.conn.execute("notify channel, 'work'")
            assert await heard.wait(LIMIT / 4)
            network.fall_silent()
        listener.cancel()

    with proxy(socket) as network:
        asyncio.run(scene(network))


def test_a_worker_whose_connections_are_silent_can_be_stopped(bench: Bench, start_worker: Start) -> None:
    with proxy(bench.database.server.server.socket) as network:
        worker = start_worker(shutdown_timeout=0, host=network.folder)
        bench.listening()
        network.fall_silent()
        worker.stop()


def test_a_row_that_is_locked_holds_up_no_other_report(bench: Bench, start_worker: Start) -> None:
    start_worker(concurrency=20)
    locked = bench.enqueue("wait", "gate")
    others = [bench.enqueue("wait", "gate") for _ in range(10)]
    for step_id in (locked, *others):
        bench.traced(step_id, "started")
    with bench.database.connect(autocommit=False) as holder:
        holder.execute("select from tenure_private.step where step_id = %s for update", (locked,))
        bench.open("gate")
        assert {bench.ended(step_id)["output"] for step_id in others} == {"passed"}
        assert bench.step(locked)["state"] == "running"
    assert bench.ended(locked)["output"] == "passed"


def test_connections_killed_again_and_again_lose_no_step(bench: Bench, start_worker: Start) -> None:
    """Whatever call the kill meets, the step ends once and rightly."""
    start_worker(lease_ttl=2, concurrency=10)
    bench.conn.execute(
        "select tenure.enqueue_many(jsonb_agg(jsonb_build_object('name', 'echo', 'input', n)))"
        " from generate_series(1, 2000) as n"
    )
    done = "select count(*) from tenure.step_status where state = 'completed'"

    def all_done() -> bool:
        bench.kill_connections()
        return bool(bench.value(done) == 2000)

    wait_until(lambda: bench.value(done) > 0)
    until = time.monotonic() + 3
    wait_until(lambda: all_done() or time.monotonic() > until)
    wait_until(lambda: bench.value(done) == 2000, what="all have completed")
    assert bench.value("select max(attempt) from tenure.step_status") == 1


def test_a_connection_that_takes_no_writes_any_more_is_given_up(bench: Bench) -> None:
    """As after a failover that left its server a standby; the next call looks for another."""
    hello = _calls.worker_hello("owner", ["default"], idle=False, info={})

    async def scene() -> bool:
        link = Link(bench.database.dsn(), "worker")
        await link.call(hello)
        first = link._conn
        assert first is not None
        await first.execute("set default_transaction_read_only = on")
        with pytest.raises(UnavailableError, match="25006"):
            await link.call(hello)
        await link.call(hello)
        second = link._conn
        await link.close()
        return second is not first

    assert asyncio.run(scene())
