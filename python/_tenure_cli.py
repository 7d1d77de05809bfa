"""The command `tenure`, from its first line.

Not in the package, for importing that is what takes the time: a worker that is told to stop meanwhile is to
leave as at any other time, with a report.
"""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command. Signals to a worker wait until it can answer them."""
    if sys.argv[1:2] == ["worker"]:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    from tenure.cli import main as run

    run()
