"""The command `tenure`."""

from __future__ import annotations

from tenure.cli._main import main

__all__ = ["main"]
