"""The same application, with its own idea of logging."""

from __future__ import annotations

import logging

from tests.worker.talking import app

__all__ = ["app"]

logging.basicConfig(level=logging.INFO, format="OURS %(message)s")
