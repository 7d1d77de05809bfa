"""The process that runs async and thread handlers, many at a time."""

from __future__ import annotations

from tenure.worker._relay import Body, Relay, needs_proof


class Shared(Relay):
    """A handler process whose executions share it: none of them can be killed without the others.

    An execution whose thread does not come back is reported, and keeps its slot.
    """

    role = "host"
    kills = False

    @property
    def given_up(self) -> int:
        """How many executions are over and still run."""
        return sum(body.outcome is not None for body in self.bodies.values())

    def runs_on(self, body: Body) -> None:
        if body.outcome is not None and not needs_proof(body):
            self.report(body, body.outcome)
        self.duties.given_up(body.lease)
