"""What calls on a run read does not grow with what else there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, LiteralString

import psycopg
from psycopg.types.json import Jsonb

from tests.support.servers import Database

NODES = 40
OLD_RUNS = 150
OTHERS = 5_000
# Rows of `step` that a call may read; the tree has 43 steps, the tables more than ten thousand.
A_HOP = 60
A_TREE = 43 * 25

Conn = psycopg.Connection[Any]


def reads(conn: Conn, call: Callable[[], object], *tables: str) -> int:
    """Return how many rows of these tables, by default of steps and groups, a call reads."""
    query: LiteralString = (
        "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) from pg_stat_xact_user_tables"
        " where schemaname = 'tenure_private' and relname = any(%s)"
    )
    names = list(tables or ("step", "step_group"))
    with conn.transaction():
        before = conn.execute(query, (names,)).fetchone()
        call()
        after = conn.execute(query, (names,)).fetchone()
    assert before is not None
    assert after is not None
    return int(after[0] - before[0])


def chain(conn: Conn, name: str, length: int) -> None:
    """Define a workflow in which each node needs what the one before provides."""
    nodes = [
        {"name": f"n{n}", "requires": [f"k{n}"] if n else [], "provides": [f"k{n + 1}"]}
        for n in range(length)
    ]
    conn.execute("select tenure.define_workflow(%s, %s)", (name, Jsonb({"nodes": nodes})))


def history(conn: Conn) -> None:
    """Leave old runs, groups among them, and steps that have nothing to do with them."""
    chain(conn, "chain", NODES)
    outer = {"nodes": [{"name": "m", "workflow": "chain"}, {"name": "x"}]}
    conn.execute("select tenure.define_workflow('tree', %s)", (Jsonb(outer),))
    conn.execute(
        "select tenure.cancel(r.run_id)"
        " from (select tenure.start('tree') as run_id from generate_series(1, %s) offset 0) as r",
        (OLD_RUNS,),
    )
    conn.execute(
        "select count(tenure.enqueue('other', delay => '1 day')) from generate_series(1, %s)", (OTHERS,)
    )
    conn.execute("analyze")


def test_no_call_on_a_run_reads_history(database: Database) -> None:
    """R-170: with statistics as they are, reports, cascades and the operator's calls read their run alone."""
    conn = database.connect()
    history(conn)
    run_id = int(conn.execute("select tenure.start('tree')").fetchone()[0])  # type: ignore[index]
    claims: LiteralString = (
        "select step_id, generation from tenure.claim('{default}', 'w', 2, names => '{n0,x}')"
    )
    first, other = conn.execute(claims).fetchall()
    assert reads(conn, lambda: conn.execute("select tenure.complete(%s, 'w', %s, '1')", first)) < A_HOP
    assert (
        reads(conn, lambda: conn.execute("select tenure.fail(%s, 'w', %s, '{}', 'permanent')", other))
        < A_TREE
    )
    for call in ("retry", "pause", "resume", "cancel"):
        statement: LiteralString = {
            "retry": "select tenure.retry(%s)",
            "pause": "select tenure.pause(%s)",
            "resume": "select tenure.resume(%s)",
            "cancel": "select tenure.cancel(%s)",
        }[call]
        assert reads(conn, lambda said=statement: conn.execute(said, (run_id,))) < A_TREE, call  # type: ignore[misc]


def test_what_spreads_reads_each_node_once(database: Database) -> None:
    """R-170: without statistics, a skip that spreads reads as much for each node of a large graph."""
    conn = database.connect()
    for length in (20, 400):
        chain(conn, f"chain {length}", length)
        conn.execute("select tenure.start(%s)", (f"chain {length}",))
        (first,) = conn.execute("select step_id, generation from tenure.claim('{default}', 'w')").fetchall()
        skip: LiteralString = "select tenure.skip(%s, 'w', %s, 'no need')"
        read = reads(
            conn,
            lambda said=skip, step=first: conn.execute(said, step),  # type: ignore[misc]
            "step", "step_group", "member", "need", "node", "published",
        )  # fmt: skip
        assert read < length * A_HOP, length
