"""Tenure: a durable job and workflow engine that lives inside PostgreSQL.

The database decides, workers obey: this package is a thin worker and client over the engine's functions.
"""

from __future__ import annotations

from tenure.errors import (
    HandlerSignal,
    Permanent,
    Retry,
    Skip,
    TenureError,
    Uncertain,
)

__all__ = ["HandlerSignal", "Permanent", "Retry", "Skip", "TenureError", "Uncertain"]
