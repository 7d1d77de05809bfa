"""One execution in the handler process: its limit, its token, its task."""

from __future__ import annotations

import asyncio
from typing import Any

from tenure._rows import Claimed
from tenure.worker._context import Context, Host
from tenure.worker._leases import Key
from tenure.worker._token import Reason, Token
from tenure.worker._transaction import Transaction


class Execution:
    """What the worker knows of a running handler; how to stop it."""

    __slots__ = (
        "_interruptible",
        "claimed",
        "context",
        "ended",
        "limit_at",
        "owner",
        "task",
        "token",
        "transaction",
    )

    def __init__(self, claimed: Claimed, limit_at: float | None, *, host: Host, dsn: str, owner: str) -> None:
        self.claimed = claimed
        self.limit_at = limit_at
        self.owner = owner
        self.token = Token()
        self.transaction = Transaction(dsn)
        self.context = Context(claimed, limit_at, host, self.token, self.transaction)
        self.task: asyncio.Task[Any] | None = None
        self.ended = False
        """Its outcome is known: nothing can stop it any more."""
        self._interruptible = False

    @property
    def key(self) -> Key:
        return (self.claimed.step_id, self.claimed.generation)

    def open(self) -> bool:
        """The handler begins, and may be interrupted from now on; False: it was stopped before."""
        self._interruptible = self.token.reason is None
        return self._interruptible

    def shut(self) -> None:
        """The handler has ended. What is left, a commit for instance, is not to be cut in the middle."""
        self._interruptible = False

    def stop(self, reason: Reason) -> None:
        """Set the token and cancel the handler's task, once."""
        if self.token.set(reason) and self._interruptible and self.task is not None:
            self.task.cancel()
