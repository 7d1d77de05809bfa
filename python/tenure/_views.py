"""The reads of the engine's views, described as the calls of its functions are."""

from __future__ import annotations

from typing import LiteralString

from tenure import _check, _rows
from tenure._calls import Call
from tenure._rows import RunStep, WorkflowVersion


def workflow(name: str, version: int | None = None) -> Call[WorkflowVersion | None]:
    """Read a version of a workflow, the newest by default."""
    sql: LiteralString = (
        "select name, version, definition::text from tenure.workflow_status "
        "where name = %(name)s::text and (version = %(version)s::int or %(version)s::int is null) "
        "order by version desc limit 1"
    )
    params = {"name": _check.name("name", name), "version": _check.int4("version", version)}
    return Call(sql, params, _rows.opt_workflow)


def run_steps(run_id: int) -> Call[list[RunStep]]:
    """Read every step of a run, the run itself first."""
    sql: LiteralString = (
        "select step_id, parent_id, node, position, group_attempt, workflow, workflow_version, state, "
        "attempt, error_kind, waits_for, name from tenure.step_status "
        "where run_id = %s::bigint order by step_id"
    )
    return Call(sql, (_check.int8("run_id", run_id),), _rows.many(RunStep))
