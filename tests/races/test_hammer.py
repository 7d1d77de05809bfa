"""The heads under fire: late commits, roll-backs and claims at random, from a printed seed."""

from __future__ import annotations

import random
import secrets
from functools import partial

from tests.races.hammer import Claimer, Ledger, Writer, drain, keep_looking, keep_sweeping, run_threads
from tests.races.stage import Stage, rows
from tests.support.wait import wait_until

SECONDS = 6.0


def test_no_step_is_lost(stage: Stage) -> None:
    """R-036, R-039, R-093: under late commits of every kind each step is found, each claim given once."""
    seed = secrets.randbelow(2**32)
    print(f"seed {seed}")  # noqa: T201 - to replay what failed
    ledger = Ledger()
    # Without the belt, so that the braces are seen to hold.
    stage.observer.execute(
        "create or replace function tenure_private.look_behind(p_now timestamptz) returns void"
        " language sql as ''"
    )
    writers = [
        Writer(ledger, stage.holding(), stage.session(), random.Random(f"{seed} writer {number}"))  # noqa: S311
        for number in range(6)
    ]
    claimers = [
        Claimer(ledger, stage.holding(), f"w{number}", random.Random(f"{seed} claimer {number}"))  # noqa: S311
        for number in range(3)
    ]
    workers: list[Writer | Claimer] = [*writers, *claimers]
    run_threads(
        ledger,
        [
            *(worker.run for worker in workers),
            partial(keep_sweeping, ledger, stage.session()),
            partial(keep_looking, ledger, stage.session()),
        ],
        SECONDS,
    )
    for worker in workers:
        worker.conn.rollback()
    assert ledger.hidden == []
    conn = stage.session()
    wait_until(partial(drain, ledger, conn), limit=10, what="every run has ended")
    print(f"{len(ledger.committed)} steps, {ledger.claims} claims")  # noqa: T201 - what the hammer did
    assert sorted(ledger.completed) == sorted(ledger.committed)
    assert len(ledger.claimed) == len(set(ledger.claimed))
    assert ledger.claims > 100
    assert rows(conn, "select count(*) from tenure.run_status") == [(len(ledger.committed),)]
