"""Whether, and why, a handler is to stop."""

from __future__ import annotations

from typing import Literal

Reason = Literal["timed_out", "cancelled", "lease_lost", "shutdown"]


class Token:
    """Set once, by the worker; handlers see it through `ctx.cancelled` and `ctx.reason`."""

    __slots__ = ("reason",)

    def __init__(self) -> None:
        self.reason: Reason | None = None

    def set(self, reason: Reason) -> bool:
        """Set the reason, unless one is set; but the database's word beats the worker's own reasons.

        Answers whether it was the first.
        """
        first = self.reason is None
        if first or reason in {"cancelled", "lease_lost"}:
            self.reason = reason
        return first
