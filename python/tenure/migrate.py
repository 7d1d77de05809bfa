"""Brings the engine of a database to this package's version, as `tenure migrate` does.

A migration is a list of steps: one that installs, or one for each release between the version that is there
and this package's. Each is one transaction, so a crash leaves the version before it or the one after, whole.
An upgrade waits half a second for a lock, gives up what it holds and tries again: whoever queues behind it
waits no longer than that.
"""

from __future__ import annotations

import itertools
import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import psycopg

from tenure.errors import AlreadyInstalled, SchemaMismatch, UpgradeBlocked, place, translate

PATIENCE = 60.0  # seconds
FIRST_PAUSE = 1.0  # seconds; twice the lock_timeout of upgrades, so that queues behind them drain
LONGEST_PAUSE = 8.0  # seconds

# The first of each stands at the head of the migration; those below belong to functions.
_NOTES = [re.compile(rf"^-- {word}: .*(?:\n--   .*)*", re.MULTILINE) for word in ("Locks", "Time")]
_BLOCKERS = """
select
    format(
        'pid %s (%s, %s', a.pid, a.usename, coalesce(nullif(a.application_name, ''), 'no application name')
    ) || case
        when a.state is null then format('); what it does is hidden from %s', current_user)
        else format(
            ', %s) since %s: %s', a.state, a.xact_start, left(regexp_replace(a.query, '\\s+', ' ', 'g'), 100)
        )
    end
from pg_stat_activity as a
where a.pid <> pg_backend_pid()
and (a.state is null or a.xact_start < clock_timestamp() - interval '500 ms')
and exists (
    select from pg_locks as l
    join pg_class as c on c.oid = l.relation
    where l.pid = a.pid and l.granted
    and l.database = (select d.oid from pg_database as d where d.datname = current_database())
    and c.relnamespace in (to_regnamespace('tenure'), to_regnamespace('tenure_private'))
)
order by a.xact_start
limit 5
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """One transaction: from `old` (None: no engine) to `new`; `text` opens none itself."""

    old: str | None
    new: str
    text: str

    @property
    def notes(self) -> list[str]:
        """What it locks and how long it takes, in sentences."""
        found = [pattern.search(self.text) for pattern in _NOTES]
        return [re.sub(r"\s*\n--\s*|^-- ", " ", note.group()).strip() for note in found if note]

    def __str__(self) -> str:
        """Say it in a few words."""
        return f"install {self.new}" if self.old is None else f"upgrade {self.old} to {self.new}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The version that is there (None: no engine), the one that is to be, and the way between."""

    found: str | None
    version: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        """Tell the plan in lines."""
        lines = [f"found: {self.found or 'no engine'}; this package brings {self.version}"]
        for number, step in enumerate(self.steps, start=1):
            lines += [f"{number}. {step}, in one transaction", *(f"   {note}" for note in step.notes)]
        return "\n".join(lines if self.steps else [*lines, "nothing to do"])

    def sql(self) -> str:
        """Return the SQL of every step, each in its transaction."""
        return "".join(f"begin;\n{step.text}\ncommit;\n" for step in self.steps)


@dataclass(frozen=True, slots=True)
class Migration:
    """What `migrate()` did: `found` is the version it began with (None: no engine), `version` the one now."""

    found: str | None
    version: str

    @property
    def installed(self) -> bool:
        """Whether there was none before."""
        return self.found is None

    def __str__(self) -> str:
        """Say it in one line."""
        if self.found is None:
            return f"installed {self.version}"
        if self.found == self.version:
            return f"already at {self.version}"
        return f"upgraded {self.found} to {self.version}"


def plan(conn: psycopg.Connection[Any]) -> Plan:
    """Find out what `migrate()` would do; changes nothing.

    Raises `SchemaMismatch` when no way leads from the database's version to this package's.
    """
    scripts = _packaged()
    version = next(new for old, new in scripts if old is None)
    found = installed_version(conn)
    if found is None:
        return Plan(found, version, (Step(None, version, scripts[None, version]),))
    upgrades = {old: Step(old, new, text) for (old, new), text in scripts.items() if old is not None}
    steps: list[Step] = []
    reached = found
    while reached != version:
        if reached not in upgrades:
            raise SchemaMismatch(
                f"{place(conn)} holds Tenure {found}, and this package brings {version}",
                detail=f"It has upgrades from: {', '.join(upgrades)}.",
                hint="Migrate with the package of that version or of a later one.",
            )
        steps.append(upgrades[reached])
        reached = steps[-1].new
    return Plan(found, version, tuple(steps))


def migrate(conn: psycopg.Connection[Any], *, patience: float = PATIENCE) -> Migration:
    """Install this package's engine, or upgrade to it, one transaction a step; do nothing where it is there.

    While others hold a lock that a step needs it tries again for `patience` seconds, then raises
    `UpgradeBlocked`, which names them. Raises `SchemaMismatch` when no way leads from the database's version
    to this one. Inside a transaction of the caller's the steps join it, and are there once that commits.
    """
    done: list[Step] = []
    while (ahead := plan(conn)).steps:
        if _apply(conn, ahead.steps[0], patience):
            done.append(ahead.steps[0])
    return Migration(done[0].old if done else ahead.found, ahead.version)


def uninstall(conn: psycopg.Connection[Any], *, force: bool = False) -> None:
    """Remove the engine and all it holds in one transaction; not the roles, which belong to the cluster.

    Refuses while there are live steps or objects of others that depend on it; `force` takes both along.
    """
    with conn.transaction():
        if force:
            conn.execute("set local tenure.uninstall = 'force'")
        _run(conn, (files("tenure") / "_sql" / "uninstall.sql").read_text(encoding="utf-8"))


def installed_version(conn: psycopg.Connection[Any]) -> str | None:
    """Return the version of the engine in this database, or None where there is none."""
    with own_names(conn):
        schema = conn.execute(
            "select to_regnamespace('tenure'), to_regprocedure('tenure.schema_version()')"
        ).fetchone()
        if schema is None or schema[0] is None:
            return None
        if schema[1] is None:
            raise SchemaMismatch(
                f'{place(conn)} has a schema "tenure" that is not the engine\'s',
                hint="The engine needs that name: rename the schema, or use another database.",
            )
        row = conn.execute("select tenure.schema_version()").fetchone()
    return None if row is None else str(row[0])


@contextmanager
def own_names(conn: psycopg.Connection[Any]) -> Iterator[None]:
    """One transaction, in which no name or operator means what others may have put into the database.

    And text is read as text, where the database says nothing of its encoding. It is for looking alone: rolled
    back, it gives the settings back to a transaction of the caller's, which may go on.
    """
    with conn.transaction(force_rollback=True):
        conn.execute("set local search_path = pg_catalog, pg_temp")
        conn.execute("set local client_encoding = 'UTF8'")
        yield


def _apply(conn: psycopg.Connection[Any], step: Step, patience: float) -> bool:
    """Run one step; False: somebody else has done it meanwhile."""
    try:
        _run_patiently(conn, step, patience)
    except (AlreadyInstalled, SchemaMismatch):
        # The text's own guard. Racing runs wait for each other there, and the loser finds another version.
        if installed_version(conn) == step.old:
            raise
        return False
    return True


def _run_patiently(conn: psycopg.Connection[Any], step: Step, patience: float) -> None:
    deadline = time.monotonic() + patience
    for pause in _pauses():
        try:
            _run(conn, step.text)
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
            blockers = _in_the_way(conn, error)
            if time.monotonic() + pause > deadline:
                raise UpgradeBlocked(
                    f"cannot {step}: others hold a lock that it needs",
                    detail=blockers or "Nobody who can be seen from here holds one now.",
                    hint="Nothing was changed. Let them end, or end them, and run it again.",
                ) from error
            _log.warning("waiting to %s; trying again in %g s. In the way: %s", step, pause, blockers or "?")
            time.sleep(pause)
        else:
            return


def _in_the_way(conn: psycopg.Connection[Any], error: psycopg.Error) -> str:
    if isinstance(error, psycopg.errors.LockNotAvailable) and error.diag.message_detail:
        # The text's own guard, which knows who has the lock that all migrators take.
        return error.diag.message_detail
    with own_names(conn):
        return "; ".join(str(row[0]) for row in conn.execute(_BLOCKERS).fetchall())


def _pauses() -> Iterator[float]:
    return (min(FIRST_PAUSE * 2.0**tries, LONGEST_PAUSE) for tries in itertools.count())


def _packaged() -> dict[tuple[str | None, str], str]:
    """Return the texts inside this package by the versions that they lead from and to."""
    folder = files("tenure") / "_sql"
    names = (
        [entry.name for entry in folder.iterdir() if entry.name.startswith("tenure--")]
        if folder.is_dir()
        else []
    )
    if not names:
        raise SchemaMismatch("this package was built without its SQL", hint="In a clone, run: make build")
    texts: dict[tuple[str | None, str], str] = {}
    for name in sorted(names):
        *old, new = name.removeprefix("tenure--").removesuffix(".sql").split("--")
        texts[old[0] if old else None, new] = (folder / name).read_text(encoding="utf-8")
    return texts


def _run(conn: psycopg.Connection[Any], text: str) -> None:
    """Run the script in one transaction; the engine's own refusals come out as their classes."""
    try:
        with conn.transaction():
            # Bytes: psycopg takes text for a query only where a type checker sees it written out.
            conn.execute(text.encode(_encoding(conn), "replace"))
    except psycopg.Error as error:
        ours = translate(error, conn)
        raise error if ours is None else ours from error


def _encoding(conn: psycopg.Connection[Any]) -> str:
    """How to send a script. What it has beyond ASCII stands in comments, and not every database stores it."""
    utf8 = conn.info.parameter_status("server_encoding") == "UTF8"
    return conn.info.encoding if utf8 else "ascii"
