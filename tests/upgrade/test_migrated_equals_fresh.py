"""However the engine came to this version, the catalogue is the same."""

from __future__ import annotations

from tenure.migrate import migrate
from tests.support.repository import VERSION
from tests.support.servers import Database
from tests.upgrade.facts import QUERIES, facts


def test_upgrades(old_database: Database, database: Database) -> None:
    """0.1.0 becomes this version, the same as a fresh install."""
    conn = old_database.connect()
    done = migrate(conn)
    assert (done.found, done.version, str(done)) == ("0.1.0", VERSION, f"upgraded 0.1.0 to {VERSION}")
    assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
    migrated, fresh = facts(conn), facts(database.connect())
    assert (sorted(migrated - fresh), sorted(fresh - migrated)) == ([], [])
    assert {kind for kind, *_ in fresh} == set(QUERIES)
