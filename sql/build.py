"""Build the scripts from the files that `sql/MANIFEST` lists, in its order.

There is one neutral text for each step: one that installs this version, and one for each upgrade from one
release to the next. Neutral: no `begin`, no `commit`, no backslash command, nothing that Flyway would take
for a placeholder, so that any tool which opens a transaction of its own can run it. Everything else is a thin
wrapper:

* `python/tenure/_sql/`: the texts as they are, for `tenure migrate`; they ship inside the Python package.
* `dist/tenure--X.Y.Z.sql`, `dist/tenure--A--B.sql`: for `psql -f`, in a transaction of their own.
* `dist/flyway/`, `dist/sqitch/`: every step from the first release on, for tools that count them.
* `dist/extension/`: for `create extension`.

Upgrades to earlier releases are not built but taken from `sql/releases/`, as they were released. Every text
takes the install lock first and refuses a database that is not as it expects, so that two racing runs cannot
interleave whichever form each of them has.
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
EXTENSION_BEGIN = """\
\\echo Use "create extension tenure" or "alter extension tenure update" to load this file. \\quit
set local tenure.form = 'extension';
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
    # Scripts of their own, and what wraps them: never part of a fresh install.
    apart = {"forms", "migrations", "releases", "sqitch", "uninstall.sql"}
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
    forms = root / "sql" / "forms"
    parts = [
        *(forms / name for name in ("begin.sql", "turn.sql", "install.sql")),
        *manifest(root / "sql"),
        forms / "end.sql",
    ]
    return _title(root, "installs the engine") + _join(root, parts)


def upgrade_text(root: Path, old: str, new: str) -> str:
    """Return the text that upgrades the engine inside a transaction of the caller's."""
    if new != project_version(root):
        return released_text(root, f"tenure--{old}--{new}.sql")
    forms = root / "sql" / "forms"
    folder = root / "sql" / "migrations"
    *functions, seal = repeatable(root / "sql")
    # What claims would wait for, and no function needs, comes as late as it can.
    last = folder / "last" / f"{old}--{new}.sql"
    parts = [
        *(forms / name for name in ("begin.sql", "turn.sql", "upgrade.sql")),
        folder / f"{old}--{new}.sql",
        *functions,
        *([last] if last.is_file() else []),
        seal,
        forms / "end.sql",
    ]
    return _title(root, f"upgrades {old}") + _join(root, parts).replace("@FROM@", old)


def uninstall_text(root: Path = ROOT) -> str:
    """Return the text that removes the engine inside a transaction of the caller's."""
    forms = root / "sql" / "forms"
    parts = [forms / "begin.sql", forms / "turn.sql", root / "sql" / "uninstall.sql", forms / "end.sql"]
    return _title(root, "removes the engine") + _join(root, parts)


def released_text(root: Path, name: str) -> str:
    """Return the neutral text inside a released script, which stays as it was released."""
    path = root / "sql" / "releases" / name
    if not path.is_file():
        raise BuildError(f"sql/releases/{name} is missing")
    return path.read_text(encoding="utf-8").removeprefix(PSQL_BEGIN).removesuffix(PSQL_COMMIT)


def neutral_texts(root: Path = ROOT) -> dict[str, str]:
    """Return the neutral texts that lead to this version, by the names of their scripts."""
    texts = {f"tenure--{project_version(root)}.sql": install_text(root)}
    for old, new in migrations(root / "sql"):
        texts[f"tenure--{old}--{new}.sql"] = upgrade_text(root, old, new)
    return texts


def packaged_texts(root: Path = ROOT) -> dict[str, str]:
    """Return the neutral texts that the Python package carries: `neutral_texts`, and how to remove it all."""
    return {**neutral_texts(root), "uninstall.sql": uninstall_text(root)}


def steps_from_the_first(root: Path) -> list[tuple[str, str]]:
    """Return (version, neutral text) of every step, oldest first, for tools that count them."""
    pairs = migrations(root / "sql")
    first = pairs[0][0]
    return [
        (first, released_text(root, f"tenure--{first}.sql")),
        *((new, upgrade_text(root, old, new)) for old, new in pairs),
    ]


def psql_forms(root: Path) -> dict[str, str]:
    """Return the scripts for `psql -f`, each in a transaction of its own."""
    return {name: f"{PSQL_BEGIN}{text}{PSQL_COMMIT}" for name, text in packaged_texts(root).items()}


def checks(root: Path) -> dict[str, str]:
    """Return the checks that a DBA runs on a database at work, as they are."""
    folder = root / "pgtap" / "production"
    return {f"checks/{path.name}": path.read_text(encoding="utf-8") for path in folder.glob("*.*sql")}


def flyway_forms(root: Path) -> dict[str, str]:
    """Return Flyway's versioned migrations. It opens the transactions itself."""
    steps = steps_from_the_first(root)
    return {f"flyway/V{version.replace('.', '_')}__tenure.sql": text for version, text in steps}


def sqitch_forms(root: Path) -> dict[str, str]:
    """Return a Sqitch project, with one change a release: the first can be reverted, which removes it all."""
    folder = root / "sql" / "sqitch"
    plan, conf, verify, refuse = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("sqitch.plan", "sqitch.conf", "verify.sql", "revert.sql")
    )
    revert = f"begin;\n{uninstall_text(root)}{PSQL_COMMIT}"
    forms = {"sqitch/sqitch.plan": plan, "sqitch/sqitch.conf": conf}
    for version, text in steps_from_the_first(root):
        forms[f"sqitch/deploy/tenure-{version}.sql"] = f"begin;\n{text}{PSQL_COMMIT}"
        forms[f"sqitch/verify/tenure-{version}.sql"] = verify
        forms[f"sqitch/revert/tenure-{version}.sql"] = revert
        revert = refuse
    return forms


def extension_forms(root: Path) -> dict[str, str]:
    """Return the files of the extension; with the first release, so that the way from it can be tried."""
    forms = root / "sql" / "forms"
    end = _part(root, forms / "extension_end.sql")
    first = migrations(root / "sql")[0][0]
    texts = {f"tenure--{first}.sql": released_text(root, f"tenure--{first}.sql"), **neutral_texts(root)}
    control = (forms / "extension.control").read_text(encoding="utf-8")
    return {
        "extension/tenure.control": control.replace("@VERSION@", project_version(root)),
        **{f"extension/{name}": f"{EXTENSION_BEGIN}{text}\n{end}" for name, text in texts.items()},
    }


def write(folder: Path, texts: dict[str, str]) -> None:
    """Write the files below `folder`, and remove those of an earlier build."""
    for old in folder.rglob("*"):
        ours = old.suffix in {".conf", ".control", ".plan", ".psql", ".sql"}
        if ours and old.relative_to(folder).as_posix() not in texts:
            old.unlink(missing_ok=True)  # another build may have been faster
    for name, text in texts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        # At once: another process may be about to read it.
        fresh = target.with_suffix(f".{os.getpid()}")
        fresh.write_text(text, encoding="utf-8", newline="\n")
        fresh.replace(target)


def build(root: Path = ROOT) -> list[str]:
    """Write every form; return the names of what is in dist/."""
    write(root / "python" / "tenure" / "_sql", packaged_texts(root))
    forms = (psql_forms, flyway_forms, sqitch_forms, extension_forms, checks)
    dist = {name: text for form in forms for name, text in form(root).items()}
    write(root / "dist", dist)
    return sorted(dist)


def _title(root: Path, what: str) -> str:
    return (
        f"-- Tenure {project_version(root)}: {what}."
        " Built from sql/ by sql/build.py; change the sources, not this text.\n"
    )


def _join(root: Path, paths: list[Path]) -> str:
    return "\n".join(_neutral(root, path) for path in paths)


def _neutral(root: Path, path: Path) -> str:
    where = path.relative_to(root).as_posix()
    text = _part(root, path)
    if re.search(r"^\\", text, flags=re.MULTILINE):
        raise BuildError(f"{where} has a backslash command, which only psql understands")
    if "${" in text:
        raise BuildError(f"{where} has a dollar and a brace, which Flyway takes for a placeholder")
    return f"-- {where}\n{text}"


def _part(root: Path, path: Path) -> str:
    return path.read_text(encoding="utf-8").rstrip().replace("@VERSION@", project_version(root)) + "\n"


if __name__ == "__main__":
    try:
        print("\n".join(f"dist/{name}" for name in build()))
    except BuildError as error:
        sys.exit(f"sql/build.py: {error}")
