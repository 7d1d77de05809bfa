"""A proxy before the server's socket that can drop packets: nothing comes back, not even an error."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = ".s.PGSQL.5432"
CHUNK = 65536

_FIELDS = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
_STARTING = b"E" + (4 + len(_FIELDS)).to_bytes(4, "big") + _FIELDS
"""What a server answers that is not there yet."""


class _Pair:
    """A client's connection and the one to the server that belongs to it."""

    def __init__(self, client: socket.socket, server: socket.socket, *, silent: bool) -> None:
        self.ends = (client, server)
        self.silent = silent
        for source, target in ((client, server), (server, client)):
            threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                if not self.silent:
                    target.sendall(data)
            # A silent network does not tell either that the other side has gone.
            if not self.silent:
                target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


class Proxy:
    """Forwards connections to a server's socket."""

    def __init__(self, folder: Path, target: Path) -> None:
        """Listen in `folder`, forward to the socket in `target`."""
        self.folder = folder
        self._target = target
        self._pairs: list[_Pair] = []
        self._cut = False
        self._starting = False
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / NAME))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def fall_silent(self) -> None:
        """Drop whatever is sent on the connections that there are; new ones work."""
        for pair in self._pairs:
            pair.silent = True

    def cut(self) -> None:
        """Drop whatever is sent, on new connections too."""
        self._cut = True
        self.fall_silent()

    def start_up(self) -> None:
        """Refuse new connections, as a server does that is starting up."""
        self._starting = True

    def mend(self) -> None:
        """New connections work again."""
        self._cut = self._starting = False

    def close(self) -> None:
        """End the proxy and its connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for pair in self._pairs:
            pair.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._starting:
                    with client:
                        client.recv(CHUNK)
                        client.sendall(_STARTING)
                    continue
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._target / NAME))
                self._pairs.append(_Pair(client, server, silent=self._cut))


@contextmanager
def proxy(target: Path) -> Iterator[Proxy]:
    """Run a proxy for the socket in this folder as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="tenure-proxy-", dir="/tmp") as folder:
        running = Proxy(Path(folder), target)
        try:
            yield running
        finally:
            running.close()
