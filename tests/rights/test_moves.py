"""A dump takes the whole engine along, to a newer server too."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.servers import TestServer, available, running

MAJORS = available()
MOVES = [(old, new) for old in MAJORS for new in MAJORS if old <= new]
PSQL = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1"]


def run(server: TestServer, program: str, *arguments: str) -> None:
    """Run one of the server's programs, which must neither fail nor complain."""
    done = subprocess.run(
        [str(server.server.bin / program), *arguments],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


@pytest.mark.parametrize(("old", "new"), MOVES, ids=[f"{old} to {new}" for old, new in MOVES])
def test_a_dump_restores(old: int, new: int, tmp_path: Path) -> None:
    """R-238: restored, the schema is clean, grants hold, and the work goes on where it stood."""
    file = str(tmp_path / "dump.sql")
    with (
        running(old) as source,
        running(new) as target,
        source.database() as shop,
        target.database(template="template0") as restored,
    ):
        with shop.connect() as conn:
            conn.execute(
                "select tenure.create_queue('mail'), tenure.alter_queue('default', retention => '1 day')"
            )
            conn.execute("select tenure.grant_queue('mail', 'tenure_worker')")
            conn.execute("select tenure.enqueue('t', queue => 'mail') from generate_series(1, 3)")
            conn.execute("select tenure.claim('{mail}', 'w', 1, '1 h')")
            assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
        run(target, "pg_dump", "-f", file, source.dsn(shop.name))
        run(target, *PSQL, "-o", os.devnull, "-f", file, target.dsn(restored.name))
        with restored.connect() as conn:
            assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
            assert conn.execute("select * from tenure.queue_grants").fetchall() == [
                ("mail", "tenure_worker", True)
            ]
            assert conn.execute("select tenure.complete(1, 'w', 1)").fetchone() == ("completed",)
            assert conn.execute("select tenure.enqueue('t', queue => 'mail')").fetchone() == (4,)
            claimed = conn.execute("select step_id from tenure.claim('{mail}', 'w', 9)").fetchall()
            assert claimed == [(2,), (3,), (4,)]
            kept = conn.execute("select retention::text from tenure.queue_status where queue = 'default'")
            assert kept.fetchone() == ("24:00:00",)
