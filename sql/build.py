"""Build the install script from the files that `sql/MANIFEST` lists, in its order.

Two texts, one content:

* the neutral text: no `begin`, no `commit`, no backslash command, so that any tool which opens a transaction
of its
  own can run it. It ships inside the Python package for `tenure migrate`.
* `dist/tenure--X.Y.Z.sql`: the same text wrapped for `psql -f`.

Both take the install lock first and refuse a database that has the engine already, so two racing installs
cannot interleave whichever text each of them runs.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PRELUDE = """\
-- Tenure {version}: the engine. Built from sql/ by sql/build.py; change the sources, not this text.
-- Runs in one transaction, which the caller opens and commits.
set local lock_timeout = '5s';
-- So that no name or operator below can mean something that was planted in the database.
set local search_path = pg_catalog, pg_temp;
do $prelude$
begin
    -- Two installs at once would fail on each other's catalogue rows; the second waits here instead.
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('tenure.install', 0));
    -- Not to_regnamespace(): after the wait for the lock the name cache may still know of no such schema.
    if exists (select from pg_catalog.pg_namespace as n where n.nspname = 'tenure') then
        raise exception using
            errcode = 'TN020',
            message = 'Tenure is already installed in this database',
            detail = 'The schema "tenure" exists.',
            hint = 'Ask select tenure.schema_version() which version it is.';
    end if;
end;
$prelude$;
"""

EPILOGUE = """\
-- What the caller adds to this transaction is the caller's again.
set local role none;
set local search_path to default;
"""

PSQL_SCRIPT = """\
\\set ON_ERROR_STOP on
begin;
{neutral}
commit;
"""


class BuildError(Exception):
    """The sources cannot be built into a script."""


def project_version(root: Path = ROOT) -> str:
    """Return the version that `pyproject.toml` states: the only place where it stands."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def manifest(sql: Path) -> list[Path]:
    """Return the files of `sql/MANIFEST` in load order; refuse one that is missing or twice there."""
    lines = (
        line.partition("#")[0].strip() for line in (sql / "MANIFEST").read_text(encoding="utf-8").splitlines()
    )
    names = [line for line in lines if line]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BuildError(f"sql/MANIFEST lists twice: {', '.join(twice)}")
    missing = [name for name in names if not (sql / name).is_file()]
    if missing:
        raise BuildError(f"sql/MANIFEST lists files that do not exist: {', '.join(missing)}")
    return [sql / name for name in names]


def left_out(sql: Path) -> list[str]:
    """Return the SQL files that a fresh install would forget: for lint, not for the build."""
    # Releases and migrations are scripts of their own, never part of a fresh install.
    apart = {"releases", "migrations"}
    listed = {path.relative_to(sql).as_posix() for path in manifest(sql)}
    found = {path.relative_to(sql).as_posix() for path in sql.rglob("*.sql")}
    return sorted(name for name in found - listed if name.partition("/")[0] not in apart)


def neutral_text(root: Path = ROOT) -> str:
    """Return the text that installs the engine inside a transaction of the caller's."""
    version = project_version(root)
    parts = [PRELUDE.format(version=version)]
    for path in manifest(root / "sql"):
        body = path.read_text(encoding="utf-8").replace("@VERSION@", version)
        where = path.relative_to(root).as_posix()
        if re.search(r"^\\", body, flags=re.MULTILINE):
            raise BuildError(f"{where} has a backslash command, which only psql understands")
        parts.append(f"-- {where}\n{body.rstrip()}\n")
    return "\n".join([*parts, EPILOGUE])


def psql_text(root: Path = ROOT) -> str:
    """Return the script for `psql -f`: the neutral text in a transaction of its own."""
    return PSQL_SCRIPT.format(neutral=neutral_text(root))


def write(folder: Path, text: str, version: str) -> Path:
    """Write the script into `folder` as the only one there, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"tenure--{version}.sql"
    for old in folder.glob("tenure--*.sql"):
        if old != target:
            old.unlink()
    if not target.is_file() or target.read_text(encoding="utf-8") != text:
        # At once: another process may be about to read it.
        fresh = target.with_suffix(f".{os.getpid()}")
        fresh.write_text(text, encoding="utf-8", newline="\n")
        fresh.replace(target)
    return target


def build(root: Path = ROOT) -> Path:
    """Write the psql script to dist/ and the neutral text to where an editable install finds it."""
    version = project_version(root)
    write(root / "python" / "tenure" / "_sql", neutral_text(root), version)
    return write(root / "dist", psql_text(root), version)


if __name__ == "__main__":
    try:
        print(build().relative_to(ROOT))
    except BuildError as error:
        sys.exit(f"sql/build.py: {error}")
