"""A database that holds the release before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.repository import ROOT
from tests.support.servers import Database

FIRST = ROOT / "sql" / "releases" / "tenure--0.1.0.sql"


def neutral(script: Path) -> bytes:
    """Return a released script without what only psql understands."""
    return script.read_bytes().replace(b"\\set ON_ERROR_STOP on\n", b"", 1)


@pytest.fixture
def old_database(empty_database: Database) -> Database:
    """A database of the test's own, with release 0.1.0 in it."""
    with empty_database.server.connect(empty_database.name) as conn:
        conn.execute(neutral(FIRST))
    return empty_database
