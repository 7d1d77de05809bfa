"""The process that owns a server: `embedded.py` runs this file and talks to it over two pipes.

The holder may die in any way, SIGKILL included. Whatever happens to it, the kernel closes its end of the
pipe; the keeper reads the end of file, stops the server and removes the server's folder. It has its own
session, so that Ctrl-C in a terminal reaches the holder alone. Standard library only, and no import of the
package: it must start fast.

It reads one JSON line with the plan, then one command a line (`restart`, `crash`) until end of file, and
answers each with one JSON line: `{}` or `{"error": …}`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

START_LIMIT = 60.0  # seconds until a starting server must accept connections
STOP_LIMIT = 10.0  # seconds for a fast shutdown, then as long for an immediate one
READY_LINE = 7  # of postmaster.pid: the server's own word on its state


class KeeperError(Exception):
    """The server cannot be made or started."""


class Keeper:
    """One server, from initdb to the removal of its folder."""

    def __init__(self, plan: dict[str, Any]) -> None:
        """Take over the folder that the plan names."""
        self.base = Path(plan["base"])
        self.bin = Path(plan["bin"])
        self.data = Path(plan["data"])
        self.remove = [Path(folder) for folder in plan["remove"]]
        self.log = self.base / "server.log"
        self.identity: dict[str, Any] = plan["identity"]
        self.settings: dict[str, str] = plan["settings"]
        self.postmaster: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Make the cluster unless the data folder holds one already, and start it."""
        if not (self.data / "PG_VERSION").exists():
            self._initdb()
        self._start()

    def _initdb(self) -> None:
        options = [
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-instructions",
        ]
        done = subprocess.run(
            [self.bin / "initdb", "-D", self.data, *options],
            cwd=self.base,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            **self.identity,
        )
        if done.returncode != 0:
            raise KeeperError(f"initdb failed: {done.stderr.strip() or done.stdout.strip()}")

    def _start(self) -> None:
        options = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        with self.log.open("ab") as log:
            postmaster = subprocess.Popen(
                [self.bin / "postgres", "-D", self.data, *options],
                cwd=self.base,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self.identity,
            )
        self.postmaster = postmaster
        give_up = time.monotonic() + START_LIMIT
        while not self._ready(postmaster.pid):
            if postmaster.poll() is not None or time.monotonic() > give_up:
                raise KeeperError(f"the server did not start:\n{self._log_tail()}")
            time.sleep(0.02)

    def _ready(self, pid: int) -> bool:
        try:
            lines = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > READY_LINE and lines[0] == str(pid) and lines[READY_LINE].strip() == "ready"

    def _log_tail(self) -> str:
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])

    def stop(self) -> None:
        """Stop the server: fast; if that takes too long, at once; if even that hangs, by force."""
        if self.postmaster is None:
            return
        for way in (signal.SIGINT, signal.SIGQUIT):
            self.postmaster.send_signal(way)
            try:
                self.postmaster.wait(STOP_LIMIT)
            except subprocess.TimeoutExpired:
                continue
            self.postmaster = None
            return
        self._kill(self.postmaster)

    def _kill(self, postmaster: subprocess.Popen[bytes]) -> None:
        """Kill the server, and its backends, and wait until all have gone: they hold its shared memory."""
        postmaster.send_signal(signal.SIGSTOP)  # so that it has no more children than we find
        listing = Path(f"/proc/{postmaster.pid}/task/{postmaster.pid}/children")
        children = (
            [int(word) for word in listing.read_text(encoding="ascii").split()] if listing.exists() else []
        )
        for pid in [postmaster.pid, *children]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        postmaster.wait()
        self.postmaster = None
        give_up = time.monotonic() + STOP_LIMIT
        while any(_runs(pid) for pid in children) and time.monotonic() < give_up:
            time.sleep(0.005)

    def obey(self, command: str) -> None:
        """Carry out one command of the holder: both end with a running server."""
        if command == "crash" and self.postmaster is not None:
            self._kill(self.postmaster)
        self.stop()
        self._start()


def _runs(pid: int) -> bool:
    """Tell whether a process is there and no zombie: only then has it let go of the shared memory."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    # "pid (name) state …", and the name may hold anything.
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")


def answer(action: Callable[[], None]) -> bool:
    """Run the action, tell the holder how it went, and return whether it went well."""
    reply = {}
    try:
        action()
    except (OSError, KeeperError) as error:
        reply = {"error": str(error)}
    try:
        # Not print: the interpreter would complain at exit of a buffer that a closed pipe did not take.
        os.write(sys.stdout.fileno(), json.dumps(reply).encode() + b"\n")
    except BrokenPipeError:
        return False
    return not reply


def main() -> None:
    """Serve one holder until its pipe closes."""
    for deaf_to in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A handler, not SIG_IGN: the server would inherit that.
        signal.signal(deaf_to, lambda _number, _frame: None)
    keeper = Keeper(json.loads(sys.stdin.readline()))
    try:
        if answer(keeper.begin):
            for line in sys.stdin:
                answer(partial(keeper.obey, line.strip()))
    finally:
        keeper.stop()
        for folder in keeper.remove:
            # One of them may lie in another.
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
