"""The handler process, as the supervisor sees it: spawned, spoken to over one socket, and gone one day."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator

from tenure.worker._settings import Settings
from tenure.worker._wire import Message, Unpacker, pack

_BOOT = "import sys; sys.path[:] = {path!r}; from tenure.worker._child import main; main({fd})"

_CHUNK = 1 << 18

_SIGNALS = {signal.SIGTERM, signal.SIGINT}


def _spawn(fd: int) -> subprocess.Popen[bytes]:
    """A fresh interpreter with this one's import path.

    Not a fork, which would inherit this process's locks and signal handlers.
    """
    path = [str(entry) for entry in sys.path]
    command = [sys.executable, "-c", _BOOT.format(path=path, fd=fd)]
    # A signal to the whole group is for the supervisor. The child takes over no sooner than it has handlers
    # of its own, and starts with these signals blocked so that none arrives before.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        return subprocess.Popen(command, pass_fds=[fd], stdin=subprocess.DEVNULL)
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

    @classmethod
    async def spawn(cls, settings: Settings) -> HandlerProcess:
        """Start a child and tell it what to load."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = _spawn(theirs.fileno())
        reader, writer = await asyncio.open_connection(sock=ours)
        child = cls(process, reader, writer)
        child.send(["begin", {"app": settings.app, "dsn": settings.dsn, "owner": settings.owner}])
        return child

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

    def kill(self) -> None:
        """End it now. Its last messages can still be read."""
        self._process.kill()

    async def ended(self) -> int:
        """Wait for its end; answers its exit status."""
        status = await asyncio.to_thread(self._process.wait)
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()
        return status
