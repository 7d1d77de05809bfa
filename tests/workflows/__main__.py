"""A longer hunt: `python -m tests.workflows --examples 2000 --seed 7`."""

from __future__ import annotations

import argparse
import random
import sys

from tests.support.repository import build
from tests.support.servers import available, running
from tests.workflows.judge import judge


def main() -> int:
    """Return the exit code; a difference is shown as small as it gets."""
    parser = argparse.ArgumentParser(prog="python -m tests.workflows")
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))  # noqa: S311 - no secret
    parser.add_argument("--pg", type=int, choices=available(), default=available()[0])
    options = parser.parse_args()
    sys.stdout.write(f"{options.examples} workflows, seed {options.seed}, PostgreSQL {options.pg}\n")
    build()
    with running(options.pg) as server, server.database() as database:
        steps = judge(database.connect(), examples=options.examples, seed_number=options.seed)
    sys.stdout.write(f"all agree, {steps} steps\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
