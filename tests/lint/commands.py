"""Checks by ready-made linters."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.lint.finding import Finding

# Functions that pgspot would have pinned, and why they are not:
# the clock is inlined or called by everything, and every name in it is qualified.
UNPINNED = ["tenure_private.clock()"]

COMMANDS = {
    "ruff": ["ruff", "check", "."],
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
    return (
        check_command("sqlfluff", ["sqlfluff", "lint", "--processes", "2", *folders], root) if folders else []
    )


def _holds_sql(path: Path) -> bool:
    return path.suffix == ".sql" or (path.is_dir() and path.name != "releases" and any(path.rglob("*.sql")))


def check_pgspot(script: str) -> list[Finding]:
    """Look for ways to plant names in the built script: no error, no warning, nothing unknown."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        program = Path(sys.executable).with_name("pgspot")
        unpinned = [word for name in UNPINNED for word in ("--proc-without-search-path", name)]
        done = subprocess.run(
            [str(program), *unpinned, file.name], capture_output=True, text=True, check=False
        )
    if re.search(r"Errors: 0 Warnings: 0 Unknown: 0", done.stdout):
        return []
    return [Finding("pgspot", f"\n{done.stdout}{done.stderr}".rstrip())]
