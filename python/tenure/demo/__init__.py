"""The demos: real jobs on a server of their own, with trouble on the way, and nothing lost."""

from __future__ import annotations

from tenure.demo._import_story import main as workflow_main
from tenure.demo._story import main

__all__ = ["main", "workflow_main"]
