"""All handler processes of a worker, and which step runs where."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tenure._rows import Claimed
from tenure.registry import Step
from tenure.worker._errors import WorkerError
from tenure.worker._leases import Lease
from tenure.worker._questions import Question, Refusal
from tenure.worker._relay import Duties, Relay
from tenure.worker._settings import Settings
from tenure.worker._shared import Shared
from tenure.worker._slot import Slot
from tenure.worker._token import Reason


@dataclass(frozen=True, slots=True)
class Room:
    """What can be started now."""

    slots: int
    names: list[str]


class Handlers:
    """Runs executions in the process that their kind asks for.

    One process for all async and thread handlers, if there are any; and one for each process handler at
    work, with one more in reserve: a step's time runs from its claim, so its process must be there before.
    """

    def __init__(self, settings: Settings, steps: Sequence[Step[Any]], duties: Duties) -> None:
        self._settings = settings
        self._duties = duties
        self._separate = frozenset(step.name for step in steps if step.kind == "process")
        self._shared = Shared(settings, duties, capacity=settings.concurrency)
        self._shares = len(self._separate) < len(steps)
        self._slots: list[Slot] = []
        self._group: asyncio.TaskGroup | None = None
        self._stopping = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    # -- room ------------------------------------------------------------------------------------------

    async def probe(self) -> None:
        """Find out whether the process that many share answers: room in one that does not is none."""
        if self._shared.free > 0:
            await self._shared.probe()

    def shared_room(self) -> Room:
        """Room for async and thread handlers."""
        names = [name for name in self._shared.names if name not in self._separate]
        free = self._shared.free if self._shared.answers else 0
        return Room(min(free, self._free), names)

    def separate_room(self) -> Room:
        """Room for process handlers."""
        names = {name for slot in self._slots for name in slot.names} & self._separate
        return Room(min(sum(slot.free for slot in self._slots), self._free), sorted(names))

    @property
    def _free(self) -> int:
        return self._settings.concurrency - sum(len(relay.bodies) for relay in self._relays)

    @property
    def given_up(self) -> int:
        """How many slots are held by handlers that do not end."""
        return self._shared.given_up

    # -- executions ------------------------------------------------------------------------------------

    @property
    def running(self) -> list[Lease]:
        """The executions whose pipelines have not ended."""
        return [lease for relay in self._relays for lease in relay.running]

    def start(self, claimed: Claimed, lease: Lease) -> bool:
        """Run a step's handler; False: there is no process for it, and nothing has started.

        After some of these comes `changed`.
        """
        relays = self._slots if claimed.name in self._separate else [self._shared]
        return any(relay.start(claimed, lease) for relay in relays)

    def cancel(self, lease: Lease, reason: Reason, until: float) -> None:
        """Tell a handler that it is to stop, why, and when it must be over."""
        for relay in self._relays:
            relay.cancel(lease, reason, until)

    def renewed(self, lease: Lease) -> None:
        """Pass on that its lease was renewed."""
        for relay in self._relays:
            relay.renewed(lease)

    def frozen(self, lease: Lease) -> bool:
        """Whether an execution's process has not answered for so long that it gets no more heartbeats."""
        return any(relay.frozen(lease) for relay in self._relays)

    def answer(self, question: Question, value: Any, refusal: Refusal | None) -> None:
        """Answer a handler's question."""
        for relay in self._relays:
            relay.answer(question, value, refusal)

    async def idle(self, until: float) -> None:
        """Wait until nothing runs, or until an instant."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self._idle.wait()

    # -- processes -------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Keep the processes until stopped."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            if self._shares:
                group.create_task(self._keep(self._shared))
            self.changed()
            await self._stopping.wait()

    def drain(self, until: float) -> None:
        """Start nothing any more, and end the processes by then in which nothing runs."""
        self._stopping.set()
        for relay in self._relays:
            relay.retire(until)

    async def stop(self, until: float) -> None:
        """End all processes by then, by force if need be."""
        self._stopping.set()
        await asyncio.gather(*(relay.stop(until) for relay in self._relays))

    def changed(self) -> None:
        """Something has started, ended or died."""
        if any(relay.busy for relay in self._relays):
            self._idle.clear()
        else:
            self._idle.set()
        if self._separate and self._wants_slot() and self._group is not None and not self._stopping.is_set():
            slot = Slot(self._settings, self._duties)
            self._slots.append(slot)
            self._group.create_task(self._keep(slot))

    def _wants_slot(self) -> bool:
        """Whether no process is in reserve."""
        short = len(self._slots) < self._settings.concurrency
        return short and all(slot.bodies for slot in self._slots)

    @property
    def _relays(self) -> Iterator[Relay]:
        yield self._shared
        yield from self._slots

    async def _keep(self, relay: Relay) -> None:
        try:
            await relay.run()
        except WorkerError as error:
            self._duties.failed(error)
        except OSError as error:
            self._duties.failed(WorkerError(f"no handler process can be started: {error}"))
