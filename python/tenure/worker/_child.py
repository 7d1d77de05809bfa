"""The handler process's own start and end."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from tenure import _json
from tenure.app import App
from tenure.worker._host import Host
from tenure.worker._wire import Message, Unpacker, pack

_CHUNK = 1 << 18

ORPHAN_GRACE = 1.0
"""Seconds for handlers to clean up when the supervisor is gone: then nobody renews their leases any more."""

QUIT_GRACE = 0.5


def main(fd: int) -> None:
    """Serve the supervisor at the other end of the socket `fd` until it says quit or is gone."""
    _leave_signals_to_the_supervisor()
    pipe = Pipe(socket.socket(fileno=fd))
    begin = pipe.first()
    try:
        # Foreign code: whatever it raises must reach a person.
        app = load(begin["app"])
    except Exception as error:
        document = _json.error_document(error)
        pipe.send([["broken", f"cannot load {begin['app']}: {document['type']}: {document['message']}"]])
        raise SystemExit(1) from error
    asyncio.run(_serve(app, begin, pipe))


def load(reference: str) -> App:
    """Import the application named `module:attribute`."""
    module, _, attribute = reference.partition(":")
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    if not isinstance(found, App):
        raise TypeError(f"{reference} is a {type(found).__name__}, not a tenure.App")
    return found


def _leave_signals_to_the_supervisor() -> None:
    """Do nothing on a signal to the group, and unblock what the supervisor blocked for the start.

    A handler that does nothing, and not SIG_IGN: programs that handlers start inherit the latter.
    """
    numbers = {signal.SIGTERM, signal.SIGINT}
    for number in numbers:
        signal.signal(number, _nothing)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def _nothing(number: int, frame: FrameType | None) -> None:
    """Leave it to the supervisor, which gets the same signal or says quit."""


class Pipe:
    """The child's end of the socket: a thread reads, the loop writes."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._unpacker = Unpacker()
        self._early: list[Message] = []

    def first(self) -> dict[str, Any]:
        """Wait for the first message, `begin`."""
        while not self._early:
            data = self._end.recv(_CHUNK)
            if not data:
                raise SystemExit(1)
            self._early = self._unpacker.feed(data)
        begin: dict[str, Any] = self._early.pop(0)[1]
        return begin

    def send(self, messages: list[Message]) -> None:
        """Write a batch.

        This may block for a moment only: the supervisor runs no foreign code and always reads.
        """
        try:
            self._end.sendall(pack(messages))
        except OSError:
            # It is gone: the reading thread sees it too, and ends this process.
            return

    def read(self, receive: Callable[[list[Message]], None], gone: Callable[[], None]) -> None:
        """Read until the other end closes.

        In a thread of its own, so that a process whose loop is blocked does not outlive its supervisor.
        """
        receive(self._early)
        try:
            while data := self._end.recv(_CHUNK):
                if messages := self._unpacker.feed(data):
                    receive(messages)
        except OSError:
            # As good as closed.
            pass
        gone()


async def _serve(app: App, begin: dict[str, Any], pipe: Pipe) -> None:
    # What its handlers enqueue goes to the database that the worker serves, whatever the module says.
    app.dsn = begin["dsn"]
    host = Host(app.steps, dsn=begin["dsn"], owner=begin["owner"], send=pipe.send)
    loop = asyncio.get_running_loop()
    left = threading.Event()

    def gone() -> None:
        if left.is_set():
            return
        loop.call_soon_threadsafe(host.stop_all, "lease_lost")
        loop.call_soon_threadsafe(host.quit.set)
        left.wait(ORPHAN_GRACE)
        # Also when the loop is blocked: a body without a lease must not go on.
        os._exit(1)

    def receive(messages: list[Message]) -> None:
        if not left.is_set():
            loop.call_soon_threadsafe(host.receive, messages)

    threading.Thread(target=pipe.read, args=(receive, gone), name="pipe", daemon=True).start()
    pipe.send([["ready", sorted(app.steps)]])
    await host.quit.wait()
    host.stop_all("shutdown")
    ended = await host.wind_up(QUIT_GRACE)
    host.flush()
    left.set()
    if not ended:
        # Handlers that will not stop: asyncio would wait for them for ever.
        os._exit(0)
