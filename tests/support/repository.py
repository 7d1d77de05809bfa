"""The repository itself, as tests see it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
SCRIPTS = ROOT / "dist"
"""The scripts for psql."""
TEXTS = ROOT / "python" / "tenure" / "_sql"
"""The neutral texts."""
INSTALL = f"tenure--{VERSION}.sql"
"""The name of the install script in either folder."""


def _number(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


STEPS = sorted(
    (path.stem.partition("--")[::2] for path in (ROOT / "sql" / "migrations").glob("*.sql")),
    key=lambda step: _number(step[1]),
)
"""The upgrades, as (from, to), oldest first."""
FIRST = STEPS[0][0]
"""The first release."""
PREVIOUS = STEPS[-1][0]
"""The release before this version, whose workers this version's schema serves."""


def build() -> None:
    """Build the scripts from the sources."""
    subprocess.run([sys.executable, str(ROOT / "sql" / "build.py")], check=True, stdout=subprocess.DEVNULL)


def released(version: str) -> bytes:
    """Return the install script of a release, without what only psql understands."""
    script = ROOT / "sql" / "releases" / f"tenure--{version}.sql"
    return script.read_bytes().removeprefix(b"\\set ON_ERROR_STOP on\n")
