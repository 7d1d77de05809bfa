"""The releases in sql/releases: upgrades are tested from them, so none may change once it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.install.test_migrate import psql
from tests.support.repository import ROOT, SCRIPTS
from tests.support.servers import Database

RELEASES = sorted((ROOT / "sql" / "releases").glob("tenure--*.sql"))
INSTALLS = [path for path in RELEASES if path.stem.count("--") == 1]


def test_what_is_released_is_not_built_anew() -> None:
    """A change to the SQL needs a new version, for the one that is out must stay as it is."""
    released = {path.name: path.read_text(encoding="utf-8") for path in RELEASES}
    built = {path.name: path.read_text(encoding="utf-8") for path in SCRIPTS.glob("tenure--*.sql")}
    assert {name: text for name, text in built.items() if released.get(name, text) != text} == {}


@pytest.mark.parametrize("release", INSTALLS, ids=lambda path: path.stem)
def test_each_release_installs(empty_database: Database, release: Path) -> None:
    """Every release can still be installed, and finds itself in order."""
    done = psql(empty_database, "-f", str(release))
    assert (done.returncode, done.stderr) == (0, "")
    conn = empty_database.connect()
    version = release.stem.removeprefix("tenure--")
    assert conn.execute("select tenure.schema_version()").fetchall() == [(version,)]
    assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
