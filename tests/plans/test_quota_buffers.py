"""A backlog over its quota costs the claims of others nothing."""

from __future__ import annotations

from typing import LiteralString

import pytest

from tests.plans.buffers import buffers, load
from tests.races.stage import Conn, claim, enqueue, rows, value

MANY = 100_000
BOUND = 200

CLAIM_ANY: LiteralString = "select * from tenure.claim('{default}', 'w', 1)"
CLAIM_ITS: LiteralString = "select * from tenure.claim('{default}', 'w', 1, '30 s', '{over}')"


@pytest.fixture
def crowded(conn: Conn) -> Conn:
    """A session on a database in which 100,000 steps wait for a quota that two running ones fill."""
    conn.execute("alter table tenure_private.step set (autovacuum_enabled = off)")
    conn.execute("select tenure.set_quota('http', 2)")
    conn.execute("select tenure.define_step('over', quota => 'http')")
    load(conn, MANY, "over")
    assert len(claim(conn, max_steps=10)) == 2
    return conn


def test_others_beside_a_backlog(crowded: Conn) -> None:
    """R-465, R-472: behind 100,000 earlier steps over their quota the others' claim costs under 200 pages."""
    step_id = enqueue(crowded)
    for settings in ("set plan_cache_mode = auto", "vacuum analyze tenure_private.step"):
        crowded.execute(settings)
        assert buffers(crowded, CLAIM_ANY) < BOUND
    assert [row[0] for row in rows(crowded, CLAIM_ANY)] == [step_id]


def test_the_backlog_itself(crowded: Conn) -> None:
    """R-472: so does a claim that finds the quota full, and one that finds room in it."""
    assert buffers(crowded, CLAIM_ITS) < BOUND
    crowded.execute("select tenure.set_quota('http', 3)")
    assert buffers(crowded, CLAIM_ITS) < BOUND
    assert len(claim(crowded, max_steps=10)) == 1
    assert value(crowded, "select cardinality(step_ids) from tenure_private.quota_hold") == 3
