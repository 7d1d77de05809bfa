"""Everyone at once: no deadlock, and everybody's answer agrees with what is."""

from __future__ import annotations

import random
import secrets
import threading
from collections.abc import Callable
from functools import partial
from typing import LiteralString

import psycopg

from tests.races.hammer import Ledger, run_threads
from tests.races.stage import (
    Conn,
    Stage,
    cancel,
    claim,
    complete,
    enqueue_batch,
    pause,
    purge,
    resume,
    retry,
    rows,
    send_signal,
    sweep,
    value,
)

SECONDS = 6.0
STEPS = 3000
DEADLOCKS: LiteralString = "select deadlocks from pg_stat_database where datname = current_database()"


def prepared(conn: Conn) -> Conn:
    """Let deadlocks be noticed at once."""
    conn.execute("set deadlock_timeout = '50 ms'")
    return conn


def work(ledger: Ledger, conn: Conn, owner: str, others: list[int], rng: random.Random) -> None:
    """Claim, report in batches of a random order in which others' steps are, leave some to the sweep."""
    while not ledger.stop:
        got = claim(conn, owner, rng.randrange(1, 40), ttl=rng.choice(["10 ms", "1 minute"]))
        generations = dict.fromkeys(rng.sample(others, 10), 1)
        generations.update((lease.step_id, lease.generation) for lease in got if rng.random() < 0.5)
        batch = rng.sample(list(generations), len(generations))
        arguments = (batch, owner, [generations[step_id] for step_id in batch])
        beats = rows(conn, "select verdict from tenure.heartbeat_many(%s, %s, %s)", *arguments)
        assert {verdict for (verdict,) in beats} <= {"renewed", "busy", "lost", "cancelled"}, beats
        verdicts = rows(conn, "select verdict from tenure.complete_many(%s, %s, %s)", *arguments)
        assert {verdict for (verdict,) in verdicts} <= {"completed", "cancelled", "stale"}, verdicts
        for lease in got:
            if rng.random() < 0.5:
                value(conn, REPORTS[rng.choice(list(REPORTS))], lease.step_id, owner, lease.generation)


REPORTS: dict[str, LiteralString] = {
    "release": "select tenure.release(%s, %s, %s)",
    "fail_permanent": "select tenure.fail(%s, %s, %s, '{}', 'permanent')",
    "sleep": "select tenure.sleep(%s, %s, %s, '1 ms')",
    "wait": "select tenure.wait_signal(%s, %s, %s, 'go', '5 ms')",
}


MEDDLING: list[Callable[[Conn, int], object]] = [cancel, pause, resume, resume, send_signal, retry]


def meddle(ledger: Ledger, conn: Conn, ids: list[int], rng: random.Random) -> None:
    """Cancel, pause, resume, signal and retry runs at random."""
    while not ledger.stop:
        step_id = rng.choice(ids)
        try:
            rng.choice(MEDDLING)(conn, step_id)
        except psycopg.DatabaseError as error:
            # Purged, or not discarded.
            if error.sqlstate not in {"TN001", "TN010", "TN017"}:
                raise


def again(ledger: Ledger, call: Callable[[], object]) -> None:
    """Make a call again and again."""
    while not ledger.stop:
        call()


def test_no_deadlock(stage: Stage) -> None:
    """R-163: sweepers, purgers, completers, cancellers and the rest on the same rows never deadlock."""
    seed = secrets.randbelow(2**32)
    print(f"seed {seed}")  # noqa: T201 - to replay what failed
    ledger = Ledger()
    conn = stage.session()
    ids = enqueue_batch(conn, STEPS)
    conn.execute("select tenure.create_queue('hot')")
    # Nobody claims these; the reports of all workers lock them.
    hot = enqueue_batch(conn, 20, queue="hot")
    before = value(
        stage.observer, "select deadlocks from pg_stat_database where datname = current_database()"
    )

    def session() -> Conn:
        return prepared(stage.session())

    def rng(role: str) -> random.Random:
        return random.Random(f"{seed} {role}")  # noqa: S311

    run_threads(
        ledger,
        [
            *(partial(work, ledger, session(), f"w{n}", hot, rng(f"worker {n}")) for n in range(4)),
            *(partial(meddle, ledger, session(), ids, rng(f"meddler {n}")) for n in range(2)),
            *(partial(again, ledger, partial(sweep, session())) for _ in range(3)),
            *(partial(again, ledger, partial(purge, session(), 20)) for _ in range(2)),
        ],
        SECONDS,
    )
    after = value(stage.observer, DEADLOCKS)
    assert after == before
    states = dict(rows(stage.observer, "select state, count(*) from tenure.step_status group by state"))
    assert sum(states.values()) < STEPS, states  # some were purged


def test_cancel_and_complete_agree(stage: Stage) -> None:
    """R-104: of 1,000 runs cancelled and completed at once each has one winner, and both know it."""
    conn, canceller = stage.session(), stage.session()
    ids = enqueue_batch(conn, 1000)
    leases = {lease.step_id: lease for lease in claim(conn, max_steps=1000)}
    # They go towards each other, and meet in each chunk: whoever is slow wins at its own end.
    chunks = [ids[first : first + 20] for first in range(0, len(ids), 20)]
    together = threading.Barrier(2)
    cancelled: dict[int, int] = {}
    completed: dict[int, str] = {}

    def complete_all() -> None:
        for chunk in chunks:
            together.wait(60)
            completed.update({step_id: complete(conn, leases[step_id]) for step_id in chunk})

    def cancel_all() -> None:
        for chunk in chunks:
            together.wait(60)
            cancelled.update({step_id: cancel(canceller, step_id) for step_id in reversed(chunk)})

    for call in [stage.start(complete_all), stage.start(cancel_all)]:
        call.result()
    final = dict(rows(conn, "select step_id, state from tenure.step_status"))
    told = {step_id: (completed[step_id], cancelled[step_id]) for step_id in ids}
    assert {(final[step_id], told[step_id]) for step_id in ids} <= {
        ("completed", ("completed", 0)),
        ("cancelled", ("cancelled", 1)),
    }
    assert set(final.values()) == {"completed", "cancelled"}
