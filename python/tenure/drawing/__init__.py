"""Workflows and their runs drawn: as text for terminals, and as Mermaid for documents."""

from __future__ import annotations

from tenure.drawing._boxes import Box, draw_run, draw_workflow
from tenure.drawing._mermaid import mermaid
from tenure.drawing._read import read_run, read_workflow
from tenure.drawing._text import text

__all__ = ["Box", "draw_run", "draw_workflow", "mermaid", "read_run", "read_workflow", "text"]
