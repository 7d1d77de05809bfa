"""A worker as a process of its own, as people run it."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support.repository import ROOT
from tests.support.wait import LIMIT, wait_until

APP = "tests.worker.handlers:app"

MARK = "TENURE_TEST_WORKER"
"""An environment variable that tells this worker's processes from all others."""

COMMAND = "from _tenure_cli import main; main()"


class WorkerProcess:
    """`tenure worker`, started; its output is kept for whoever wants to know why a test failed."""

    def __init__(
        self,
        dsn: str,
        trace_dsn: str,
        *,
        app: str = APP,
        path: Path | None = None,
        command: str = COMMAND,
        **options: Any,
    ) -> None:
        """Start it in a process group of its own; `lease_ttl=1` becomes `--lease-ttl 1`.

        `path` is a folder that Python looks for modules in before any other, `command` what it does first.
        """
        arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        mark = secrets.token_hex(16)
        self._mark = f"{MARK}={mark}".encode()
        # Appending: to read moves the position that the processes share.
        self._output = tempfile.TemporaryFile(mode="a+")  # noqa: SIM115 - `end` closes it
        self._process = subprocess.Popen(
            [sys.executable, "-c", command, "worker", app, "--dsn", dsn, *arguments],
            cwd=ROOT,
            env=os.environ
            | {"TRACE_DSN": trace_dsn, MARK: mark}
            | ({"PYTHONPATH": str(path)} if path else {}),
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The supervisor's process id."""
        return self._process.pid

    @property
    def output(self) -> str:
        """What it wrote so far."""
        self._output.seek(0)
        return self._output.read()

    def send(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to the supervisor alone."""
        self._process.send_signal(number)

    def send_to_all(self, number: signal.Signals) -> None:
        """Send a signal to each of its processes, as a service manager does, or a container's init."""
        for pid in self._members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def wait(self) -> int:
        """Wait for its end; answers the exit status."""
        try:
            return self._process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the worker did not end:\n{self.output}") from None

    def stop(self) -> None:
        """Ask it to stop, and expect that it does so cleanly."""
        self.send()
        assert self.wait() == 0, self.output

    def end(self) -> None:
        """Kill what is left of it."""
        for pid in self._members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        wait_until(self.gone, what="the worker's processes are gone")
        sys.stdout.write(self.output)  # pytest shows it beside a failure
        self._output.close()

    def count(self) -> int:
        """How many processes it has, itself included."""
        return len(self._members())

    def gone(self) -> bool:
        """Whether neither the supervisor nor its handler process is there any more."""
        self._process.poll()
        return not self._members()

    def _members(self) -> list[int]:
        """Its processes, by their mark: the number of one that has ended may be another's by now."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
                if self._mark in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
        return found
