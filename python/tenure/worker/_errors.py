"""Why a worker does not run."""

from __future__ import annotations


class WorkerError(Exception):
    """The worker cannot start, or has to end: one sentence for a person."""
