"""Scans the bodies between `$$`, which sqlfluff does not read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pglast
from pglast import ast
from pglast.parser import Token, scan

from tests.lint.finding import Finding

# `now()` and its kin are frozen when the transaction starts; the engine decides by its own clock.
FROZEN_CLOCKS = {"now", "transaction_timestamp", "statement_timestamp", "timeofday"}
FROZEN_WORDS = {"current_timestamp", "current_date", "current_time", "localtime", "localtimestamp"}
CLOCK_FILE = "functions/private/clock.sql"
# The one place where the transaction's beginning is meant, and nothing is decided by it.
BEGIN_FILE = "functions/private/begun_at.sql"

# Swallowing every error is right around one item or chore of a sweep, where its error must stay its own, and
# nowhere else.
MAY_CATCH_ALL = {
    "functions/private/do_chore.sql",
    "functions/private/fold_safely.sql",
    "functions/private/ring_safely.sql",
}

# Where the reason for dynamic SQL must stand: in a comment that begins so, at most this many lines above.
EXECUTE_REASON = re.compile(r"--\s*execute:\s*\S")
EXECUTE_REASON_LINES = 3


@dataclass(frozen=True, slots=True)
class Body:
    """One body, and where it stands."""

    name: str  # of the file, relative to sql/
    text: str
    first_line: int

    def line(self, offset: int) -> int:
        """Return the file's line of a place in the body."""
        return self.first_line + self.text.count("\n", 0, offset)


def check_bodies(sql: Path) -> list[Finding]:
    """Check every body of every SQL file below the folder."""
    return [
        finding
        for path in sorted(sql.rglob("*.sql"))
        if path.relative_to(sql).parts[0] != "releases"
        for finding in check_text(path.relative_to(sql).as_posix(), path.read_text(encoding="utf-8"))
    ]


def check_text(name: str, text: str) -> list[Finding]:
    """Check every body in a file's text."""
    try:
        return [finding for body in bodies(name, text) for finding in check_body(body)]
    except pglast.parser.ParseError as error:
        return [Finding(f"sql/{name}", f"PostgreSQL cannot parse it: {error}")]


def bodies(name: str, text: str) -> Iterator[Body]:
    """Yield the bodies of the functions, procedures and `do` blocks in a file's text."""
    searched = 0
    for raw in pglast.parse_sql(text):
        for option in _options(raw.stmt):
            if option.defname != "as":
                continue
            value = option.arg[0] if isinstance(option.arg, tuple) else option.arg
            start = text.index(value.sval, searched)
            searched = start + len(value.sval)
            yield Body(name=name, text=value.sval, first_line=1 + text.count("\n", 0, start))


def _options(statement: Any) -> tuple[Any, ...]:
    """Return the options of a statement that has a body, the body being one of them."""
    if isinstance(statement, ast.CreateFunctionStmt):
        return statement.options or ()
    return statement.args or () if isinstance(statement, ast.DoStmt) else ()


def check_body(body: Body) -> Iterator[Finding]:
    """Yield what is wrong with one body."""
    tokens = [token for token in scan(body.text) if token.name not in {"SQL_COMMENT", "C_COMMENT"}]
    words = [body.text[token.start : token.end + 1] for token in tokens]
    for index, token in enumerate(tokens):
        for check in CHECKS:
            message = check(body, words, index, token)
            if message:
                yield Finding(f"sql/{body.name}:{body.line(token.start)}", message)


def _is_word(token: Token) -> bool:
    return token.name == "IDENT" or token.kind != "NO_KEYWORD"


def _lower_case(_body: Body, words: list[str], index: int, token: Token) -> str | None:
    word = words[index]
    if _is_word(token) and not word.startswith('"') and word != word.lower():
        return f"{word} is not lower case"
    return None


def _named_execute(body: Body, words: list[str], index: int, token: Token) -> str | None:
    if words[index] != "execute" or words[index + 1 : index + 2] == [
        "on"
    ]:  # `grant execute on` is no dynamic SQL
        return None
    lines = body.text[: token.start].splitlines()[-1 - EXECUTE_REASON_LINES :]
    if any(EXECUTE_REASON.search(line) for line in lines):
        return None
    return "execute without its reason: write `-- execute: why static SQL will not do` right above it"


def _own_clock(body: Body, words: list[str], index: int, _token: Token) -> str | None:
    word = words[index]
    called = words[index + 1 : index + 2] == ["("]
    if word in FROZEN_WORDS or (called and word in FROZEN_CLOCKS and body.name != BEGIN_FILE):
        return f"{word} is frozen or not the engine's clock: ask tenure_private.clock()"
    if called and word == "clock_timestamp" and body.name != CLOCK_FILE:
        return "clock_timestamp() belongs in tenure_private.clock() alone, or tests cannot move time"
    return None


def _no_catch_all(body: Body, words: list[str], index: int, _token: Token) -> str | None:
    if words[index : index + 2] == ["when", "others"] and body.name not in MAY_CATCH_ALL:
        return "when others catches what nobody thought of: name the conditions"
    return None


def _raise_with_code(_body: Body, words: list[str], index: int, _token: Token) -> str | None:
    if words[index : index + 2] == ["raise", "exception"] and words[index + 2 : index + 3] != ["using"]:
        return "raise exception without an error code: write `raise exception using errcode = …, message = …`"
    return None


def _pinned_inside(_body: Body, words: list[str], index: int, _token: Token) -> str | None:
    if words[index] == "search_path":
        return "a body must not touch search_path: pin it in the function's `set` clause"
    return None


Check = Callable[[Body, list[str], int, Token], str | None]
CHECKS: list[Check] = [
    _lower_case,
    _named_execute,
    _own_clock,
    _no_catch_all,
    _raise_with_code,
    _pinned_inside,
]
