"""A failover to a real standby, with a handler at work."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import psycopg
import pytest

from tenure import embedded
from tenure.migrate import migrate
from tests.support.servers import EMBEDDED, Database, TestServer
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess


@dataclass(frozen=True, slots=True)
class Pair:
    """A server and its standby, found by one connection string: whichever takes writes."""

    primary: embedded.Server
    standby: embedded.Server
    opened: list[psycopg.Connection[Any]] = field(default_factory=list)

    def dsn(self, *, role: str | None = None) -> str:
        """Where others find it."""
        dsn = f"postgresql://postgres@/postgres?host={self.primary.socket},{self.standby.socket}"
        dsn += "&target_session_attrs=read-write"
        return dsn if role is None else f"{dsn}&options={quote(f'-c role={role}', safe='')}"

    def connect(self) -> psycopg.Connection[Any]:
        """A connection to it, until the test has ended."""
        self.opened.append(conn := psycopg.connect(self.dsn(), autocommit=True))
        return conn


@pytest.fixture
def pair(server: TestServer) -> Iterator[Pair]:
    """A primary of its own with the engine, and a standby that streams from it."""
    folder = embedded.embedded_bin() if server.major == EMBEDDED else embedded.local_bin(server.major)
    assert folder is not None
    with (
        tempfile.TemporaryDirectory(prefix="tenure-standby-") as place,
        embedded.start(bin_folder=folder, in_memory=True) as primary,
    ):
        with psycopg.connect(primary.dsn(), autocommit=True) as conn:
            migrate(conn)
        data = Path(place, "data")
        copy = [
            folder / "pg_basebackup",
            "-h",
            primary.socket,
            "-U",
            "postgres",
            "-D",
            data,
            "-R",
            "-c",
            "fast",
        ]
        subprocess.run([str(word) for word in copy], check=True, capture_output=True)
        owner = primary.socket.stat()
        for path in (data.parent, data, *data.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid)
        with embedded.start(bin_folder=folder, data=data) as standby:
            yield (pair := Pair(primary, standby))
            for conn in pair.opened:
                conn.close()


def test_a_worker_goes_on_with_the_standby_that_takes_over(pair: Pair) -> None:
    """R-398: the step keeps its lease and its attempt; the work counts once."""
    bench = Bench(cast("Database", pair))
    worker = WorkerProcess(pair.dsn(role="tenure_worker"), pair.dsn(), lease_ttl=60)
    try:
        step_id = bench.enqueue("blocks", 4)
        bench.in_state(step_id, "running")
        written = bench.value("select pg_current_wal_flush_lsn()")
        with psycopg.connect(pair.standby.dsn(), autocommit=True) as conn:
            caught_up = "select pg_last_wal_replay_lsn() >= %s::pg_lsn"
            wait_until(lambda: conn.execute(caught_up, (written,)).fetchone() == (True,))
            pair.primary.stop()
            conn.execute("select pg_promote()")
        bench.reconnect()
        step = bench.ended(step_id)
        assert (step["state"], step["attempt"]) == ("completed", 1)
        assert (step["lease_generation"], step["reclaims"]) == (1, 0)
        assert bench.ended(bench.enqueue("nothing"))["state"] == "completed"
        worker.stop()
    finally:
        worker.end()
