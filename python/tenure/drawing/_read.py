"""Drawings of what is in a database."""

from __future__ import annotations

from functools import cache
from typing import Any

import psycopg

from tenure import _calls, _views
from tenure._rows import WorkflowVersion
from tenure.drawing._boxes import Box, Lookup, draw_run, draw_workflow
from tenure.errors import NotARun, StepNotFound, WorkflowUnknown


def read_workflow(conn: psycopg.Connection[Any], name: str, version: int | None = None) -> Box:
    """Return the boxes of a workflow, in its newest version where none is given; or WorkflowUnknown."""
    lookup = _lookup(conn)
    return draw_workflow(lookup(name, version), lookup)


def read_run(conn: psycopg.Connection[Any], run_id: int) -> Box:
    """Return the boxes of a run as it is now; StepNotFound, or NotARun of a workflow."""
    steps = _calls.run(conn, _views.run_steps(run_id))
    if not steps:
        raise StepNotFound(f"there is no run {run_id}")
    if steps[0].workflow is None:
        raise NotARun(f"run {run_id} is no run of a workflow", hint="It is one step: ask for its status.")
    return draw_run(steps, _lookup(conn))


def _lookup(conn: psycopg.Connection[Any]) -> Lookup:
    """Look each workflow up once."""

    @cache
    def look(name: str, version: int | None) -> WorkflowVersion:
        found = _calls.run(conn, _views.workflow(name, version))
        if found is None:
            which = name if version is None else f"{name}, version {version}"
            raise WorkflowUnknown(f"there is no workflow {which}", hint="tenure.workflow_status lists them.")
        return found

    return look
