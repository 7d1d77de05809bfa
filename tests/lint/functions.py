"""Checks what surrounds a body: a function's file holds everything about one function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pglast
from pglast import ast

from tests.lint.finding import Finding

PINNED = ["pg_catalog", "pg_temp"]

# Unpinned: LANGUAGE sql helpers that must be inlined into the caller's plan, with every name in them
# qualified.
MAY_INLINE = {"sql"}


def check_functions(sql: Path) -> list[Finding]:
    """Check every file below `functions/`."""
    return _check_files(sql, sql / "functions", _check_function_file)


def check_views(sql: Path) -> list[Finding]:
    """Check that every view says what it shows."""
    return _check_files(sql, sql / "views", _check_view_file)


def _check_files(sql: Path, folder: Path, check: Callable[[str, list[Any]], Iterator[str]]) -> list[Finding]:
    findings = []
    for path in sorted(folder.rglob("*.sql")):
        where = f"sql/{path.relative_to(sql).as_posix()}"
        try:
            statements = [raw.stmt for raw in pglast.parse_sql(path.read_text(encoding="utf-8"))]
        except pglast.parser.ParseError as error:
            findings.append(Finding(where, f"PostgreSQL cannot parse it: {error}"))
            continue
        findings += [Finding(where, message) for message in check(path.stem, statements)]
    return findings


def _check_view_file(_stem: str, statements: list[Any]) -> Iterator[str]:
    view = pglast.enums.ObjectType.OBJECT_VIEW
    if not any(
        isinstance(statement, ast.CommentStmt) and statement.objtype == view for statement in statements
    ):
        yield "no `comment on view`"


def _check_function_file(stem: str, statements: list[Any]) -> Iterator[str]:
    functions = [statement for statement in statements if isinstance(statement, ast.CreateFunctionStmt)]
    if len(functions) != 1:
        yield f"{len(functions)} functions in one file; there must be one"
        return
    function = functions[0]
    name = function.funcname[-1].sval
    if name != stem:
        yield f"the function is {name}, the file {stem}"
    if len(function.funcname) != 2:
        yield "the function's name has no schema"
    if not any(isinstance(statement, ast.CommentStmt) for statement in statements):
        yield "no `comment on function`"
    if not any(_revokes_from_public(statement) for statement in statements):
        yield "no `revoke all on function … from public`: EXECUTE goes to everyone by default"
    yield from _check_definition(function)


def _revokes_from_public(statement: Any) -> bool:
    public = pglast.enums.RoleSpecType.ROLESPEC_PUBLIC
    return (
        isinstance(statement, ast.GrantStmt)
        and not statement.is_grant
        and any(grantee.roletype == public for grantee in statement.grantees)
    )


def _check_definition(function: ast.CreateFunctionStmt) -> Iterator[str]:
    options = {option.defname: option.arg for option in function.options or () if option.defname != "set"}
    language = options["language"].sval
    path = _search_path(function)
    if path is None and (language not in MAY_INLINE or "security" in options):
        yield "no pinned search_path: `set search_path = pg_catalog, pg_temp`"
    if path is not None and path != PINNED:
        yield f"search_path is {', '.join(path)}; pg_temp last and nothing else keeps planted names out"
    if "volatility" not in options:
        yield "volatility is not written out"
    if "parallel" not in options:
        yield "parallel safety is not written out"
    table = pglast.enums.FunctionParameterMode.FUNC_PARAM_TABLE
    if any(parameter.mode == table for parameter in function.parameters or ()):
        yield "returns table(…) cannot gain a column later: return a composite type"


def _search_path(function: ast.CreateFunctionStmt) -> list[str] | None:
    for option in function.options or ():
        if option.defname == "set" and option.arg.name == "search_path":
            return [value.val.sval for value in option.arg.args or ()]
    return None
