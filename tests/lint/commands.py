"""Checks by ready-made linters."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.lint.finding import Finding

# A variable of one of our composite types, in a `declare` section.
COMPOSITE = re.compile(r"^(\s+[vr]_\w+(?: constant)?) tenure(?:_private)?\.\w+(?=;| :=)", re.MULTILINE)
# The end of the head of a LANGUAGE sql helper that is not pinned, so that it can be inlined.
INLINED = re.compile(
    r"(\Atenure_private\.[^$]*?\nlanguage sql (?:immutable|stable|volatile) parallel \w+\n)(?=as \$)"
)

SQUAWK_EXCLUDED = [
    "prefer-robust-stmts",  # the script asserts the version that it starts from, and is one transaction
    "require-lock-timeout",  # it stands at the head of every upgrade
    "require-statement-timeout",  # no statement waits for anything but a lock
    "prefer-bigint-over-int",  # there are not that many queues, tracks, priorities and attempts
]

COMMANDS = {
    "ruff": ["ruff", "check", "--output-format", "concise", "."],
    "format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
}


def check_command(name: str, command: list[str], root: Path) -> list[Finding]:
    """Run a linter of the environment; its output is the finding."""
    program = Path(sys.executable).with_name(command[0])
    done = subprocess.run([str(program), *command[1:]], cwd=root, capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [Finding(name, f"\n{done.stdout}{done.stderr}".rstrip())]


def check_sqlfluff(root: Path) -> list[Finding]:
    """Lint the SQL outside of bodies, as far as there is any."""
    # The committed releases are built texts: their sources were linted when they were written.
    folders = [str(path) for path in (*sorted((root / "sql").iterdir()), root / "pgtap") if _holds_sql(path)]
    if not folders:
        return []
    return check_command("sqlfluff", ["sqlfluff", "lint", "--processes", "2", *folders], root)


def _holds_sql(path: Path) -> bool:
    return path.suffix == ".sql" or (path.is_dir() and path.name != "releases" and any(path.rglob("*.sql")))


def check_squawk(root: Path) -> list[Finding]:
    """Look for changes of tables that lock out, or break, what is at work."""
    migrations = [str(path) for path in sorted((root / "sql" / "migrations").rglob("*.sql"))]
    options = ["--reporter=gcc", "--pg-version=15", "--assume-in-transaction"]
    command = ["squawk", *options, f"--exclude={','.join(SQUAWK_EXCLUDED)}", *migrations]
    return check_command("squawk", command, root) if migrations else []


def check_pgspot(script: str) -> list[Finding]:
    """Look for ways to plant names in the built script: no error, no warning, nothing unknown."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql", encoding="utf-8") as file:
        file.write(as_it_runs(script))
        file.flush()
        program = Path(sys.executable).with_name("pgspot")
        done = subprocess.run([str(program), file.name], capture_output=True, text=True, check=False)
    # It tells of a body that it could not read beside a summary of zeroes, and by its exit code.
    if done.returncode == 0 and "Errors: 0 Warnings: 0 Unknown: 0" in done.stdout:
        return []
    return [Finding("pgspot", f"\n{done.stdout}{done.stderr}".rstrip())]


def as_it_runs(script: str) -> str:
    """Return the script in words that pgspot, which sees no database, understands.

    It knows no composite types: to it a variable of one is a record. And it cannot see that helpers in the
    schema that nobody may use run only under the pinned path of the function that called them (a view's
    reader, who runs them under his own, can fool nobody but himself): they are shown to it as pinned.
    """
    head = "create or replace function "
    first, *definitions = COMPOSITE.sub(r"\1 record", script).split(head)
    pinned = [
        INLINED.sub(r"\1set search_path = pg_catalog, pg_temp\n", text, count=1) for text in definitions
    ]
    return head.join([first, *pinned])
