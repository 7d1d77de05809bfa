"""The handler process alone, at the end of a pipe that the test holds."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from subprocess import Popen
from typing import Any

import pytest

from tenure._rows import Claimed
from tenure.worker import _process
from tenure.worker._budget import Budget
from tenure.worker._claimed import to_wire
from tenure.worker._groups import living, signal_group
from tenure.worker._process import HandlerProcess, _spawn
from tenure.worker._wire import Message, Unpacker, pack
from tests.support.wait import LIMIT, wait_until
from tests.worker.test_relay import SETTINGS

APP = "tests.worker.alone:app"


class Alone:
    """A handler process whose parent lives on when the pipe is closed."""

    def __init__(self, role: str) -> None:
        self._pipe, theirs = socket.socketpair()
        self._pipe.settimeout(LIMIT)
        self._heard = Unpacker()
        with theirs:
            self.process: Popen[bytes] = _spawn(theirs.fileno())
        self.say("begin", {"app": APP, "dsn": "", "owner": "test", "logs": False, "role": role})

    def say(self, *message: object) -> None:
        self._pipe.sendall(pack([list(message)]))

    def hear(self, verb: str) -> Message:
        """Wait until it says this."""
        while True:
            data = self._pipe.recv(1 << 16)
            assert data, "it has gone"
            for message in self._heard.feed(data):
                if message[0] == verb:
                    return message

    def close(self) -> None:
        self._pipe.close()


@pytest.fixture(params=["host", "slot"])
def alone(request: pytest.FixtureRequest) -> Iterator[Alone]:
    """One of each role."""
    made = Alone(request.param)
    yield made
    made.close()
    signal_group(made.process.pid, signal.SIGKILL)
    made.process.wait()


def start_of(name: str) -> list[Any]:
    """The message that starts a step of this name, claimed just now for an hour."""
    expiry = datetime(2026, 1, 1, tzinfo=UTC)
    claimed = Claimed(
        7, 7, name, "default", "null", 1, 5, 3, expiry, None, 0, None, None, None, "abandon", None
    )
    now = time.monotonic()
    return ["start", 7, 3, [now + 3599, now + 3600, now + 3600], to_wire(claimed, Budget.of(now, None))]


def start(alone: Alone, name: str) -> None:
    """Have it run a step."""
    alone.say(*start_of(name))


@pytest.mark.parametrize("name", ["blocks_loop", "sits"])
def test_a_busy_process_leaves_when_its_pipe_closes(alone: Alone, name: str) -> None:
    """R-325: though its parent lives, and nothing in it listens."""
    alone.hear("ready")
    start(alone, name)
    alone.hear("progress")
    alone.close()
    wait_until(lambda: not living(alone.process.pid), what="it has left")


def test_a_process_says_where_an_execution_is_that_is_overdue(alone: Alone) -> None:
    """R-318: and answers for one that it does not know of, too."""
    alone.hear("ready")
    start(alone, "sits")
    alone.hear("progress")
    alone.say("where", 7, 3)
    verb, step_id, generation, stack = alone.hear("there")
    assert (verb, step_id, generation) == ("there", 7, 3)
    assert "in sits\n" in stack
    alone.say("where", 8, 1)
    assert alone.hear("there") == ["there", 8, 1, ""]


def test_a_process_that_no_kill_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-319: the kernel may hold one for as long as a disk does not answer."""
    monkeypatch.setattr(_process, "GONE_LIMIT", 0.1)
    monkeypatch.setattr(HandlerProcess, "_signal", lambda *_: None)

    async def scene() -> tuple[HandlerProcess, tuple[int, bool]]:
        child = await HandlerProcess.spawn(replace(SETTINGS, app=APP), "host")
        async for message in child.messages():
            if message[0] == "ready":
                break
        child.send(start_of("blocks_loop"))
        async for message in child.messages():
            if message[0] == "progress":
                break
        child.kill()
        return child, await child.ended()

    child, end = asyncio.run(scene())
    try:
        assert end == (-9, False)
        assert living(child.pid) == [child.pid]
    finally:
        signal_group(child.pid, signal.SIGKILL)
        child._process.wait()
