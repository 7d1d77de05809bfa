"""The calls that the parts share: the engine's, and the same work on the bare hot path."""

from __future__ import annotations

import json

from tests.bench.chunks import Conn

BATCH = 100  # steps a claim and a report, as the floor has it
CALL = 1_000  # steps an enqueue_many, and the largest claim
OWNER = "bench"

_CLAIM = "select step_id, generation, scheduled_at from bare.claim(array['noop'], 'bench', %s, '30 s')"


def steps(count: int = CALL, *, name: str = "noop", input: object = None, **more: object) -> str:
    """A batch for `enqueue_many`, as JSON text."""
    item = {"name": name, "input": {"x": 1} if input is None else input, **more}
    return json.dumps([item] * count)


def enqueue(conn: Conn, count: int, *, batch: str | None = None) -> int:
    """Enqueue so many steps, a thousand a call."""
    text = steps() if batch is None else batch
    for _ in range(count // CALL):
        conn.execute("select count(*) from tenure.enqueue_many(%s::jsonb)", (text,))
    return count


def claim(conn: Conn, room: int = BATCH, *, ttl: str = "30 s", owner: str = OWNER) -> list[tuple[int, int]]:
    """Claim; the ids and generations."""
    return conn.execute(
        "select step_id, generation from tenure.claim(array['default'], %s, %s, %s::interval)",
        (owner, room, ttl),
    ).fetchall()


def complete(conn: Conn, leases: list[tuple[int, int]], *, owner: str = OWNER) -> int:
    """Complete these; how many were in time."""
    ids, generations = [lease[0] for lease in leases], [lease[1] for lease in leases]
    verdicts = conn.execute(
        "select step_id, verdict from tenure.complete_many(%s::bigint[], %s, %s::bigint[], %s::jsonb[])",
        (ids, owner, generations, ['{"ok": 1}'] * len(ids)),
    ).fetchall()
    return sum(verdict == "completed" for _, verdict in verdicts)


def drain(conn: Conn, *, room: int = BATCH) -> int:
    """Claim and complete until nothing is due; how many."""
    done = 0
    while leases := claim(conn, room):
        done += complete(conn, leases)
    return done


def enqueue_bare(conn: Conn, count: int, *, batch: str | None = None) -> int:
    """The same on the bare hot path."""
    text = steps() if batch is None else batch
    for _ in range(count // CALL):
        conn.execute("select bare.enqueue(%s::jsonb)", (text,))
    return count


def drain_bare(conn: Conn) -> int:
    """The same on the bare hot path, which leaves it to the worker to raise the head."""
    done = 0
    while leases := conn.execute(_CLAIM, (BATCH,)).fetchall():
        conn.execute("select bare.raise_head(%s)", (min(lease[2] for lease in leases),))
        ids, generations = [lease[0] for lease in leases], [lease[1] for lease in leases]
        row = conn.execute(
            "select bare.complete(%s::bigint[], %s::bigint[], 'bench')", (ids, generations)
        ).fetchone()
        assert row is not None
        done += row[0]
    return done
