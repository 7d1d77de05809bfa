"""However the engine came to this version, the catalogue is the same."""

from __future__ import annotations

from tenure.migrate import migrate
from tests.support.repository import VERSION
from tests.support.servers import Database


def test_upgrades(old_database: Database) -> None:
    """0.1.0 becomes this version."""
    conn = old_database.connect()
    done = migrate(conn)
    assert (done.found, done.version, str(done)) == ("0.1.0", VERSION, f"upgraded 0.1.0 to {VERSION}")
    assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
