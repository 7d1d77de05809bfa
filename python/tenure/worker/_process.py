"""A handler process, as the supervisor sees it: spawned, spoken to over one socket, and gone one day."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from typing import Literal

from tenure.worker._groups import Left, left_by, living, signal_group
from tenure.worker._settings import Settings
from tenure.worker._wire import Message, Unpacker, pack

Role = Literal["host", "slot"]
"""`host` runs async and thread handlers, many at a time; `slot` one process handler after another."""

GONE_LIMIT = 2.0
"""Seconds that a killed group may take to be gone. Longer takes only what the kernel itself holds."""

_BOOT = "import sys; sys.path[:] = {path!r}; from tenure.worker._child import main; main({fd}, {parent})"

_CHUNK = 1 << 18

_SIGNALS = {signal.SIGTERM, signal.SIGINT}


def _spawn(fd: int) -> subprocess.Popen[bytes]:
    """A fresh interpreter with this one's import path, in a session of its own.

    Not a fork, which would inherit this process's locks and signal handlers. A session of its own: what its
    handlers start belongs to its group, and a key pressed at a terminal is for the supervisor alone.
    """
    path = [str(entry) for entry in sys.path]
    command = [sys.executable, "-c", _BOOT.format(path=path, fd=fd, parent=os.getpid())]
    # The child takes over no sooner than it has handlers of its own, and starts with these signals blocked
    # so that none arrives before.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        return subprocess.Popen(command, pass_fds=[fd], stdin=subprocess.DEVNULL, start_new_session=True)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class HandlerProcess:
    """One child; messages to it are gathered and leave as one batch when the loop comes round."""

    def __init__(
        self, process: subprocess.Popen[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Made by `spawn`."""
        self._process = process
        self._reader = reader
        self._writer = writer
        self._outbox: list[Message] = []
        self._killed = asyncio.Event()
        self.heard_at = time.monotonic()
        """When it last said anything that was understood."""

    @classmethod
    async def spawn(cls, settings: Settings, role: Role) -> HandlerProcess:
        """Start a child and tell it what to load."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = _spawn(theirs.fileno())
        reader, writer = await asyncio.open_connection(sock=ours)
        child = cls(process, reader, writer)
        begin = {"app": settings.app, "dsn": settings.dsn, "owner": settings.owner, "logs": settings.logs}
        child.send(["begin", begin | {"role": role}])
        return child

    @property
    def pid(self) -> int:
        """Its process id, which is its group's, too."""
        return self._process.pid

    def send(self, message: Message) -> None:
        """Send a message with the next batch."""
        if not self._outbox:
            asyncio.get_running_loop().call_soon(self._flush)
        self._outbox.append(message)

    def _flush(self) -> None:
        batch, self._outbox = self._outbox, []
        # Nobody waits for the child to read: it may be blocked, and beats and claims go on. What can pile
        # up is bounded by the slots.
        self._writer.write(pack(batch))

    async def messages(self) -> AsyncIterator[Message]:
        """What the child says, until it is gone."""
        unpacker = Unpacker()
        with contextlib.suppress(ConnectionError):
            while data := await self._reader.read(_CHUNK):
                for message in unpacker.feed(data):
                    yield message

    def terminate(self) -> None:
        """Ask it, and whatever its handlers have started, to end."""
        self.send(["terminate"])
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End its group now, also one whose leader has gone. Its last messages can still be read."""
        self._killed.set()
        self._signal(signal.SIGKILL)

    def left(self, seconds: float) -> Left:
        """What runs in its group besides it, and what it started within the last `seconds` that left that."""
        return left_by(self.pid, time.clock_gettime(time.CLOCK_BOOTTIME) - seconds)

    async def ended(self) -> tuple[int, bool]:
        """Wait for its end; answers its exit status, and whether its group is proven to have ended, too.

        What was killed and does not end, because the kernel holds it, is not waited for.
        """
        status, gone = -signal.SIGKILL, False
        if await self._dead():
            # Not waited for yet: as long as it is a zombie nobody else can have its number, or its group's.
            self.kill()
            gone = await self._gone()
            status = self._process.wait()
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()
        return status, gone

    async def _dead(self) -> bool:
        """Wait until it is dead; False: it should be, and is not."""
        dead = asyncio.ensure_future(_readable(os.pidfd_open(self.pid)))
        killed = asyncio.ensure_future(self._killed.wait())
        try:
            await asyncio.wait({dead, killed}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({dead}, timeout=GONE_LIMIT)
            return dead.done()
        finally:
            killed.cancel()
            dead.cancel()

    def _signal(self, number: signal.Signals) -> None:
        if self._process.returncode is None:
            signal_group(self.pid, number)

    async def _gone(self) -> bool:
        deadline = time.monotonic() + GONE_LIMIT
        while living(self.pid):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(0.01)
        return True


async def _readable(fd: int) -> None:
    """Wait until a descriptor can be read, and close it."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fd, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(fd)
        os.close(fd)
