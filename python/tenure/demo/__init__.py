"""`tenure demo`: a real job on a server of its own, with trouble on the way, and nothing lost."""

from __future__ import annotations

from tenure.demo._story import main

__all__ = ["main"]
