"""Checks PL/pgSQL in a database: plpgsql_check with all warnings, `plpgsql.extra_errors = all`."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tenure import embedded
from tests.lint.finding import Finding
from tests.support.debian import PLPGSQL_CHECK, PLPGSQL_CHECK_SQL, MissingToolError, tool

SCHEMAS = ["tenure", "tenure_private"]

# A function that only reads may be volatile on purpose: to see what was committed since the statement began,
# or because the planner would else evaluate it beforehand, refusal included. Its body says so.
VOLATILE_ADVICE = "routine is marked as VOLATILE"
VOLATILE_REASON = re.compile(r"--\s*volatile:\s*\S")

# One row a finding. A trigger's function is checked against each table that it serves.
_CHECK = """
select p.oid::regprocedure::text, c.lineno, c.level, c.message, coalesce(c.detail, ''), p.prosrc
from pg_catalog.pg_proc as p
join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
join pg_catalog.pg_language as l on l.oid = p.prolang and l.lanname = 'plpgsql'
left join pg_catalog.pg_trigger as t on t.tgfoid = p.oid and not t.tgisinternal
cross join lateral plpgsql_check_function_tb(p.oid, coalesce(t.tgrelid, 0), all_warnings => true) as c
where n.nspname = any(%s)
order by 1, 2
"""


@contextmanager
def checked_server() -> Iterator[psycopg.Connection[Any]]:
    """Run a PostgreSQL 15 with plpgsql_check in an empty database."""
    bin_folder = embedded.local_bin(15)
    if bin_folder is None:
        raise MissingToolError(
            "plpgsql_check runs on PostgreSQL 15. Install it: apt-get install -y postgresql-15"
        )
    library = tool(*PLPGSQL_CHECK)
    folder = Path(tempfile.mkdtemp(prefix="tenure-lint-", dir=embedded.TEMPORARY))
    try:
        # The server's user must be able to read the library, which may have been unpacked below a private
        # home.
        folder.chmod(0o755)
        copy = folder / library.name
        shutil.copyfile(library, copy)
        copy.chmod(0o644)
        with embedded.start(bin_folder=bin_folder, in_memory=True) as server:
            conn = psycopg.connect(server.dsn(), autocommit=True)
            with conn:
                conn.execute("load 'plpgsql'")
                conn.execute(_extension_script(copy).encode())
                yield conn
    finally:
        shutil.rmtree(folder)


def _extension_script(library: Path) -> str:
    """Return plpgsql_check's script as `create extension` would run it, with the library where it is."""
    lines = tool(*PLPGSQL_CHECK_SQL).read_text(encoding="utf-8").splitlines()
    script = "\n".join(line for line in lines if not line.startswith("\\"))
    return script.replace("MODULE_PATHNAME", str(library)).replace("@extschema@", "public")


def install(conn: psycopg.Connection[Any], script: str) -> list[Finding]:
    """Install the script with every extra error on; what it raises is a finding."""
    conn.execute("set plpgsql.extra_errors = 'all'")
    try:
        with conn.transaction():
            conn.execute(script.encode())
    except psycopg.Error as error:
        where = f"line {_line(script, error)} of the built script"
        return [Finding(where, f"{error.sqlstate} {str(error).strip()}")]
    return []


def check_plpgsql(conn: psycopg.Connection[Any]) -> list[Finding]:
    """Check every installed PL/pgSQL function with every warning on."""
    found = conn.execute(_CHECK, (SCHEMAS,)).fetchall()
    return [
        Finding(str(name), f"line {line}: {level}: {message} {detail}".rstrip())
        for name, line, level, message, detail, body in found
        if not (message.startswith(VOLATILE_ADVICE) and VOLATILE_REASON.search(body))
    ]


def _line(script: str, error: psycopg.Error) -> int:
    position = error.diag.statement_position
    return 1 + script.count("\n", 0, int(position)) if position else 0
