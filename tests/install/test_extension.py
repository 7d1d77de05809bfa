"""The engine as an extension: what pg_dump makes of it above all."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import psycopg
import pytest

from tenure.errors import InstallRefused
from tenure.migrate import migrate
from tests.support.repository import FIRST, INSTALL, SCRIPTS, VERSION
from tests.support.servers import Database
from tests.upgrade.facts import facts
from tests.upgrade.test_rows import TABLES

CHANGED = """
select tenure.alter_queue('default', retention => '90 days', timeout_default => '5 minutes');
select tenure.create_queue('slow', 'delivery');
update tenure_private.setting set bytes = 2097152 where name = 'input';
select tenure.define_step('t', timeout => '10 minutes');
select tenure.enqueue('t') from generate_series(1, 6);
select tenure.enqueue('later', delay => '1 hour', idempotency_key => 'k');
select tenure.claim('{default}', 'w', 3);
select tenure.complete(1, 'w', 1, '"done"');
select tenure.wait_signal(2, 'w', 1, 'paid');
select tenure.checkpoint(3, 'w', 1, 'c', '1');
select tenure.sweep();
"""


def run(database: Database, program: str, *arguments: str, text: str | None = None) -> str:
    """Run one of PostgreSQL's programs on the database; what it prints."""
    server = database.server.server
    environment = {
        **os.environ,
        "PGHOST": str(server.socket),
        "PGUSER": "postgres",
        "PGDATABASE": database.name,
    }
    done = subprocess.run(
        [str(server.bin / program), *arguments],
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def dump_and_restore(source: Database, target: Database) -> None:
    """Move everything, up to the first error."""
    run(target, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", text=run(source, "pg_dump"))


def rows(conn: psycopg.Connection[Any]) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of the tables, the highest clock's among them."""
    return {
        name: conn.execute(f"select t::text from tenure_private.{name} as t order by 1").fetchall()  # noqa: S608
        for name in [*TABLES, "high_clock", "queue_grant", "head", "signal"]
    }


def test_every_table_and_sequence_is_dumped(extension_database: Database) -> None:
    """R-220: pg_dump is told of each; of the catalogue's own records it takes no rows."""
    conn = extension_database.connect()
    conn.execute("create extension tenure")
    unknown = """
        select c.oid::regclass::text from pg_class as c
        where c.relnamespace = 'tenure_private'::regnamespace and c.relkind in ('r', 'S')
        and c.oid <> all (select unnest(e.extconfig) from pg_extension as e where e.extname = 'tenure')"""
    assert conn.execute(unknown).fetchall() == []
    filtered = """
        select f.relation::regclass::text, f.condition from pg_extension as e
        cross join lateral unnest(e.extconfig, e.extcondition) as f (relation, condition)
        where e.extname = 'tenure' and f.condition <> '' order by 1"""
    assert conn.execute(filtered).fetchall() == [
        ("tenure_private.installation", "where false"),
        ("tenure_private.shipped", "where false"),
    ]


def test_a_dump_keeps_the_queue(extension_database: Database, restored: Database) -> None:
    """R-220: work, settings and the default queue's changes come over; sequences go on; nothing differs."""
    conn = extension_database.connect()
    conn.execute("create extension tenure")
    conn.execute(CHANGED)
    before = rows(conn)
    dump_and_restore(extension_database, restored)
    there = restored.connect()
    assert rows(there) == before
    assert there.execute("select * from tenure.verify_schema()").fetchall() == []
    assert there.execute("select extversion from pg_extension where extname = 'tenure'").fetchall() == [
        (VERSION,)
    ]
    goes_on(there)


def goes_on(conn: psycopg.Connection[Any]) -> None:
    """What was under way before the dump goes on after it."""
    assert conn.execute("select verdict from tenure.heartbeat(3, 'w', 1)").fetchone() == ("renewed",)
    assert conn.execute("select tenure.signal(2, 'paid')").fetchone() == ("delivered",)
    assert conn.execute("select step_id from tenure.claim('{default}', 'v', 10) order by 1").fetchall() == [
        (2,), (4,), (5,), (6,)
    ]  # fmt: skip
    assert conn.execute("select tenure.enqueue('later', idempotency_key => 'k')").fetchone() == (7,)
    assert conn.execute("select tenure.enqueue('t')").fetchone() == (9,)
    assert conn.execute("select tenure.create_queue('third')").fetchall() == [("",)]


def test_a_dump_of_the_schemas_keeps_it_too(extension_database: Database, restored: Database) -> None:
    """R-221: without the extension pg_dump takes the schemas as any others."""
    conn = extension_database.connect()
    migrate(conn)
    conn.execute(CHANGED)
    before = rows(conn), facts(conn)
    dump_and_restore(extension_database, restored)
    there = restored.connect()
    assert (rows(there), facts(there)) == before
    assert there.execute("select * from tenure.verify_schema()").fetchall() == []
    goes_on(there)


def test_rows_are_restored_into_a_fresh_install(extension_database: Database, restored: Database) -> None:
    """R-221: so are the rows alone, where the engine was installed first."""
    conn = extension_database.connect()
    migrate(conn)
    conn.execute(CHANGED)
    before = rows(conn)
    migrate(restored.connect())
    leave_out = ["-T", "tenure_private.installation", "-T", "tenure_private.shipped"]
    dump = run(extension_database, "pg_dump", "--data-only", *leave_out)
    run(restored, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", text=dump)
    assert rows(restored.connect()) == before
    goes_on(restored.connect())


def test_an_extension_is_upgraded_as_one(extension_database: Database) -> None:
    """R-222: by `alter extension`; a script would add what pg_dump then loses, and refuses."""
    conn = extension_database.connect()
    conn.execute(f"create extension tenure version '{FIRST}'")
    with pytest.raises(InstallRefused, match="as one can it be upgraded"):
        migrate(conn)
    conn.execute("alter extension tenure update")
    assert conn.execute("select tenure.schema_version()").fetchone() == (VERSION,)
    assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
    strangers = """
        select pg_describe_object(d.classid, d.objid, 0) from pg_depend as d
        where d.refclassid = 'pg_namespace'::regclass
        and d.refobjid in ('tenure'::regnamespace, 'tenure_private'::regnamespace)
        and not exists (
            select from pg_depend as e where e.classid = d.classid and e.objid = d.objid and e.deptype = 'e'
        )
        and not exists (
            select from pg_depend as i
            where i.classid = d.classid and i.objid = d.objid and i.deptype in ('i', 'a')
        )"""
    assert conn.execute(strangers).fetchall() == []


def test_a_database_owner_can_create_it(extension_database: Database) -> None:
    """R-222: it takes no superuser where the roles are there."""
    admin = extension_database.connect()
    admin.execute("create role ext_owner login; grant tenure_owner to ext_owner")
    try:
        admin.execute(f"alter database {extension_database.name} owner to ext_owner")
        owner = extension_database.connect(role="ext_owner")
        owner.execute("create extension tenure")
        assert owner.execute("select current_user").fetchone() == ("ext_owner",)
        assert admin.execute("select * from tenure.verify_schema()").fetchall() == []
        owner.execute("drop extension tenure")
        assert admin.execute("select to_regnamespace('tenure')").fetchone() == (None,)
    finally:
        extension_database.close()
        with extension_database.server.connect(extension_database.name) as cleaner:
            cleaner.execute(
                "reassign owned by ext_owner to postgres; drop owned by ext_owner; drop role ext_owner"
            )


def test_the_script_is_not_for_psql(extension_database: Database) -> None:
    """Run by psql it says how it is meant, and does nothing."""
    path = SCRIPTS / "extension" / INSTALL
    assert run(extension_database, "psql", "-X", "-f", str(path)).startswith('Use "create extension tenure"')
    assert extension_database.connect().execute("select to_regnamespace('tenure')").fetchone() == (None,)
