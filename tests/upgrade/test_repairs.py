"""What was changed by hand: an upgrade repairs what it owns, and takes nothing else for its own."""

from __future__ import annotations

import psycopg
import pytest

from tenure.errors import InstallRefused, SchemaMismatch
from tenure.migrate import migrate
from tests.support.repository import PREVIOUS, TEXTS, VERSION
from tests.support.servers import Database
from tests.upgrade.facts import facts


def test_functions_are_repaired(old_database: Database, database: Database) -> None:
    """R-204: a changed body, a lost pin, a changed property are as shipped after it."""
    conn = old_database.connect()
    conn.execute("""
        create or replace function tenure.cancel(run_id bigint, reason text default null) returns int
        language plpgsql volatile parallel unsafe security definer as $$ begin return 0; end $$;
        alter function tenure.status(bigint) reset all;
        alter function tenure_private.clock() immutable cost 7;
        alter view tenure.run_status set (security_barrier);
        comment on function tenure.claim(text[], text, int, interval, text[]) is 'mine';
    """)
    migrate(conn)
    assert conn.execute("select * from tenure.verify_schema()").fetchall() == []
    assert facts(conn) == facts(database.connect())


STOPS = {
    "a view with a column more": (
        """
        do $$ begin
            execute format(
                'create or replace view tenure.queue_status as select g.*, 1 as more from (%s) as g',
                rtrim(pg_get_viewdef('tenure.queue_status'::regclass), ';')
            );
        end $$
        """,
        psycopg.errors.InvalidTableDefinition,
        "drop view tenure.queue_status",
    ),
    "a function of another owner": (
        "alter function tenure_private.clock() owner to postgres",
        psycopg.errors.InsufficientPrivilege,
        "alter function tenure_private.clock() owner to tenure_owner",
    ),
}


@pytest.mark.parametrize("name", STOPS)
def test_what_it_cannot_repair_stops_it(old_database: Database, database: Database, name: str) -> None:
    """R-204: and has then changed nothing; once that is mended it can be run again."""
    change, error, cure = STOPS[name]
    conn = old_database.connect()
    conn.execute(change.encode())
    before = facts(conn)
    with pytest.raises(error):
        migrate(conn)
    assert facts(conn) == before
    conn.execute(cure.encode())
    migrate(conn)
    assert facts(conn) == facts(database.connect())


def test_rights_begin_anew(old_database: Database, database: Database) -> None:
    """R-205: every right that the sources do not give is gone, on whatever it was given, and to whomever."""
    conn = old_database.connect()
    conn.execute('create role "some one"; create role other')
    try:
        conn.execute("""
            grant usage, create on schema tenure, tenure_private to "some one";
            grant execute on all functions in schema tenure, tenure_private to public, "some one";
            grant all on all tables in schema tenure, tenure_private to "some one" with grant option;
            grant all on all sequences in schema tenure_private to public;
            grant select (name), update (name) on tenure_private.queue to tenure_client;
            grant usage on type tenure.claimed to "some one";
            revoke usage on type tenure.verdict from public;
            set role "some one";
            grant select on tenure_private.step to other;
            set role none;
            revoke execute on function tenure.claim(text[], text, int, interval, text[]) from tenure_worker;
            revoke usage on schema tenure from tenure_client;
        """)
        migrate(conn)
        assert facts(conn) == facts(database.connect())
    finally:
        old_database.close()
        with old_database.server.connect(old_database.name) as cleaner:
            cleaner.execute('drop owned by "some one", other; drop role "some one", other')


def test_what_is_amiss_elsewhere_stays_amiss(old_database: Database) -> None:
    """R-206: an upgrade does not make shipped what never was: verify_schema still tells of it."""
    conn = old_database.connect()
    conn.execute("""
        drop index tenure_private.step_finished_at_idx;
        alter table tenure_private.step set (fillfactor = 90);
        create function public.spy() returns trigger language plpgsql as 'begin return new; end';
        create trigger spy after insert on tenure_private.step execute function public.spy();
        create function tenure.extra() returns int language sql as 'select 1';
    """)
    migrate(conn)
    found = conn.execute("select object, aspect from tenure.verify_schema()").fetchall()
    assert {
        ("index tenure_private.step_finished_at_idx", "definition"),
        ("table tenure_private.step", "options"),
        ("trigger spy on tenure_private.step", "definition"),
        ("function tenure.extra()", "body"),
    } <= set(found)
    assert {str(thing).split()[-1] for thing, _ in found} == {
        "tenure_private.step_finished_at_idx",
        "tenure_private.step",
        "tenure.extra()",
    }


@pytest.mark.parametrize("scope", ["", "in schema tenure"])
def test_default_privileges_are_refused(old_database: Database, scope: str) -> None:
    """R-207: nothing is made where default privileges of the owner would give it away."""
    conn = old_database.connect()
    conn.execute(
        f"alter default privileges for role tenure_owner {scope} grant execute on functions to tenure_reader"
    )
    with pytest.raises(InstallRefused, match="default privileges") as refused:
        migrate(conn)
    assert refused.value.detail == "They grant EXECUTE to tenure_reader."
    assert conn.execute("select tenure.schema_version()").fetchone() == (PREVIOUS,)


def test_stricter_default_privileges_do_no_harm(old_database: Database, database: Database) -> None:
    """R-207: those that take PUBLIC's built-in rights away are no reason to refuse."""
    conn = old_database.connect()
    conn.execute("alter default privileges for role tenure_owner revoke execute on functions from public")
    migrate(conn)
    functions = {fact for fact in facts(conn) if fact[0] == "function"}
    assert functions == {fact for fact in facts(database.connect()) if fact[0] == "function"}


def test_another_version_is_refused(old_database: Database) -> None:
    """R-203: from a version that no upgrade is made for there is no way."""
    conn = old_database.connect()
    conn.execute("update tenure_private.installation set version = '0.0.9'")
    with pytest.raises(SchemaMismatch, match=r"holds Tenure 0\.0\.9"):
        migrate(conn)


def test_the_script_of_an_upgrade_is_refused(empty_database: Database, database: Database) -> None:
    """R-203: the script asks for the version itself, whoever runs it."""
    for where, found in ((empty_database, "none"), (database, VERSION)):
        with pytest.raises(psycopg.Error) as refused:
            where.connect().execute((TEXTS / f"tenure--{PREVIOUS}--{VERSION}.sql").read_bytes())
        assert (refused.value.sqlstate, refused.value.diag.message_detail) == ("TN021", f"Found: {found}.")


def test_the_caller_gets_its_settings_back(old_database: Database) -> None:
    """R-202: role, search_path and lock_timeout are the caller's again in the rest of its transaction."""
    conn = old_database.connect(role="tenure_owner", autocommit=False)
    conn.execute("set search_path = public, pg_catalog; set lock_timeout = '7s'")
    conn.commit()
    before = "select current_user, current_setting('search_path'), current_setting('lock_timeout')"
    expected = conn.execute(before).fetchone()
    assert migrate(conn).found == PREVIOUS
    assert conn.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS
    assert conn.execute(before).fetchone() == expected == ("tenure_owner", "public, pg_catalog", "7s")
