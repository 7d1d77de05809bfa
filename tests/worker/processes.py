"""A worker as a process of its own, as people run it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from typing import Any

from tests.support.repository import ROOT
from tests.support.wait import wait_until

APP = "tests.worker.handlers:app"

_COMMAND = "from tenure.cli import main; main()"


class WorkerProcess:
    """`tenure worker`, started; its output is kept for whoever wants to know why a test failed."""

    def __init__(self, dsn: str, trace_dsn: str, *, app: str = APP, **options: Any) -> None:
        """Start it in a process group of its own; `lease_ttl=1` becomes `--lease-ttl 1`."""
        arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        self._output = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 - `end` closes it
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, "worker", app, "--dsn", dsn, *arguments],
            cwd=ROOT,
            env=os.environ | {"TRACE_DSN": trace_dsn},
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

    def send_to_group(self, number: signal.Signals) -> None:
        """Send a signal to the supervisor and its handler process, as a terminal does."""
        os.killpg(self.pid, number)

    def wait(self) -> int:
        """Wait for its end; answers the exit status."""
        try:
            return self._process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the worker did not end:\n{self.output}") from None

    def stop(self) -> None:
        """Ask it to stop, and expect that it does so cleanly."""
        self.send()
        assert self.wait() == 0, self.output

    def children(self) -> list[int]:
        """Its handler process, as long as both live."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as file:  # noqa: PTH123 - proc
            return [int(pid) for pid in file.read().split()]

    def end(self) -> None:
        """Kill what is left of it."""
        if not self.gone():
            self.send_to_group(signal.SIGKILL)
        self._process.wait()
        wait_until(self.gone, what="the worker's processes are gone")
        sys.stdout.write(self.output)  # pytest shows it beside a failure
        self._output.close()

    def gone(self) -> bool:
        """Whether neither the supervisor nor its handler process is there any more."""
        self._process.poll()
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return True
        return False
