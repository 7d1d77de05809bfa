"""Installs the engine into a database, as `tenure migrate` does."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import psycopg

from tenure.errors import AlreadyInstalled, SchemaMismatch, translate


@dataclass(frozen=True, slots=True)
class Migration:
    """What `migrate()` found and did."""

    version: str
    installed: bool

    def __str__(self) -> str:
        """Say it in one line."""
        return f"installed {self.version}" if self.installed else f"already at {self.version}"


def migrate(conn: psycopg.Connection[Any]) -> Migration:
    """Install this package's engine in one transaction; do nothing where it is there already.

    Raises `SchemaMismatch` when the database holds another version. Inside a transaction of the caller's the
    install joins it, and is there once that commits.
    """
    version, text = _packaged()
    found = installed_version(conn)
    if found is None:
        try:
            _run(conn, text)
        except AlreadyInstalled:
            # Another install was faster; the text's own lock made this one wait until it was done.
            found = installed_version(conn)
        else:
            return Migration(version=version, installed=True)
    if found != version:
        raise SchemaMismatch(
            f"this database holds Tenure {found}, and this package brings {version}",
            hint=f"Install the package of version {found}, or use a database without Tenure.",
        )
    return Migration(version=version, installed=False)


def installed_version(conn: psycopg.Connection[Any]) -> str | None:
    """Return the version of the engine in this database, or None where there is none."""
    with conn.transaction():
        schema = conn.execute(
            "select to_regnamespace('tenure'), to_regprocedure('tenure.schema_version()')"
        ).fetchone()
        if schema is None or schema[0] is None:
            return None
        if schema[1] is None:
            raise SchemaMismatch(
                'this database has a schema "tenure" that is not the engine\'s',
                hint="The engine needs that name: rename the schema, or use another database.",
            )
        row = conn.execute("select tenure.schema_version()").fetchone()
    return None if row is None else str(row[0])


def _packaged() -> tuple[str, str]:
    """Return the version and the text of the script inside this package."""
    folder = files("tenure") / "_sql"
    scripts = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")] if folder.is_dir() else []
    if len(scripts) != 1:
        raise SchemaMismatch("this package was built without its SQL", hint="In a clone, run: make build")
    name = scripts[0].name
    return name.removeprefix("tenure--").removesuffix(".sql"), scripts[0].read_text(encoding="utf-8")


def _run(conn: psycopg.Connection[Any], text: str) -> None:
    """Run the script in one transaction; the engine's own refusals come out as their classes."""
    try:
        with conn.transaction():
            # Bytes: psycopg takes text for a query only where a type checker sees it written out.
            conn.execute(text.encode())
    except psycopg.Error as error:
        ours = translate(error)
        raise error if ours is None else ours from error
