"""Sleeps and signal waits: those that have ended before, and how one more unwinds the handler."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NoReturn

from tenure import _check
from tenure._durations import Duration
from tenure._rows import Claimed
from tenure.errors import DurationInvalid
from tenure.worker._outcome import Outcome


class Suspended(BaseException):
    """Unwinds a handler that sleeps or waits: its step goes on in another execution.

    No Exception, so that a handler's own `except Exception` lets it pass.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("the execution ends here and the handler is invoked again later")
        self.outcome = outcome


class Waits:
    """Answers a sleep or a wait that has ended, and suspends the execution for any other."""

    def __init__(self, claimed: Claimed) -> None:
        self._claimed = claimed
        self._calls: dict[str, int] = {}
        self.suspended: Suspended | None = None
        """Set once the handler has asked to sleep or to wait, whatever became of the exception."""

    @cached_property
    def _ended(self) -> dict[str, dict[str, Any]]:
        """The recorded outcomes, by key."""
        return {wait["key"]: wait for wait in self._claimed.waits}

    def sleep(self, duration: Duration, key: str | None) -> None:
        """Return when this sleep has ended, else suspend."""
        seconds = _seconds("duration", duration)
        key = self._key("sleep", key)
        if key not in self._ended:
            self._suspend(Outcome("sleep", (seconds, key)))

    def signal(self, name: str, timeout: Duration | None, key: str | None) -> Any:
        """Return the payload of this wait when it has ended, else suspend; TimeoutError when it timed out."""
        _check.name("signal", name)
        seconds = None if timeout is None else _seconds("timeout", timeout)
        key = self._key(f"signal:{name}", key)
        if key not in self._ended:
            self._suspend(Outcome("wait_signal", (name, seconds, key)))
        ended = self._ended[key]
        if ended["outcome"] == "timed_out":
            raise TimeoutError(f"signal {name!r} did not come in time")
        return ended["payload"]

    def _key(self, prefix: str, key: str | None) -> str:
        if key is not None:
            return _check.name("key", key)
        number = self._calls[prefix] = self._calls.get(prefix, 0) + 1
        return f"{prefix}:{number}"

    def _suspend(self, outcome: Outcome) -> NoReturn:
        if self.suspended is None:
            self.suspended = Suspended(outcome)
        raise self.suspended


def _seconds(what: str, duration: Duration) -> float:
    checked = _check.interval(what, duration)
    if checked is None:
        raise DurationInvalid(f"{what} is missing")
    return checked.total_seconds()
