"""Work done in chunks, measured from both ends: the client's clock and the CPU time of the backend."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

Conn = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class Chunk:
    """So many steps in so many seconds, for so many seconds of the backend's CPU."""

    steps: int
    seconds: float
    cpu: float

    @property
    def rate(self) -> float:
        """Steps a second."""
        return self.steps / self.seconds

    @property
    def cost(self) -> float:
        """Microseconds of the backend's CPU a step."""
        return self.cpu / self.steps * 1e6


def backend_cpu(conn: Conn) -> float:
    """The CPU seconds of a connection's backend, to the nanosecond (`/proc/PID/stat` counts hundredths)."""
    text = Path(f"/proc/{conn.info.backend_pid}/schedstat").read_text(encoding="ascii")
    return int(text.split()[0]) / 1e9


def measure(conn: Conn, work: Callable[[], int]) -> Chunk:
    """Run the work, which tells how many steps it was."""
    cpu, began = backend_cpu(conn), time.monotonic()
    steps = work()
    return Chunk(steps=steps, seconds=time.monotonic() - began, cpu=backend_cpu(conn) - cpu)


def alternate(
    ours: Callable[[], Chunk], bare: Callable[[], Chunk], *, pairs: int
) -> list[tuple[Chunk, Chunk]]:
    """Measure the two in turn: ours, bare, bare, ours and so on, so that drift and order fall on both.

    The first pair warms caches and plans, and is not returned.
    """
    done = []
    for turn in range(pairs + 1):
        if turn % 2:
            second = bare()
            done.append((ours(), second))
        else:
            first = ours()
            done.append((first, bare()))
    return done[1:]
