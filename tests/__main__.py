"""`python -m tests`: every test, on each server there is, the servers side by side.

Most of a test's time is waiting, so two servers take hardly longer than one. The first run shows what it does
as it goes; the others speak when they are done. Arguments go to pytest.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from typing import IO, TYPE_CHECKING

from tests.support.servers import available

if TYPE_CHECKING:
    from types import FrameType

NO_TESTS = 5  # pytest's exit code when nothing was left of its selection


def main(arguments: list[str]) -> int:
    """Run them and return the exit code: that of the first run that failed."""
    first, *others = available()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        runs = [_start([f"--pg={first}", *arguments], None)]
        for major in others:
            # Colours are for terminals, and a file is none; both runs have their own idea of the last
            # failures.
            options = [f"--pg={major}", "--server-tests-only", "-p", "no:cacheprovider"]
            runs.append(_start([*options, *arguments], output))
        codes = _wait(runs)
        output.seek(0)
        sys.stdout.write(output.read())
    failed = [code for code in codes if code not in {0, NO_TESTS}]
    return failed[0] if failed else min(codes)


def _start(arguments: list[str], output: IO[str] | None) -> subprocess.Popen[bytes]:
    # In a session of its own: a Ctrl-C that came by the terminal and by us would interrupt its clean-up too.
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)


def _wait(runs: list[subprocess.Popen[bytes]]) -> list[int]:
    """Wait for all, and pass on what this process is told."""

    def forward(number: int, _frame: FrameType | None) -> None:
        for run in runs:
            run.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, forward)
    return [run.wait() for run in runs]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
