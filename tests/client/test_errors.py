"""One class for each SQLSTATE of the engine, each raised by a real call."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import IsolationLevel as Level
from psycopg.conninfo import make_conninfo

import tenure
from tenure import Client, TenureError, _calls, _rows
from tenure._calls import Call
from tenure.errors import SQLSTATES, translate
from tests.client.conftest import claim_one, lease
from tests.support.servers import Database

Breaking = Callable[[Client, psycopg.Connection[Any]], object]


def raw(client: Client, sql: LiteralString) -> None:
    """Make a call that this package's own checks would stop."""
    client.call(Call(sql, (), _rows.nothing))


def child_of(client: Client, conn: psycopg.Connection[Any]) -> int:
    """Put a child under a run, as workflows will: no function makes one yet."""
    run = client.enqueue("a")
    [child] = conn.execute(
        """
        insert into tenure_private.step
        select (jsonb_populate_record(s, jsonb_build_object(
            'step_id', s.step_id + 1, 'parent_id', s.step_id
        ))).*
        from tenure_private.step as s where s.step_id = %s
        returning step_id
        """,
        (run.id,),
    ).fetchone() or (None,)
    assert isinstance(child, int)
    return child


def discarded(client: Client) -> int:
    run = client.enqueue("a")
    step = claim_one(client)
    assert client.call(_calls.fail(*lease(step), ValueError("bad"), kind="permanent")) == "discarded"
    return run.id


def stale(client: Client, conn: psycopg.Connection[Any]) -> None:
    client.enqueue("a")
    step = claim_one(client)
    client.call(_calls.release(*lease(step)))
    client.call(_calls.checkpoint(*lease(step), "key", "1"))


def cancelled(client: Client, conn: psycopg.Connection[Any]) -> None:
    run = client.enqueue("a")
    run.cancel("no longer wanted")
    client.result(run.id)


def purging(client: Client, conn: psycopg.Connection[Any]) -> None:
    step_id = discarded(client)
    # A run whose purge takes several calls: the first of them marks it.
    conn.execute("update tenure_private.step set purging = true where step_id = %s", (step_id,))
    client.retry(step_id)


def out_of_bounds(client: Client, conn: psycopg.Connection[Any]) -> None:
    client.create_queue("deliveries", preset="delivery")
    client.enqueue("a", queue="deliveries", timeout=1000)


def differs(client: Client, conn: psycopg.Connection[Any]) -> None:
    client.create_queue("mail", retention=3600)
    client.create_queue("mail", retention=3600)
    client.create_queue("mail", retention=7200)


def serializable(client: Client, conn: psycopg.Connection[Any]) -> None:
    conn.isolation_level = Level.SERIALIZABLE
    with conn.transaction():
        client.call(_calls.claim(["default"], "owner"))


def not_granted(client: Client, conn: psycopg.Connection[Any]) -> None:
    client.create_queue("mail")
    raw(client, "select tenure.grant_queue('mail', 'tenure_reader')")
    conn.execute("set role tenure_client")
    client.enqueue("a", queue="mail")


def by_script(code: LiteralString) -> Breaking:
    """As scripts for DBAs and the installer raise it; their wording is the business of their own tests."""
    block: LiteralString = f"do $$ begin raise 'no' using errcode = '{code}', hint = 'Do not.'; end $$"
    return lambda client, _: raw(client, block)


def gone(client: Client, conn: psycopg.Connection[Any]) -> None:
    with conn.transaction(force_rollback=True):
        conn.execute("drop schema tenure cascade")
        client.schema_version()


REAL_CALLS: dict[type[TenureError], Breaking] = {
    tenure.StepNotFound: lambda client, _: client.status(404),
    tenure.NotARun: lambda client, conn: client.status(child_of(client, conn)),
    tenure.QueueUnknown: lambda client, _: client.enqueue("a", queue="nowhere"),
    tenure.QueueDiffers: differs,
    tenure.NameInvalid: lambda client, _: raw(client, "select tenure.enqueue('')"),
    tenure.DurationInvalid: lambda client, _: raw(client, "select tenure.enqueue('a', timeout => '-1 s')"),
    tenure.ArgumentInvalid: lambda client, _: client.enqueue("a", delay=1, scheduled_at=datetime.now(UTC)),
    tenure.TooLarge: lambda client, _: raw(
        client, "select tenure.enqueue('a', to_jsonb(repeat('x', 1100000)))"
    ),
    tenure.TimeoutOutOfBounds: out_of_bounds,
    tenure.InvalidTransition: lambda client, _: client.retry(client.enqueue("a").id),
    tenure.NotFinished: lambda client, _: client.result(client.enqueue("a").id),
    tenure.RunDiscarded: lambda client, _: client.result(discarded(client)),
    tenure.RunCancelled: cancelled,
    tenure.StaleLease: stale,
    tenure.QuotaUnknown: lambda client, _: raw(client, "select tenure.define_step('a', quota => 'http')"),
    tenure.IsolationLevel: serializable,
    tenure.RunPurging: purging,
    tenure.QueueNotGranted: not_granted,
    tenure.RoleUnknown: lambda client, _: raw(client, "select tenure.grant_queue('default', 'nobody')"),
    tenure.AlreadyInstalled: by_script("TN020"),
    tenure.SchemaMismatch: gone,
    tenure.InstallRefused: by_script("TN022"),
    tenure.UpgradeBlocked: by_script("TN023"),
    tenure.UninstallRefused: by_script("TN024"),
    tenure.WorkflowUnknown: lambda client, _: client.start("w"),
    tenure.WorkflowInvalid: lambda client, _: client.define_workflow("w", {"nodes": []}),
}


def test_there_is_a_real_call_for_every_class() -> None:
    assert set(REAL_CALLS) == set(SQLSTATES.values())


@pytest.mark.parametrize("kind", REAL_CALLS, ids=lambda kind: kind.__name__)
def test_the_engine_refuses_with_this_class(
    kind: type[TenureError], client: Client, conn: psycopg.Connection[Any]
) -> None:
    with pytest.raises(TenureError) as caught:
        REAL_CALLS[kind](client, conn)
    error = caught.value
    assert type(error) is kind
    cause = error.__cause__
    assert isinstance(cause, psycopg.Error)
    assert str(error)
    assert error.hint
    assert error.hint in "".join(error.__notes__)
    if kind is not tenure.SchemaMismatch:
        assert cause.sqlstate == kind.sqlstate
        assert str(error) == cause.diag.message_primary
        assert error.hint == cause.diag.message_hint
        assert (error.detail or "") == (cause.diag.message_detail or "")


def test_the_tables_of_sql_and_python_are_equal(conn: psycopg.Connection[Any]) -> None:
    [source] = conn.execute(
        "select prosrc from pg_proc where oid = 'tenure_private.refuse(text, text, text, text)'::regprocedure"
    ).fetchone() or ("",)
    theirs = {code: kind for kind, code in re.findall(r"when '(\w+)' then '(TN\d{3})'", source)}
    ours = {code: re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for code, kind in SQLSTATES.items()}
    # These are raised by scripts for DBAs and by this package.
    assert [ours.pop(f"TN02{n}") for n in range(5)] == [
        "already_installed",
        "schema_mismatch",
        "install_refused",
        "upgrade_blocked",
        "uninstall_refused",
    ]
    assert ours.pop("TN014") == "stale_lease"
    assert theirs.pop("TN014") == "stale"
    assert ours == theirs


def test_the_page_of_the_errors_names_them_all() -> None:
    page = tenure.errors.__doc__ or ""
    listed = dict(re.findall(r"(\w+)\s+(TN\d{3})", page))
    assert listed == {kind.__name__: code for code, kind in SQLSTATES.items()}
    assert all(kind.__name__ in tenure.__all__ for kind in SQLSTATES.values())


def test_an_sqlstate_belongs_to_one_class() -> None:
    with pytest.raises(TypeError, match="SQLSTATE TN001 belongs to StepNotFound already"):
        type("Again", (TenureError,), {}, code="TN001")
    with pytest.raises(TypeError, match="code"):
        type("Codeless", (TenureError,), {})


def test_a_code_that_this_release_does_not_know_is_still_an_error_of_ours(client: Client) -> None:
    with pytest.raises(TenureError) as caught:
        raw(client, "do $$ begin raise exception 'of a later release' using errcode = 'TN999'; end $$")
    assert type(caught.value) is TenureError
    assert str(caught.value) == "of a later release"


def test_other_errors_of_postgresql_stay_what_they_are(
    client: Client, conn: psycopg.Connection[Any]
) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        raw(client, "select 1 / 0")
    assert translate(psycopg.OperationalError("no server"), conn) is None


def test_a_function_that_is_missing_within_another_is_a_defect_and_not_a_missing_engine(
    client: Client,
) -> None:
    with pytest.raises(psycopg.errors.UndefinedFunction):
        raw(client, "do $$ begin perform tenure.nothing(); end $$")
    with pytest.raises(tenure.SchemaMismatch):
        raw(client, "select tenure.nothing()")


def test_a_missing_engine_is_told_with_its_database_and_no_password(empty_database: Database) -> None:
    """R-336: who has several databases sees which one was asked."""
    dsn = make_conninfo(empty_database.dsn(), password="a secret")  # noqa: S106 - asked for by nobody
    with psycopg.connect(dsn) as conn, pytest.raises(tenure.SchemaMismatch) as caught:
        Client(conn).enqueue("a")
    socket = empty_database.server.server.socket
    assert str(caught.value).startswith(f"database '{empty_database.name}' at {socket}:")
    assert str(caught.value).endswith(" does not hold the engine's functions")
    assert "secret" not in f"{caught.value} {caught.value.__notes__}"


def test_a_missing_right_is_postgresqls_own_error(database: Database) -> None:
    reader = Client(database.connect(role="tenure_reader"))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.enqueue("a")


def test_errors_travel_between_processes() -> None:
    error = tenure.QueueUnknown("no such queue", detail="Queue a.", hint="Create it.")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(copy), str(copy), copy.detail, copy.hint) == (
        tenure.QueueUnknown,
        "no such queue",
        "Queue a.",
        "Create it.",
    )
    assert copy.__notes__ == error.__notes__ == ["Detail: Queue a.", "Hint: Create it."]
