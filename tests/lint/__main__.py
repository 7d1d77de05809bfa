"""`make lint`: runs every check, shows every finding, and fails when there is one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from tests.lint import bodies, commands, database, functions, layout
from tests.lint.api import check_api
from tests.lint.finding import Finding
from tests.support.debian import MissingToolError
from tests.support.repository import INSTALL, ROOT, TEXTS, build


def main() -> int:
    """Return the exit code."""
    build()
    sql = ROOT / "sql"
    script = (TEXTS / INSTALL).read_text(encoding="utf-8")
    upgrades = "".join(path.read_text(encoding="utf-8") for path in sorted(TEXTS.glob("tenure--*--*.sql")))

    def in_database() -> list[Finding]:
        with database.checked_server() as conn:
            return database.install(conn, script) or database.check_plpgsql(conn) + check_api(conn)

    checks: dict[str, Callable[[], list[Finding]]] = {
        "layout": lambda: layout.check_manifest(ROOT) + layout.check_rules(ROOT) + layout.check_pgtap(ROOT),
        "lines": lambda: layout.check_lines(ROOT),
        "bodies": lambda: bodies.check_bodies(sql),
        "functions": lambda: functions.check_functions(sql) + functions.check_views(sql),
        "sqlfluff": lambda: commands.check_sqlfluff(ROOT),
        "squawk": lambda: commands.check_squawk(ROOT),
        "pgspot": lambda: commands.check_pgspot(script + upgrades),
        "plpgsql": in_database,
    }
    for name, command in commands.COMMANDS.items():
        checks[name] = lambda name=name, command=command: commands.check_command(name, command, ROOT)  # type: ignore[misc]
    total = 0
    for name, check in checks.items():
        began = time.monotonic()
        findings = check()
        total += len(findings)
        print(f"{name}: {len(findings) or 'no'} findings ({time.monotonic() - began:.1f} s)", flush=True)
        for finding in findings:
            print(f"  {finding}", flush=True)
    print(f"lint: {total} findings" if total else "lint: clean")
    return 1 if total else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MissingToolError as error:
        sys.exit(f"make lint: {error}")
