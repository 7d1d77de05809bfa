"""A server that goes away, or stops to accept writes: nobody has to do anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from psycopg import sql

from tests.support.servers import TEMPLATE, Database, TestServer, running
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


@pytest.fixture
def own_server(server: TestServer) -> Iterator[TestServer]:
    """A server of the test's own, to be restarted."""
    with running(server.major) as own:
        yield own


@pytest.fixture
def database(own_server: TestServer) -> Iterator[Database]:
    """A database on that server, which goes with it."""
    name = "restarted"
    with own_server.connect("postgres") as conn:
        statement = sql.SQL("create database {} template {}")
        conn.execute(statement.format(sql.Identifier(name), sql.Identifier(TEMPLATE)))
    made = Database(name=name, server=own_server)
    yield made
    made.close()


def test_the_server_restarts_under_a_running_step(
    bench: Bench, start_worker: Start, own_server: TestServer
) -> None:
    """Nobody has to do anything; the step's handler never notices."""
    worker = start_worker(lease_ttl=30)
    step_id = bench.enqueue("wait_for_file", str(own_server.server.socket / "gate"))
    bench.traced(step_id, "started")
    own_server.server.restart(crash=True)
    (own_server.server.socket / "gate").touch()
    bench.reconnect()
    step = bench.ended(step_id)
    assert (step["output"], step["lease_generation"], step["reclaims"]) == ("passed", 1, 0)
    assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
    worker.stop()


@pytest.mark.parametrize("severed", [True, False], ids=["connections cut", "connections kept"])
def test_a_report_waits_until_the_server_is_back(
    bench: Bench, start_worker: Start, own_server: TestServer, *, severed: bool
) -> None:
    """The handler ends while no server takes writes; the lease outlasts that, and nobody restarts."""
    worker = start_worker(lease_ttl=30)
    gate = own_server.server.socket / "gate"
    step_id = bench.enqueue("wait_for_file", str(gate))
    bench.traced(step_id, "started")
    bench.conn.execute("alter system set default_transaction_read_only = on")
    bench.conn.execute("select pg_reload_conf()")
    # As after a failover that left this server a standby: connections live on, writes are refused.
    with bench.database.connect() as other:
        wait_until(lambda: other.execute("show default_transaction_read_only").fetchone() == ("on",))
    if severed:
        bench.kill_connections()
    gate.touch()
    wait_until(lambda: "reports wait for the database" in worker.output)
    assert bench.step(step_id)["state"] == "running"
    bench.conn.execute("alter system reset default_transaction_read_only")
    bench.conn.execute("select pg_reload_conf()")
    step = bench.ended(step_id)
    assert (step["output"], step["lease_generation"]) == ("passed", 1)
    worker.stop()


def test_a_worker_can_be_stopped_when_there_is_no_server(
    bench: Bench, start_worker: Start, own_server: TestServer, tmp_path: Path
) -> None:
    """It says what it could not report, and the lease runs out once there is a server again."""
    worker = start_worker(lease_ttl=30)
    step_id = bench.enqueue("wait_for_file", str(tmp_path / "gate"))
    bench.traced(step_id, "started")
    own_server.server.stop()
    (tmp_path / "gate").touch()
    worker.stop()
    assert f"abandoned: step {step_id}, generation 1" in worker.output
    assert "the database did not answer its report: complete" in worker.output
