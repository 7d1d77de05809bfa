"""Everyone at once on the steps of a few runs: no deadlock, joins once, no group over before its children."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from functools import partial
from typing import LiteralString

import psycopg

from tests.races.hammer import Ledger, run_threads
from tests.races.stage import Conn, Stage, cancel, claim, pause, purge, resume, retry, rows, sweep, value
from tests.races.test_storm import DEADLOCKS, prepared
from tests.races.trees import begin, broken, define, fold, left

SECONDS = 6.0
REPORTS: list[LiteralString] = [
    "select tenure.complete(%s, %s, %s, '1')",
    "select tenure.complete(%s, %s, %s, '1')",
    "select tenure.skip(%s, %s, %s, 'no')",
    "select tenure.fail(%s, %s, %s, '{}', retry_after => '0')",
    "select tenure.fail(%s, %s, %s, '{}', 'permanent')",
    "select tenure.release(%s, %s, %s)",
    "select tenure.sleep(%s, %s, %s, '1 ms')",
]
TO_MEDDLE_WITH: LiteralString = (
    "select step_id from tenure.step_status where parent_id is null or state = 'discarded'"
)
# Leases end, and what is to come is due.
HURRY: list[LiteralString] = [
    "select tenure_private.expire_lease(step_id) from tenure_private.step where state = 'running'",
    (
        "update tenure_private.step set due_at = tenure_private.clock(), alarm_at = tenure_private.clock()"
        " where state = 'waiting_timer'"
    ),
    "update tenure_private.step set scheduled_at = tenure_private.clock() where state = 'available'",
]
MEDDLING: list[Callable[[Conn, int], object]] = [cancel, pause, resume, resume, retry, fold]


def work(ledger: Ledger, conn: Conn, owner: str, rng: random.Random) -> None:
    """Claim, start children, report singly and in batches of a random order, and mostly ask for the fold."""
    while not ledger.stop:
        got = claim(conn, owner, rng.randrange(1, 30), ttl=rng.choice(["10 ms", "1 minute"]))
        batch = [lease for lease in got if rng.random() < 0.6]
        rng.shuffle(batch)
        verdicts = rows(
            conn,
            "select verdict from tenure.complete_many(%s, %s, %s)",
            [lease.step_id for lease in batch], owner, [lease.generation for lease in batch],
        )  # fmt: skip
        assert {verdict for (verdict,) in verdicts} <= {"completed", "cancelled", "stale"}, verdicts
        for lease in got:
            if lease not in batch:
                arguments = (lease.step_id, owner, lease.generation)
                if rng.random() < 0.1:
                    start_late(conn, *arguments)
                value(conn, rng.choice(REPORTS), *arguments)
        if rng.random() < 0.8:
            runs = rows(conn, "select run_id from tenure.run_status where finished_at is null")
            value(conn, "select tenure.fold(%s)", [run_id for (run_id,) in runs])


def start_late(conn: Conn, step_id: int, owner: str, generation: int) -> None:
    """Start a child, if the lease is still there."""
    try:
        value(conn, "select tenure.start_child(%s, %s, %s, 'late')", step_id, owner, generation)
    except psycopg.DatabaseError as error:
        if error.sqlstate != "TN014":
            raise


def meddle(ledger: Ledger, conn: Conn, rng: random.Random) -> None:
    """Start, cancel, pause, resume and retry runs, and retry children, at random."""
    while not ledger.stop:
        begin(conn, rng.choice(["outer", "each"]), items=[{"n": n} for n in range(rng.randrange(20))])
        found = rows(conn, TO_MEDDLE_WITH)
        step_id = rng.choice(found)[0]
        try:
            rng.choice(MEDDLING)(conn, step_id)
        except psycopg.DatabaseError as error:
            # A child's id, purged, not discarded, or its group has gone on.
            if error.sqlstate not in {"TN001", "TN002", "TN010", "TN017"}:
                raise


def again(ledger: Ledger, call: Callable[[], object]) -> None:
    """Make a call again and again."""
    while not ledger.stop:
        call()


def watch(ledger: Ledger, conn: Conn, found: list[object]) -> None:
    """Look for what must never be seen, in one snapshot after the other."""
    while not ledger.stop:
        wrong = broken(conn)
        if wrong:
            found.extend(wrong)
            ledger.stop = True


def drain(conn: Conn) -> None:
    """Finish whatever is left: everything can be."""
    for (run_id,) in rows(conn, "select run_id from tenure.run_status where state = 'paused'"):
        resume(conn, run_id)
    while value(conn, "select count(*) from tenure.run_status where finished_at is null"):
        for lease in claim(conn, "drain", 1000):
            value(conn, REPORTS[0], lease.step_id, "drain", lease.generation)
        for hurry in HURRY:
            conn.execute(hurry)
        sweep(conn)


def test_trees_in_a_storm(stage: Stage) -> None:
    """R-163, R-421, R-438, R-457: whatever is done at once, no deadlock, and the trees stay whole."""
    seed = secrets.randbelow(2**32)
    print(f"seed {seed}")  # noqa: T201 - to replay what failed
    ledger = Ledger()
    conn = stage.session()
    define(
        conn, "inner", {"name": "x", "requires": ["n"], "provides": ["y"]}, {"name": "z", "requires": ["y"]}
    )
    define(conn, "each", {"name": "all", "map": "items", "workflow": "inner", "provides": ["out"]})
    define(
        conn,
        "outer",
        {"name": "a", "provides": ["n"]},
        {"name": "m", "workflow": "inner", "requires": ["n"], "policy": [{"retry": {"attempts": 3}}]},
        {"name": "flat", "map": "items"},
        on_failure="continue",
    )  # fmt: skip
    before = value(stage.observer, DEADLOCKS)
    found: list[object] = []

    def session() -> Conn:
        return prepared(stage.session())

    def rng(role: str) -> random.Random:
        return random.Random(f"{seed} {role}")  # noqa: S311

    run_threads(
        ledger,
        [
            *(partial(work, ledger, session(), f"w{n}", rng(f"worker {n}")) for n in range(4)),
            *(partial(meddle, ledger, session(), rng(f"meddler {n}")) for n in range(2)),
            *(partial(again, ledger, partial(sweep, session())) for _ in range(2)),
            partial(again, ledger, partial(purge, session(), 20)),
            partial(watch, ledger, session(), found),
        ],
        SECONDS,
    )
    assert found == []
    assert value(stage.observer, DEADLOCKS) == before
    drain(conn)
    assert left(conn) == 0
    assert broken(conn) == []


def test_ten_thousand_children_on_eight_connections(stage: Stage) -> None:
    """R-423, R-457: the join is made once, with every output in its place."""
    conn = stage.session()
    define(
        conn,
        "big",
        {"name": "each", "map": "items", "provides": ["out"]},
        {"name": "end", "requires": ["out"]},
    )
    run_id = begin(conn, "big", items=list(range(10_000)))
    before = value(stage.observer, DEADLOCKS)

    def work_off(own: Conn, owner: str) -> int:
        claims: LiteralString = (
            "select step_id, generation, input from tenure.claim('{default}', %s, 100, names => '{each}')"
        )
        count = 0
        while batch := rows(own, claims, owner):
            verdicts = rows(
                own,
                "select verdict from tenure.complete_many(%s, %s, %s, %s::jsonb[])",
                [step_id for step_id, _, _ in batch], owner, [generation for _, generation, _ in batch],
                [str(value) for _, _, value in batch],
            )  # fmt: skip
            assert verdicts == [("completed",)] * len(batch)
            fold(own, run_id)
            count += len(batch)
        return count

    calls = [stage.start(work_off, prepared(stage.session()), f"w{n}") for n in range(8)]
    assert sum(call.result() for call in calls) == 10_000
    sweep(conn)
    assert value(stage.observer, DEADLOCKS) == before
    assert rows(conn, "select keys from tenure.claim('{default}', 'end', 1)") == [
        ({"out": list(range(10_000))},)
    ]
    assert left(conn) == 0
    assert broken(conn) == []
