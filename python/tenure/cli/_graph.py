"""`tenure graph`: draw a workflow, or a run of one."""

from __future__ import annotations

from typing import Annotated

import psycopg
import typer
from rich.console import Console

from tenure._session import SESSION
from tenure.cli._dsn import Dsn
from tenure.drawing import mermaid, read_run, read_workflow, text


def graph(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", show_default=False, help="The workflow.")
    ] = None,
    *,
    dsn: Dsn,
    run: Annotated[
        int | None,
        typer.Option(metavar="ID", show_default=False, help="Draw this run and how it stands instead."),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(metavar="N", show_default=False, help="This version of the workflow, not the newest."),
    ] = None,
    as_mermaid: Annotated[
        bool, typer.Option("--mermaid", help="Write Mermaid, for a Markdown document, instead of text.")
    ] = False,
) -> None:
    """Draw a workflow, or with --run a run of one and the states of its steps."""
    if name is not None and run is not None:
        raise typer.BadParameter("name a workflow, or a run with --run ID: not both")
    if name is None and run is None:
        raise typer.BadParameter("name a workflow, or a run with --run ID")
    if run is not None and version is not None:
        raise typer.BadParameter("a run has the version that it began with")
    with psycopg.connect(dsn, **SESSION) as conn:
        box = read_run(conn, run) if run is not None else read_workflow(conn, name or "", version)
    if as_mermaid:
        typer.echo(mermaid(box), nl=False)
    else:
        Console(soft_wrap=True, highlight=False).print(text(box))
