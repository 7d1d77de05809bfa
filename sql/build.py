"""Build the scripts from the files that `sql/MANIFEST` lists, in its order.

There is one neutral text for each step: one that installs this version, and one for each upgrade from one
release to the next. Neutral: no `begin`, no `commit`, no backslash command, nothing that Flyway would take for a
placeholder, so that any tool which opens a transaction of its own can run it. Everything else is a thin wrapper:

* `python/tenure/_sql/`: the texts as they are, for `tenure migrate`; they ship inside the Python package.
* `dist/tenure--X.Y.Z.sql`, `dist/tenure--A--B.sql`: for `psql -f`, in a transaction of their own.

Upgrades to earlier releases are not built but taken from `sql/releases/`, as they were released. Every text takes
the install lock first and refuses a database that is not as it expects, so that two racing runs cannot interleave
whichever form each of them has.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PSQL_BEGIN = "\\set ON_ERROR_STOP on\nbegin;\n"
PSQL_COMMIT = "\ncommit;\n"


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
    # Scripts of their own, and what wraps them: never part of a fresh install.
    apart = {"forms", "migrations", "releases", "uninstall.sql"}
    listed = {path.relative_to(sql).as_posix() for path in manifest(sql)}
    found = {path.relative_to(sql).as_posix() for path in sql.rglob("*.sql")}
    return sorted(name for name in found - listed if name.partition("/")[0] not in apart)


def repeatable(sql: Path) -> list[Path]:
    """Return what runs on every install and upgrade: all of the manifest but the roles and the tables."""
    return [path for path in manifest(sql) if path.relative_to(sql).parts[0] not in {"roles.sql", "schema"}]


def migrations(sql: Path) -> list[tuple[str, str]]:
    """Return the upgrades there are, as (from, to), oldest first."""
    names = [path.stem.partition("--") for path in (sql / "migrations").glob("*.sql")]
    return sorted(
        ((old, new) for old, _, new in names), key=lambda pair: [int(part) for part in pair[1].split(".")]
    )


def install_text(root: Path = ROOT) -> str:
    """Return the text that installs the engine inside a transaction of the caller's."""
    sql = root / "sql"
    return _text(root, [sql / "forms" / "install.sql", *manifest(sql)])


def upgrade_text(root: Path, old: str, new: str) -> str:
    """Return the text that upgrades the engine inside a transaction of the caller's."""
    sql = root / "sql"
    if new != project_version(root):
        return _released(sql / "releases" / f"tenure--{old}--{new}.sql")
    migration = sql / "migrations" / f"{old}--{new}.sql"
    return _text(root, [sql / "forms" / "upgrade.sql", migration, *repeatable(sql)], old=old)


def neutral_texts(root: Path = ROOT) -> dict[str, str]:
    """Return every neutral text by the name of its script."""
    texts = {f"tenure--{project_version(root)}.sql": install_text(root)}
    for old, new in migrations(root / "sql"):
        texts[f"tenure--{old}--{new}.sql"] = upgrade_text(root, old, new)
    return texts


def psql_text(neutral: str) -> str:
    """Return the script for `psql -f`: the neutral text in a transaction of its own."""
    return f"{PSQL_BEGIN}{neutral}{PSQL_COMMIT}"


def write(folder: Path, texts: dict[str, str]) -> None:
    """Write the scripts into `folder`, as the only ones there."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.sql"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        target = folder / name
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        # At once: another process may be about to read it.
        fresh = target.with_suffix(f".{os.getpid()}")
        fresh.write_text(text, encoding="utf-8", newline="\n")
        fresh.replace(target)


def build(root: Path = ROOT) -> list[str]:
    """Write every form; return the names of the scripts for psql."""
    texts = neutral_texts(root)
    write(root / "python" / "tenure" / "_sql", texts)
    write(root / "dist", {name: psql_text(text) for name, text in texts.items()})
    return sorted(texts)


def _text(root: Path, paths: list[Path], *, old: str = "") -> str:
    parts = [_part(root, path, old) for path in [*paths, root / "sql" / "forms" / "end.sql"]]
    return "\n".join(parts)


def _part(root: Path, path: Path, old: str) -> str:
    where = path.relative_to(root).as_posix()
    body = path.read_text(encoding="utf-8")
    if re.search(r"^\\", body, flags=re.MULTILINE):
        raise BuildError(f"{where} has a backslash command, which only psql understands")
    if "${" in body:
        raise BuildError(f"{where} has a dollar and a brace, which Flyway takes for a placeholder")
    body = body.replace("@VERSION@", project_version(root)).replace("@FROM@", old)
    return f"{body.rstrip()}\n" if path.parent.name == "forms" else f"-- {where}\n{body.rstrip()}\n"


def _released(path: Path) -> str:
    """Return the neutral text inside a released script."""
    if not path.is_file():
        raise BuildError(f"sql/releases/{path.name} is missing: upgrades to a release stay as they were released")
    return path.read_text(encoding="utf-8").removeprefix(PSQL_BEGIN).removesuffix(PSQL_COMMIT)


if __name__ == "__main__":
    try:
        print("\n".join(f"dist/{name}" for name in build()))
    except BuildError as error:
        sys.exit(f"sql/build.py: {error}")
