"""The index of the interface is whole, and so are the tables for maintainers."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest

import tenure
from tenure.errors import SQLSTATES
from tests.docs.blocks import prose, table
from tests.support.repository import ROOT

REFERENCE = ROOT / "docs" / "reference.md"
SQL = ROOT / "sql"
MAINTENANCE = SQL / "README.md"
READ_ONLY = {"result", "schema_version", "staged", "status", "verify_schema"}
"""Functions that take no lock."""


@pytest.fixture
def functions(conn: psycopg.Connection[Any]) -> set[str]:
    """The public functions."""
    rows = conn.execute("select proname from pg_proc where pronamespace = 'tenure'::regnamespace").fetchall()
    return {name for (name,) in rows}


def names(cell: str) -> list[str]:
    """Return what a cell of a table names as code."""
    return re.findall(r"`(\w+)`", cell)


def test_every_function_has_one_line(functions: set[str]) -> None:
    """No function is missing, none stands there that is gone or twice."""
    lines = re.findall(r"^\| `(\w+)` \|.*\|.*\|$", REFERENCE.read_text(), re.MULTILINE)
    views = {line[0].strip("`") for line in table(REFERENCE, "View")}
    listed = [name for name in lines if name not in views]
    assert sorted(listed) == sorted(functions)


def test_functions_stand_under_their_roles(conn: psycopg.Connection[Any]) -> None:
    """Who may call what is as the headings and the sentences below them say."""
    text = REFERENCE.read_text()
    shared = set(names(text.partition("Anyone of the roles may call ")[2].partition(":")[0]))
    for heading, role in (("clients", "client"), ("workers", "worker"), ("operators", "operator")):
        section = text.partition(f"## For {heading}\n")[2].partition("\n## ")[0]
        own = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
        also = set(names(section.partition("which may call ")[2].partition(" too.")[0]))
        rows = conn.execute(
            "select proname from pg_proc where pronamespace = 'tenure'::regnamespace"
            " and has_function_privilege(%s, oid, 'execute')",
            (f"tenure_{role}",),
        ).fetchall()
        assert own | also | shared == {name for (name,) in rows}, role
    readers = set(names(re.findall(r"`tenure_reader` may call .*?\.", text)[0])) - {"tenure_reader"}
    rows = conn.execute(
        "select proname from pg_proc where pronamespace = 'tenure'::regnamespace"
        " and has_function_privilege('tenure_reader', oid, 'execute')"
    ).fetchall()
    assert readers | shared == {name for (name,) in rows}


def test_columns_of_views(conn: psycopg.Connection[Any]) -> None:
    """Every view stands there with its columns, in their order."""
    rows = conn.execute(
        "select c.relname, array_agg(a.attname::text order by a.attnum) from pg_class as c"
        " join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0"
        " where c.relnamespace = 'tenure'::regnamespace and c.relkind = 'v' group by 1"
    ).fetchall()
    listed = {line[0].strip("`"): line[2].split(", ") for line in table(REFERENCE, "View")}
    assert listed == dict(rows)


def test_columns_of_a_claim(conn: psycopg.Connection[Any]) -> None:
    """What a claim returns is listed in its order."""
    rows = conn.execute(
        "select attname from pg_attribute where attrelid = 'tenure.claimed'::regclass order by attnum"
    ).fetchall()
    listed = prose(REFERENCE).partition("`claimed`, in this order: ")[2].partition(".")[0]
    assert re.split(r",\s+", listed) == [name for (name,) in rows]


def test_error_table() -> None:
    """The table is that of refuse(), and what the installer and Python raise besides."""
    refuse = (SQL / "functions" / "private" / "refuse.sql").read_text()
    raised = {code: kind for kind, code in re.findall(r"when '(\w+)' then '(TN\d+)'", refuse)}
    raised |= {
        "TN020": "already_installed",
        "TN021": "schema_mismatch",
        "TN022": "install_refused",
        "TN023": "upgrade_blocked",
        "TN024": "uninstall_refused",
    }
    listed = {line[0]: line[1].strip("`") for line in table(MAINTENANCE, "SQLSTATE")}
    assert listed == raised
    assert list(listed) == sorted(SQLSTATES)


def test_every_lock_is_listed(functions: set[str]) -> None:
    """Every function that takes locks has a line in the table of locks."""
    listed = [name for line in table(MAINTENANCE, "Caller") for name in names(line[0])]
    assert sorted(listed) == sorted(functions - READ_ONLY)


def test_maintainers_read_of_functions_that_are_there() -> None:
    """No function is named that was renamed or removed."""
    there = {path.stem for path in (SQL / "functions").rglob("*.sql")} | {"now"}
    named = set(re.findall(r"`(\w+)\(\)`", MAINTENANCE.read_text()))
    assert named - there == set()
    assert len(named) > 15


def test_every_python_name_is_listed() -> None:
    """No public name is missing, none stands there that is gone; refusals are in the table of errors."""
    listed = {name for line in table(REFERENCE, "Name") for name in re.findall(r"`(\w+)`", line[0] + line[1])}
    refusals = {kind.__name__ for kind in SQLSTATES.values()}
    assert set(tenure.__all__) - refusals <= listed
    assert {name for name in listed if name[0].isupper()} <= set(tenure.__all__)
    app_names = {name for line in table(REFERENCE, "Name") for name in re.findall(r"`app\.(\w+)`", line[0])}
    assert app_names == {"step", "workflow", "hook", "around", "guard", "around_worker"}
    assert all(hasattr(tenure.App, name) for name in app_names)
