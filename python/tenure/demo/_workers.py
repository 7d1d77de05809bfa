"""The demos' workers: processes of their own, as `tenure worker` starts them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = "from _tenure_cli import main; main()"
LEASE_TTL = 3.0  # seconds: how soon a crash is noticed
DRAIN = 2.0  # seconds for handlers at work when a worker is told to stop
GRACE = 5.0  # more seconds until it is killed


class DemoError(Exception):
    """The demo did not go as it should."""


class WorkerProcess:
    """One worker. Its session is its own, so that Ctrl-C reaches the demo alone, which then stops it."""

    def __init__(self, dsn: str, log: Path, reference: str = "tenure.demo.jobs:app") -> None:
        """Start it on this application; what it has to say goes to the log."""
        options = {
            "--dsn": dsn,
            "--concurrency": "8",
            "--lease-ttl": str(LEASE_TTL),
            "--poll-interval": "0.5",
            "--shutdown-timeout": str(DRAIN),
        }
        words = [word for pair in options.items() for word in pair]
        self._log = log
        with log.open("w", encoding="utf-8") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-c", COMMAND, "worker", reference, *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Its process id, which is also that of its process group."""
        return self._process.pid

    def check(self) -> None:
        """Raise when it has ended though nobody asked it to."""
        if self._process.poll() is not None:
            raise DemoError(f"worker {self.pid} ended by itself:\n{self._last_words()}")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Hold it still, so that what it has leased now is what it has leased."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill it as a power cut would: it has no say in it."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Ask it to finish what it has and to leave; raise when it does not leave cleanly."""
        self._process.terminate()
        code = self._process.wait(DRAIN + GRACE)
        if code != 0:
            raise DemoError(f"worker {self.pid} ended with {code}:\n{self._last_words()}")

    def clean_up(self) -> None:
        """Leave no process behind, whatever happened before."""
        if self._process.poll() is None:
            self._process.terminate()
        # A killed worker's handler process leaves by itself: it notices that nobody is there any more.
        give_up = time.monotonic() + DRAIN + GRACE
        while self._group_lives():
            if time.monotonic() > give_up:
                os.killpg(self.pid, signal.SIGKILL)
                break
            time.sleep(0.02)
        self._process.wait()

    def _group_lives(self) -> bool:
        self._process.poll()
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def _last_words(self) -> str:
        return "\n".join(self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
