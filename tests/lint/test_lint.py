"""Every check of `make lint` can fail: each is shown a planted defect, and the same thing without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.lint import api, bodies, commands, database, functions, layout
from tests.lint.finding import Finding
from tests.support.repository import ROOT

FUNCTION = """\
create or replace function tenure.sample(p_step_id bigint)
returns bigint
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_found bigint;
begin
    {statement}
    return v_found;
end
$function$;
comment on function tenure.sample(bigint) is 'A sample.';
revoke all on function tenure.sample(bigint) from public;
"""
INSERT = "insert into tenure.step as s values (sample.p_step_id) returning s.step_id into strict v_found;"
CLEAN = FUNCTION.format(statement="v_found := sample.p_step_id;")


def messages(findings: list[Finding]) -> list[str]:
    """Return what the findings say."""
    return [finding.message for finding in findings]


def in_body(statement: str) -> list[str]:
    """Return what the scan says about a function with this statement in its body."""
    return [str(finding) for finding in bodies.check_text("sample.sql", FUNCTION.format(statement=statement))]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 into strict v_found;",
        "v_Found := 1;",
        "execute 'select 1' into v_found;",
        "select 1 into strict v_found where now() > '2000-01-01';",
        "if current_timestamp is null then return 1; end if;",
        "if clock_timestamp() is null then return 1; end if;",
        "begin v_found := 1; exception when others then v_found := 2; end;",
        "raise exception 'no code';",
        "perform set_config('search_path', '', true); set search_path = 'x';",
    ],
)
def test_scan_finds(statement: str) -> None:
    """The scan reads inside `$$` and names the line."""
    found = in_body(statement)
    assert len(found) == 1
    assert found[0].startswith("sql/sample.sql:9: ")


@pytest.mark.parametrize(
    "statement",
    [
        "v_found := sample.p_step_id;",
        "-- execute: a role's name cannot be a parameter.\n    execute format('set role %I', 'x');",
        "raise exception using errcode = 'TN007', message = 'Refused';",
        'select x."Upper" into strict v_found from tenure_private."T" as x; -- SELECT now()',
        "v_found := length('SELECT now()');",
    ],
)
def test_scan_passes(statement: str) -> None:
    """Strings, comments, quoted names and named reasons are no findings."""
    assert in_body(statement) == []


def test_scan_reports_what_does_not_parse() -> None:
    """A file that PostgreSQL cannot parse is a finding, not a crash."""
    assert len(bodies.check_text("sample.sql", "create functio x();")) == 1


def check_file(folder: Path, text: str, *, name: str = "sample.sql") -> list[str]:
    """Return what the checks of a function's file say about this text."""
    (folder / "functions").mkdir(exist_ok=True)
    path = folder / "functions" / name
    path.write_text(text, encoding="utf-8")
    return [finding.message for finding in functions.check_functions(folder)]


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("comment on function tenure.sample(bigint) is 'A sample.';", "", "no `comment on function`"),
        ("revoke all on function tenure.sample(bigint) from public;", "", "no `revoke all on function"),
        ("set search_path = pg_catalog, pg_temp", "", "no pinned search_path"),
        ("pg_catalog, pg_temp", "tenure, pg_temp", "search_path is tenure, pg_temp"),
        (" volatile", "", "volatility is not written out"),
        (" parallel unsafe", "", "parallel safety is not written out"),
        ("returns bigint", "returns table (a bigint)", "returns table"),
        ("function tenure.sample(p_", "function sample(p_", "the function's name has no schema"),
        ("function tenure.sample(p_", "function tenure.other(p_", "the function is other, the file sample"),
    ],
)
def test_function_file(tmp_path: Path, old: str, new: str, finding: str) -> None:
    """A function's file says everything about its function."""
    assert check_file(tmp_path, CLEAN) == []
    assert old in CLEAN
    found = check_file(tmp_path, CLEAN.replace(old, new))
    assert len(found) == 1
    assert found[0].startswith(finding)


def test_one_function_a_file(tmp_path: Path) -> None:
    """Two functions in one file are refused, and so is a file that does not parse."""
    assert len(check_file(tmp_path, CLEAN + CLEAN)) == 1
    assert len(check_file(tmp_path, "create functio x();")) == 1


def test_view_without_comment(tmp_path: Path) -> None:
    """A view says what it shows."""
    (tmp_path / "views").mkdir()
    path = tmp_path / "views" / "v.sql"
    path.write_text("create view tenure.v as select 1 as one;\ncomment on view tenure.v is 'One.';\n")
    assert functions.check_views(tmp_path) == []
    path.write_text("create view tenure.v as select 1 as one;\n")
    assert len(functions.check_views(tmp_path)) == 1


def test_pgspot() -> None:
    """A definer function that others can plant names for is found in the built script."""
    script = "create schema s;\n" + CLEAN.replace("tenure.", "s.")
    assert commands.check_pgspot(script) == []
    assert len(commands.check_pgspot(script.replace("set search_path = pg_catalog, pg_temp", ""))) == 1
    assert (
        len(commands.check_pgspot(script.replace("v_found bigint", "v_found s.odd").replace(":=", ".a :=")))
        == 1
    )


def test_pgspot_sees_helpers_as_they_run() -> None:
    """An inlined helper of the private schema passes; one in the public schema, or a definer, does not."""
    helper = """\
create schema tenure_private;
create schema tenure;
create or replace function tenure_private.more(p_a bigint, p_b bigint)
returns boolean
language sql immutable parallel safe
as $function$
select p_a > p_b;
$function$;
"""
    assert commands.check_pgspot(helper) == []
    assert len(commands.check_pgspot(helper.replace("tenure_private.more", "tenure.more"))) == 1
    assert len(commands.check_pgspot(helper.replace("parallel safe", "parallel safe security definer"))) == 1


def test_squawk(tmp_path: Path) -> None:
    """A migration that would shut everybody out while it rewrites a table is found."""
    folder = tmp_path / "sql" / "migrations"
    folder.mkdir(parents=True)
    migration = folder / "1.0.0--1.1.0.sql"
    migration.write_text("create table s.t (a int constraint t_pkey primary key);\n", encoding="utf-8")
    assert commands.check_squawk(tmp_path) == []
    migration.write_text("alter table s.t alter column a type bigint;\n", encoding="utf-8")
    assert len(commands.check_squawk(tmp_path)) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [("sql/views/v.sql", "SELECT 1 as one;\n"), ("pgtap/t.sql", "select 1  as one;\n")],
)
def test_sqlfluff(tmp_path: Path, path: str, text: str) -> None:
    """SQL outside of bodies is linted, in sql/ and pgtap/."""
    (tmp_path / "sql").mkdir()
    (tmp_path / "pgtap").mkdir()
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert commands.check_sqlfluff(tmp_path) == []
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text)
    assert len(commands.check_sqlfluff(tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ruff", "import os\n"),
        ("format", "x = {  'a':1}\n"),
        ("mypy", "from __future__ import annotations\n\n\ndef f(x):\n    return x\n"),
    ],
)
def test_python_linters(tmp_path: Path, name: str, text: str) -> None:
    """Each linter's failure becomes a finding."""
    command = {**commands.COMMANDS, "mypy": ["mypy", "--strict", "."]}[name]
    (tmp_path / "sample.py").write_text("")
    assert commands.check_command(name, command, tmp_path) == []
    (tmp_path / "sample.py").write_text(text)
    assert len(commands.check_command(name, command, tmp_path)) == 1


@pytest.fixture(scope="module")
def checked() -> Iterator[psycopg.Connection[Any]]:
    """A PostgreSQL 15 with plpgsql_check."""
    with database.checked_server() as conn:
        yield conn


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        (INSERT, ""),
        ("v_found := sample.p_step_id;", "should be IMMUTABLE"),
        ("-- volatile: a reason\n    v_found := sample.p_step_id;", ""),
        (
            INSERT.replace("values", "select x.nothing from tenure.step as x where 1 in"),
            "nothing does not exist",
        ),
        (f"declare v_unused int; begin {INSERT} end;", "unused variable"),
        (INSERT.replace("s.step_id into", "s.step_id, 1 into"), "2 source elements|too many"),
        (f"declare v_found int; begin {INSERT} end;", "shadows a previously defined variable"),
    ],
)
def test_plpgsql(checked: psycopg.Connection[Any], statement: str, finding: str) -> None:
    """plpgsql_check with all warnings, and the extra errors at install, see into bodies."""
    script = "create schema tenure;\ncreate table tenure.step (step_id bigint);\n"
    checked.execute("drop schema if exists tenure cascade")
    found = database.install(checked, script + FUNCTION.format(statement=statement))
    found = found or database.check_plpgsql(checked)
    if not finding:
        assert found == []
        return
    messages = " ".join(item.message for item in found)
    assert any(part in messages for part in finding.split("|")), messages


def test_api(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, conn: psycopg.Connection[Any]) -> None:
    """A public function that changed without its line in API.txt is found."""
    monkeypatch.setattr(api, "API", tmp_path / "API.txt")
    assert len(api.check_api(conn)) == 1
    (tmp_path / "API.txt").write_text(api.render(conn), encoding="utf-8")
    assert api.check_api(conn) == []
    conn.execute("create function tenure.extra(a int) returns int language sql as 'select 1'")
    assert len(api.check_api(conn)) == 1


def test_rules(tmp_path: Path) -> None:
    """A rule that no test names is found, and a test that names a rule which is not there."""
    for folder in ("docs", "pgtap", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "docs" / "rules.md").write_text("# Rules\n\n### R-01 The clock\n\n### R-02 The lease\n")
    test = tmp_path / "pgtap" / "a.sql"
    test.write_text("-- R-01 R-02\n")
    assert layout.check_rules(tmp_path) == []
    test.write_text("-- R-01\n")
    assert messages(layout.check_rules(tmp_path)) == ["1 are named by no test: R-02"]
    test.write_text("-- R-01 R-02 R-03\n")
    assert messages(layout.check_rules(tmp_path)) == ["1 are named by a test, but are not there: R-03"]
    (tmp_path / "docs" / "rules.md").write_text("### R-01 a\n\n### R-01 b\n\n### R-02 c\n\n### R-03 d\n")
    assert messages(layout.check_rules(tmp_path)) == ["1 stand there twice: R-01"]
    (tmp_path / "docs" / "rules.md").write_text("# Rules\n")
    assert "has no rule" in layout.check_rules(tmp_path)[0].message


@pytest.mark.parametrize(
    "text",
    [
        "begin;\nselect plan(1);\nselect pass('a');\nselect * from finish();\n",
        "select plan(1);\nselect pass('a');\nselect * from finish();\nrollback;\n",
        "begin;\nselect pass('a');\nselect * from finish();\nrollback;\n",
        "begin;\nselect plan(1);\ncommit;\nbegin;\nselect pass('a');\nselect * from finish();\nrollback;\n",
    ],
)
def test_pgtap_shape(tmp_path: Path, text: str) -> None:
    """A pgTAP file that would leave something behind, or has no plan, is found."""
    (tmp_path / "pgtap").mkdir()
    path = tmp_path / "pgtap" / "a.sql"
    path.write_text("begin;\nselect plan(1);\nselect pass('a');\nselect * from finish();\nrollback;\n")
    assert layout.check_pgtap(tmp_path) == []
    path.write_text(text)
    assert len(layout.check_pgtap(tmp_path)) == 1


LONG = "x" * 121


@pytest.mark.parametrize(
    "line",
    [
        f"select '{LONG}';",
        f"    '{LONG}', v_found",
        f"    '', '{LONG}'",
        f"select {LONG};",
        f"-- {LONG}",
        f"comment on table s.t is 'It''s one; of\nthree {LONG}\nlines.'; select {LONG};",
    ],
)
def test_lines(tmp_path: Path, line: str) -> None:
    """A long line is found by its number, inside bodies and outside."""
    assert long_lines(tmp_path, line) == [line.count("\n") + 2]


@pytest.mark.parametrize(
    "line",
    [
        f"    '{LONG}'",
        f"    'it''s {LONG}',",
        f"    '{LONG}');",
        f"comment on table s.t is '{LONG}';",
        f"comment on function s.f(\n    text\n) is\n'It''s one; of\nthree {LONG}\nlines.';",
        "x" * 120,
    ],
)
def test_lines_pass(tmp_path: Path, line: str) -> None:
    """A comment's text may be as long as it must, and so may a literal that stands alone."""
    assert long_lines(tmp_path, line) == []


def long_lines(root: Path, line: str) -> list[int]:
    """Return the numbers of the long lines in a file whose second line this is; a release is none of it."""
    for folder in ("views", "releases"):
        (root / "sql" / folder).mkdir(parents=True)
        (root / "sql" / folder / "v.sql").write_text(f"-- one\n{line}\n", encoding="utf-8")
    where = [finding.where.rpartition(":") for finding in layout.check_lines(root)]
    assert {name for name, _, _ in where} <= {"sql/views/v.sql"}
    return [int(number) for _, _, number in where]


def test_manifest(tmp_path: Path) -> None:
    """A SQL file that a fresh install would forget is found; releases are no part of it."""
    sql = tmp_path / "sql"
    (sql / "releases").mkdir(parents=True)
    (sql / "build.py").write_text((ROOT / "sql" / "build.py").read_text(encoding="utf-8"))
    (sql / "releases" / "old.sql").write_text("select 1;\n")
    (sql / "a.sql").write_text("select 1;\n")
    (sql / "MANIFEST").write_text("a.sql\n")
    assert layout.check_manifest(tmp_path) == []
    (sql / "b.sql").write_text("select 1;\n")
    assert [finding.where for finding in layout.check_manifest(tmp_path)] == ["sql/b.sql"]
