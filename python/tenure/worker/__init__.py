"""The worker: a supervisor process that keeps the leases, and a handler process that runs the code."""

from __future__ import annotations

from tenure.worker._context import Context
from tenure.worker._errors import WorkerError
from tenure.worker._sync_context import SyncContext
from tenure.worker._worker import Worker

__all__ = ["Context", "SyncContext", "Worker", "WorkerError"]
