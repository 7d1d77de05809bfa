"""The process that runs async and thread handlers, many at a time."""

from __future__ import annotations

import asyncio

from tenure.worker._alarms import Alarms
from tenure.worker._budget import MARGIN
from tenure.worker._leases import Lease
from tenure.worker._process import HandlerProcess
from tenure.worker._relay import Body, Duties, Relay, is_repeated, is_timeout
from tenure.worker._settings import Settings
from tenure.worker._token import Reason


class Shared(Relay):
    """A handler process whose executions share it: none of them can be killed without the others.

    One that has not ended when its time is over, for whatever reason, is given up: it is reported, and keeps
    its slot. Most often its process says so itself, of a thread. Where it says nothing it is asked.
    """

    role = "host"
    kills = False

    def __init__(self, settings: Settings, duties: Duties, *, capacity: int) -> None:
        super().__init__(settings, duties, capacity=capacity)
        self._alarms = Alarms[Body](lambda _, body: not (body.ended or body.given_up), self._ring)

    @property
    def given_up(self) -> int:
        """How many executions are over and may still run."""
        return sum(body.given_up for body in self.bodies.values())

    def begun(self, body: Body, child: HandlerProcess) -> None:  # noqa: ARG002 - for slots
        self._expect(body)

    def cancel(self, lease: Lease, reason: Reason, until: float) -> None:
        super().cancel(lease, reason, until)
        if body := self.bodies.get(lease.key):
            self._expect(body)

    def runs_on(self, body: Body) -> None:
        if body.outcome is None:
            self._give_up(body)
            return
        if not is_repeated(body):
            self.report(body, body.outcome)
        self.duties.runs_on(body.lease)
        self._alarms.set(self._patient_until(body, asyncio.get_running_loop().time()), body)

    def _patient_until(self, body: Body, now: float) -> float:
        """When the time of what runs on of an execution that has ended is over, too."""
        if body.reason is not None or is_timeout(body.outcome):
            return now + MARGIN
        if body.end_at is None:
            # It has returned by itself, and nothing limits what it has left.
            return now + self.settings.stall_limit
        return max(now, body.end_at) + MARGIN

    def _give_up(self, body: Body) -> None:
        if not body.given_up:
            body.given_up = True
            self.duties.given_up(body.lease)

    def _expect(self, body: Body) -> None:
        if body.end_at is not None:
            self._alarms.set(body.end_at + MARGIN, body)

    def _ring(self, body: Body) -> None:
        """Its time is over. One that has said nothing is asked after.

        A process whose loop is blocked does not answer, and has the stall limit over it.
        """
        if body.outcome is not None:
            self._give_up(body)
        elif self.child is not None:
            self.child.send(["where", *body.lease.key])
