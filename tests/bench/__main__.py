"""Measures, prints, and writes dist/bench.json; a floor that is missed is told and fails nothing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from rich.console import Console

from tests.bench import (
    buffers,
    latency,
    leases,
    pipeline,
    policies,
    report,
    snapshots,
    throughput,
    trees,
    upgrades,
)
from tests.bench.figure import Figure
from tests.bench.machine import describe
from tests.bench.server import Bench, running
from tests.support.repository import ROOT, build

PARTS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "claim+complete": throughput.claim_complete,
    "enqueue": throughput.enqueue,
    "heartbeats": leases.heartbeats,
    "rearm": leases.rearm,
    "buffers": buffers.buffers,
    "late": snapshots.late,
    "held": snapshots.held,
    "latency": latency.latency,
    "policies": policies.policies,
    "children": trees.children,
    "chain": trees.chain,
    "pipeline": pipeline.pipeline,
    "upgrades": upgrades.upgrades,
}


def main() -> int:
    """Return the exit code: 0 whenever it could measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"any of: {', '.join(PARTS)} (default: all of them)")
    parser.add_argument("--quick", action="store_true", help="measure less, in about a minute")
    chosen = parser.parse_args()
    unknown = [part for part in chosen.part if part not in PARTS]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}")
    build()
    console = Console(width=None if sys.stdout.isatty() else 160)
    with running(quick=chosen.quick) as bench:
        machine = describe(bench)
        figures: list[Figure] = []
        for part in chosen.part or PARTS:
            console.print(f"measuring {part} ...", highlight=False)
            figures.extend(PARTS[part](bench))
    report.show(console, machine, figures)
    report.write(ROOT / "dist" / "bench.json", machine, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
