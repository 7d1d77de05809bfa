"""docs/operations.md: what it says of installing, and every statement that it shows."""

from __future__ import annotations

import psycopg

from tenure import embedded
from tenure.migrate import migrate
from tests.support.servers import TestServer


def test_a_createrole_owner_installs_where_no_role_is_there(server: TestServer) -> None:
    """No superuser is needed: whoever owns the database and may create roles can install."""
    # A cluster of its own: on the shared one the five roles are there already.
    with embedded.start(bin_folder=server.server.bin, in_memory=True) as fresh:
        with psycopg.connect(fresh.dsn(), autocommit=True) as admin:
            admin.execute("create role dba login createrole")
            admin.execute("create database shop owner dba")
        with psycopg.connect(fresh.dsn("shop", user="dba"), autocommit=True) as conn:
            assert migrate(conn).installed
            assert conn.execute("select tenure.enqueue('mail')").fetchone() == (1,)
            assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
