"""Runs every file of pgtap/ through pg_prove, each in a database of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.debian import pg_prove_command
from tests.support.repository import ROOT
from tests.support.servers import Database

FILES = sorted((ROOT / "pgtap").rglob("*.sql"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT / "pgtap").as_posix())
def test_pgtap(database: Database, path: Path) -> None:
    """The file's plan is fulfilled."""
    command, environment = pg_prove_command()
    psql = database.server.server.bin / "psql"
    done = subprocess.run(
        [*command, "--verbose", "--psql-bin", str(psql), "--dbname", database.dsn(), str(path)],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.fail(f"{done.stdout}\n{done.stderr}", pytrace=False)
