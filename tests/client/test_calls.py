"""The described calls are exactly the functions that are installed, parameter for parameter."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

import tenure
from tenure import Client, TenureError, _calls
from tenure._calls import Call
from tenure._rows import StepHeartbeat

LEASE = (1, "owner", 1)

CALLS: dict[str, Call[Any]] = {
    "alter_queue": _calls.alter_queue("q"),
    "cancel": _calls.cancel(1),
    "checkpoint": _calls.checkpoint(*LEASE, "key"),
    "claim": _calls.claim(["default"], "owner"),
    "complete": _calls.complete(*LEASE),
    "complete_many": _calls.complete_many([1], "owner", [1], [None]),
    "create_queue": _calls.create_queue("q"),
    "define_step": _calls.define_step("a"),
    "define_workflow": _calls.define_workflow("w", {"nodes": [{"name": "a"}]}),
    "enqueue": _calls.enqueue("a"),
    "enqueue_many": _calls.enqueue_many([{"name": "a"}]),
    "fail": _calls.fail(*LEASE, ValueError("bad")),
    "fold": _calls.fold([1]),
    "heartbeat": _calls.heartbeat(*LEASE),
    "heartbeat_many": _calls.heartbeat_many([1], "owner", [1]),
    "pause": _calls.pause(1),
    "pause_queue": _calls.pause_queue("default"),
    "purge": _calls.purge(60),
    "release": _calls.release(*LEASE),
    "result": _calls.result(1),
    "resume": _calls.resume(1),
    "resume_queue": _calls.resume_queue("default"),
    "grant_queue": _calls.grant_queue("default", "tenure_worker"),
    "revoke_queue": _calls.revoke_queue("default", "tenure_worker"),
    "retry": _calls.retry(1),
    "schema_version": _calls.schema_version(),
    "set_quota": _calls.set_quota("q", 1),
    "signal": _calls.signal(1, "s"),
    "skip": _calls.skip(*LEASE),
    "sleep": _calls.sleep(*LEASE, 1),
    "stage": _calls.stage(*LEASE, "key", "1"),
    "staged": _calls.staged(*LEASE, "key"),
    "start": _calls.start("w"),
    "start_child": _calls.start_child(*LEASE, "a"),
    "status": _calls.status(1),
    "sweep": _calls.sweep(),
    "verify_schema": _calls.verify_schema(),
    "wait_signal": _calls.wait_signal(*LEASE, "s"),
    "worker_hello": _calls.worker_hello("owner", ["default"], idle=False),
    "worker_report": _calls.worker_report("owner", {}),
}

SAME = {"int": "integer", "timestamptz": "timestamp with time zone"}


def installed(conn: psycopg.Connection[Any]) -> dict[str, dict[str, str]]:
    """Each function of the schema with its parameters and their types."""
    with conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(
            """
            select p.proname as name, coalesce(p.proargnames, '{}') as parameters,
                array(
                    select format_type(u.t, null)
                    from unnest(p.proargtypes) with ordinality as u (t, n) order by u.n
                ) as types
            from pg_proc as p where p.pronamespace = 'tenure'::regnamespace
            """
        ).fetchall()
    return {row["name"]: dict(zip(row["parameters"], row["types"], strict=True)) for row in rows}


def parameters(name: str, call: Call[Any], theirs: dict[str, str]) -> dict[str, str]:
    """The parameters that the call's text gives, with the types that it casts them to."""
    [arguments] = re.findall(rf"tenure\.{name}\((.*?)\)(?:::text| as \w+)?$", call.sql)
    named = re.findall(r"(\w+) => %\((\w+)\)s::([a-z0-9\[\]]+)", arguments)
    if named:
        assert all(parameter == key for parameter, key, _ in named)
        assert arguments.count("%") == len(named)
        return {parameter: kind for parameter, _, kind in named}
    kinds = re.findall(r"%s::([a-z0-9\[\]:]+)", arguments)
    assert arguments.count("%") == len(kinds)
    # By position: then the first of theirs.
    return dict(zip(theirs, [kind.split("::")[-1] for kind in kinds], strict=False))


def test_there_is_a_call_for_every_function_and_no_other(conn: psycopg.Connection[Any]) -> None:
    assert CALLS.keys() == installed(conn).keys()
    defined = {
        name
        for name, function in inspect.getmembers(_calls, inspect.isfunction)
        if function.__module__ == _calls.__name__ and not name.startswith("_")
    }
    assert defined - {"run", "run_async"} == CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_the_text_gives_every_parameter_under_its_name_and_type(
    name: str, conn: psycopg.Connection[Any]
) -> None:
    theirs = installed(conn)[name]
    given = {
        parameter: SAME.get(kind, kind) for parameter, kind in parameters(name, CALLS[name], theirs).items()
    }
    assert given == theirs


@pytest.mark.parametrize("name", CALLS)
def test_python_takes_every_parameter_under_its_name(name: str, conn: psycopg.Connection[Any]) -> None:
    function = getattr(_calls, name)
    taken = dict(inspect.signature(function).parameters)
    if options := taken.pop("options", taken.pop("settings", None)):
        kind = re.fullmatch(r"Unpack\[(\w+)\]", options.annotation)
        assert kind is not None
        taken |= dict.fromkeys(getattr(_calls, kind[1]).__annotations__)
    if name == "enqueue_many":
        taken["steps"] = taken.pop("jobs")
    assert taken.keys() == installed(conn)[name].keys()


def test_every_call_is_one_that_the_database_understands(client: Client) -> None:
    answers: dict[str, object] = {}
    for name, call in CALLS.items():
        try:
            answers[name] = client.call(call)
        except TenureError as error:
            # Understood, and refused: there is no step 1, and so on.
            answers[name] = type(error)
    assert tenure.SchemaMismatch not in answers.values()
    refused = {name for name, answer in answers.items() if isinstance(answer, type)}
    assert refused <= {
        "alter_queue",
        "cancel",
        "checkpoint",
        "pause",
        "result",
        "resume",
        "retry",
        "signal",
        "stage",
        "staged",
        "start_child",
        "status",
    }
    assert answers["verify_schema"] == []
    assert answers["heartbeat_many"] == [StepHeartbeat(1, "lost", None, None)]


def test_there_is_no_other_sql_in_the_package() -> None:
    # The demo is a program of a user's, who may read the views.
    allowed = {"_calls.py", "_views.py", "migrate.py", "testing.py", "demo"}
    folder = Path(_calls.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        if allowed & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value.lower().lstrip()
                assert not re.match(
                    r"(select|insert|update|delete|with|call|do) .*\b(from|into|set|tenure)", text
                ), f"{path.relative_to(folder)}:{node.lineno}"


def test_an_option_that_does_not_exist_is_a_type_error() -> None:
    for call in (
        lambda: _calls.enqueue("a", timeuot=1),  # type: ignore[call-arg]
        lambda: _calls.define_step("a", delay=1),  # type: ignore[call-arg]
        lambda: _calls.create_queue("a", clear=["retention"]),  # type: ignore[call-arg]
        lambda: _calls.enqueue_many([{"name": "a", "timeuot": 1}]),  # type: ignore[typeddict-unknown-key]
    ):
        with pytest.raises(TypeError, match="unknown option"):
            call()
