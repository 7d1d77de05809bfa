"""Between the supervisor and its handler process: who runs there, and what becomes of it when that ends.

A handler process that dies is replaced, not followed: connections and other duties go on, and a step that
kills its process is bounded by `max_reclaims` just as if the whole worker had died. Nothing is released for
the steps that ran in it. That they did nothing cannot be proved, and a hand-back would cost them no reclaim;
their leases are simply not renewed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Protocol

from tenure._rows import Claimed
from tenure.worker._checkpoints import Refusal
from tenure.worker._claimed import to_wire
from tenure.worker._errors import WorkerError
from tenure.worker._leases import Key, Lease
from tenure.worker._link import Backoff
from tenure.worker._outcome import Outcome
from tenure.worker._process import HandlerProcess
from tenure.worker._settings import Settings
from tenure.worker._wire import Message

log = logging.getLogger(__name__)

STEADY = 10.0
"""Seconds that a handler process must have lived for its death to be replaced without a pause."""


class Duties(Protocol):
    """What the supervisor does with what comes from the handler process."""

    def done(self, lease: Lease, outcome: Outcome) -> None:
        """An execution has ended; its slot is free."""

    def progress(self, step_id: int, generation: int, text: str) -> None:
        """A handler reported progress."""

    def ask(self, ask_id: int, step_id: int, generation: int, key: str, value: str | None) -> None:
        """A handler reads or writes a checkpoint and waits for the answer."""

    def lost(self, lease: Lease) -> None:
        """The process died with this execution in it."""

    def room(self) -> None:
        """There may be free slots."""


class Relay:
    """Keeps one handler process alive and knows what runs in it."""

    def __init__(self, settings: Settings, duties: Duties) -> None:
        self._settings = settings
        self._duties = duties
        self._child: HandlerProcess | None = None
        self._ready = False
        self._stopping = False
        self._running: dict[Key, Lease] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self._gone = asyncio.Event()
        self.names: list[str] = []
        """The steps that the application has handlers for; empty until it was loaded."""

    @property
    def free(self) -> int:
        """How many executions could start at once."""
        return self._settings.concurrency - len(self._running) if self._ready else 0

    @property
    def running(self) -> list[Lease]:
        """The executions whose handlers have not ended."""
        return list(self._running.values())

    async def idle(self, limit: float | None = None) -> None:
        """Wait until nothing runs, or for `limit` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit):
                await self._idle.wait()

    def start(self, claimed: Claimed, lease: Lease) -> bool:
        """Run a step's handler; False: the process is not there, and nothing has started."""
        if self._child is None or not self._ready or self._stopping:
            return False
        self._running[lease.key] = lease
        self._idle.clear()
        self._child.send(["start", to_wire(claimed, lease.limit_at)])
        return True

    def cancel(self, lease: Lease, reason: str) -> None:
        """Tell a handler that it is to stop, and why."""
        if self._child is not None and lease.key in self._running:
            self._child.send(["cancel", lease.step_id, lease.generation, reason])

    def answer(self, ask_id: int, value: str | None, refusal: Refusal | None) -> None:
        """Answer a handler's question."""
        if self._child is not None:
            self._child.send(["answer", ask_id, value, refusal])

    async def run(self) -> None:
        """Keep a handler process until stopped."""
        backoff = Backoff()
        while True:
            began = time.monotonic()
            if not await self._one_life():
                return
            if time.monotonic() - began >= STEADY:
                backoff.reset()
            await asyncio.sleep(backoff.pause())

    async def stop(self, grace: float) -> list[Lease]:
        """End the handler process, by force past `grace`; answers what it took down with it.

        When this returns nothing of it runs any more: that much is proved.
        """
        self._stopping = True
        child = self._child
        if child is not None:
            child.send(["quit"])
            try:
                async with asyncio.timeout(grace):
                    await self._gone.wait()
            except TimeoutError:
                log.warning("the handler process did not end by itself and is killed")
                child.kill()
                await self._gone.wait()
        return self._forget()

    async def _one_life(self) -> bool:
        """One process, from its start to its end; whether another is to follow."""
        child = self._child = await HandlerProcess.spawn(self._settings)
        self._gone.clear()
        if self._stopping:
            child.kill()
        try:
            async for message in child.messages():
                self._hear(message)
        finally:
            was_ready, self._child, self._ready = self._ready, None, False
            # At the end of its messages it has closed its side: it is dying, or about to be made to.
            if not self._stopping:
                child.kill()
            status = await child.ended()
            self._gone.set()
        if self._stopping:
            return False
        if not was_ready:
            app = self._settings.app
            raise WorkerError(f"the handler process ended with status {status} before it had loaded {app}")
        log.error("the handler process ended with status %d, with %d steps in it", status, len(self._running))
        for lease in self._forget():
            self._duties.lost(lease)
        return True

    def _forget(self) -> list[Lease]:
        leases = self.running
        self._running.clear()
        self._idle.set()
        return leases

    def _hear(self, message: Message) -> None:
        match message:
            case ["done", step_id, generation, verb, arguments]:
                lease = self._running.pop((step_id, generation))
                if not self._running:
                    self._idle.set()
                self._duties.done(lease, Outcome(verb, tuple(arguments)))
                self._duties.room()
            case ["progress", step_id, generation, text]:
                self._duties.progress(step_id, generation, text)
            case ["ask", ask_id, step_id, generation, key, value]:
                self._duties.ask(ask_id, step_id, generation, key, value)
            case ["ready", names]:
                self.names = names
                self._ready = True
                self._duties.room()
            case ["broken", sentence]:
                raise WorkerError(sentence)
            case _:
                raise ValueError(f"the handler process says {message!r:.200}")
