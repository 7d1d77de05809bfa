"""Runs each file of pgtap/ through pg_prove. All roll back what they did, so one database serves."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.debian import pg_prove_command
from tests.support.repository import ROOT
from tests.support.servers import Database, TestServer

# Those for production bring their own pgTAP: tests/rights/test_checks.py.
FILES = sorted(path for path in (ROOT / "pgtap").rglob("*.sql") if path.parent.name != "production")


@pytest.fixture(scope="session")
def pgtap_database(server: TestServer) -> Iterator[Database]:
    """One clone of the template for every file."""
    with server.database() as made:
        yield made


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT / "pgtap").as_posix())
def test_pgtap(pgtap_database: Database, path: Path) -> None:
    """The file's plan is fulfilled."""
    command, environment = pg_prove_command()
    server = pgtap_database.server.server
    target = {"PGHOST": str(server.socket), "PGUSER": "postgres", "PGDATABASE": pgtap_database.name}
    done = subprocess.run(
        [*command, "--verbose", "--psql-bin", str(server.bin / "psql"), str(path)],
        env={**os.environ, **environment, **target},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.fail(f"{done.stdout}\n{done.stderr}", pytrace=False)
