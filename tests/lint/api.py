"""sql/API.txt: the public functions as an installed database shows them. Committed, so that review sees each
change.

`python -m tests.lint.api` writes it anew.
"""

from __future__ import annotations

from typing import Any

import psycopg

from tenure import embedded
from tenure.migrate import migrate
from tests.lint.finding import Finding
from tests.support.repository import ROOT, build

API = ROOT / "sql" / "API.txt"

_FUNCTIONS = """
select p.proname, coalesce(pg_get_function_arguments(p.oid), ''), pg_get_function_result(p.oid)
from pg_catalog.pg_proc as p
where p.pronamespace = 'tenure'::regnamespace
order by p.proname collate "C", 2
"""
_COLUMNS = """
select c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
from pg_catalog.pg_class as c
join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'tenure'::regnamespace and c.relkind in ('v', 'c')
order by c.relkind, c.relname collate "C", a.attnum
"""


def render(conn: psycopg.Connection[Any]) -> str:
    """Return the text for the engine in this database."""
    with conn.transaction():
        # Type names are to be written in full, whatever path the session has.
        conn.execute("set local search_path = pg_catalog")
        functions = conn.execute(_FUNCTIONS).fetchall()
        columns = conn.execute(_COLUMNS).fetchall()
    lines = [f"{name}({arguments}) -> {result}" for name, arguments, result in functions]
    relations: dict[str, list[str]] = {}
    for relation, column, kind in columns:
        relations.setdefault(relation, []).append(f"{column} {kind}")
    lines += [f"{relation}: {', '.join(names)}" for relation, names in relations.items()]
    return "\n".join(lines) + "\n"


def check_api(conn: psycopg.Connection[Any]) -> list[Finding]:
    """Compare the committed text with the database's."""
    committed = API.read_text(encoding="utf-8") if API.exists() else ""
    if committed == render(conn):
        return []
    return [Finding("sql/API.txt", "does not show the public functions as they are: run `make api`")]


def main() -> None:
    """Write the file."""
    build()
    with embedded.start(in_memory=True) as server, psycopg.connect(server.dsn(), autocommit=True) as conn:
        migrate(conn)
        API.write_text(render(conn), encoding="utf-8")


if __name__ == "__main__":
    main()
