"""Why a worker does not run."""

from __future__ import annotations


class WorkerError(Exception):
    """The worker cannot start, or has to end: one sentence for a person, and perhaps a hint."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
