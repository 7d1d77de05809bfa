"""What a document shows, typed in and run."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

LIMIT = 300  # seconds for one block; the documents wait for nothing
PROGRAMS = str(Path(sys.executable).parent)
"""Where the command `tenure` is."""


def typed(
    command: list[str], text: str, *, folder: Path, env: Mapping[str, str], stderr: int = subprocess.PIPE
) -> str:
    """Have a shell or psql run the text, and return what it prints. Nothing that it starts stays."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            printed, complaints = process.communicate(text, LIMIT)
        finally:
            # A block that failed must not leave its worker behind.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, f"{text}\n{printed}\n{complaints}"
    return printed
