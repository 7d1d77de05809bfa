"""What one call takes, a round trip and a commit included, and what is left of it within a transaction."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from itertools import chain

from tests.bench import ours
from tests.bench.chunks import Conn
from tests.bench.figure import Figure
from tests.bench.server import Bench

Calls = dict[str, Callable[[], object]]


class _Engine:
    """A step's life in single calls."""

    def __init__(self, conn: Conn) -> None:
        self._conn = conn
        self._lease = (0, 0)

    def calls(self) -> Calls:
        """Each call by its name, in the order of a step's life."""
        return {
            "enqueue": lambda: self._conn.execute("select tenure.enqueue('noop', '{\"x\": 1}')"),
            "claim": self._claim,
            "heartbeat": lambda: self._conn.execute(
                "select verdict from tenure.heartbeat(%s, 'bench', %s)", self._lease
            ),
            "complete": lambda: self._conn.execute(
                "select tenure.complete(%s, 'bench', %s, '{\"ok\": 1}')", self._lease
            ),
            "sweep": lambda: self._conn.execute("select tenure.sweep()"),
            "a bare round trip": lambda: self._conn.execute("select 1"),
        }

    def _claim(self) -> None:
        (self._lease,) = ours.claim(self._conn, 1)


class _Bare:
    """As much of it as the bare hot path knows."""

    def __init__(self, conn: Conn) -> None:
        self._conn = conn
        self._lease: tuple[int, int] = (0, 0)

    def calls(self) -> Calls:
        """As `_Engine.calls`."""
        return {
            "enqueue": lambda: ours.enqueue_bare(self._conn, ours.CALL, batch=ours.steps(1)),
            "claim": self._claim,
            "complete": lambda: self._conn.execute(
                "select bare.complete(array[%s::bigint], array[%s::bigint], 'bench')", self._lease
            ),
        }

    def _claim(self) -> None:
        (self._lease,) = self._conn.execute(
            "select step_id, generation from bare.claim(array['noop'], 'bench', 1, '30 s')"
        ).fetchall()


def latency(bench: Bench) -> Iterator[Figure]:
    """The median of single calls."""
    rounds = 100 if bench.quick else 1_000
    with (
        bench.engine() as engine,
        bench.bare() as bare,
        bench.connect(engine) as ours_conn,
        bench.connect(bare) as bare_conn,
    ):
        engine_calls, bare_calls = _Engine(ours_conn).calls(), _Bare(bare_conn).calls()
        committed = _medians(engine_calls, rounds), _medians(bare_calls, rounds)
        for conn in (ours_conn, bare_conn):
            conn.execute("begin")
        within = _medians(engine_calls, rounds), _medians(bare_calls, rounds)
        for conn in (ours_conn, bare_conn):
            conn.execute("rollback")
    labels = chain(
        ((call, committed, "with its commit") for call in engine_calls),
        ((call, within, "within a transaction") for call in engine_calls),
    )
    for call, (ours_medians, bare_medians), how in labels:
        yardstick = bare_medians.get(call)
        yield Figure(
            part="latency",
            name=f"{call}, {how}",
            value=ours_medians[call],
            unit="µs",
            yardstick=yardstick,
            ratio=None if yardstick is None else ours_medians[call] / yardstick,
        )


def _medians(calls: Calls, rounds: int) -> dict[str, float]:
    """Microseconds of each call, the calls taking turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(taken) * 1e6 for name, taken in times.items()}
