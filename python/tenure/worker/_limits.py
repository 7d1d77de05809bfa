"""One timer for all cutoffs."""

from __future__ import annotations

from tenure.worker._alarms import Alarms
from tenure.worker._execution import Execution


class Limits:
    """Tells executions whose normal time is over to stop."""

    def __init__(self) -> None:
        self._alarms = Alarms[Execution](
            lambda _, execution: not execution.ended, lambda execution: execution.stop("timed_out")
        )

    def watch(self, execution: Execution) -> None:
        """Stop it at its cutoff, if it has one and is still running then."""
        if execution.budget.cutoff_at is not None:
            self._alarms.set(execution.budget.cutoff_at, execution)
