"""`tenure`: install and upgrade the engine, run a worker, draw workflows, see the demo.

Exit status: 0 when all went well, 1 when the command failed, 2 when it was called wrongly. An error is one
sentence on stderr, with a hint where there is one, and never a traceback.
"""

from __future__ import annotations

import logging
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import psycopg
import typer

from tenure.cli import _graph, _schema
from tenure.cli._dsn import Dsn
from tenure.cli._errors import complain
from tenure.cli._load import load
from tenure.embedded import ServerError
from tenure.errors import TenureError
from tenure.worker import WorkerError
from tenure.worker._exit import leave
from tenure.worker._life import live
from tenure.worker._logging import set_up
from tenure.worker._settings import Settings

app = typer.Typer(
    name="tenure",
    help="A durable job and workflow engine that lives inside PostgreSQL.",
    epilog="Exit status: 0 all went well, 1 the command failed, 2 it was called wrongly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        typer.echo(f"tenure {version('tenure')}")
        raise typer.Exit


def _reference(value: str) -> str:
    module, colon, attribute = value.partition(":")
    if not (module and colon and attribute):
        raise typer.BadParameter(f"{value!r} is not MODULE:APP, such as shop.jobs:app")
    return value


def _seconds(value: float) -> float:
    if not 0 <= value <= sys.maxsize:
        raise typer.BadParameter(f"{value} is no number of seconds")
    return value


def _positive(value: float) -> float:
    if _seconds(value) == 0:
        raise typer.BadParameter("it must be longer than nothing")
    return value


def _stall(value: float | None) -> float | None:
    return None if value is None else _positive(value)


def _names(values: list[str]) -> list[str]:
    if not all(values):
        raise typer.BadParameter("a queue's name cannot be empty")
    return values


@app.callback()
def _root(
    *,
    _: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit."),
    ] = False,
) -> None:
    """A durable job and workflow engine that lives inside PostgreSQL."""


for command in (_schema.migrate, _schema.verify, _schema.uninstall):
    app.command()(command)


@app.command()
def worker(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:APP",
            callback=_reference,
            show_default=False,
            help="The tenure.App, such as shop.jobs:app; found from the current folder too.",
        ),
    ],
    *,
    dsn: Dsn,
    queue: Annotated[
        list[str], typer.Option(callback=_names, help="A queue to work on; repeat it for several.")
    ] = ["default"],  # noqa: B006 - typer copies it
    concurrency: Annotated[int, typer.Option(min=1, help="How many steps run at a time.")] = 32,
    lease_ttl: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            callback=_positive,
            help="How soon a crash is noticed; not how long a handler may run.",
        ),
    ] = 30.0,
    poll_interval: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", callback=_positive, help="How often to look for work without being told."
        ),
    ] = 1.0,
    shutdown_timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", callback=_seconds, help="From SIGTERM to the end of handlers and reports."
        ),
    ] = 30.0,
    settlement_timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", callback=_seconds, help="What part of that the last reports may take."
        ),
    ] = 5.0,
    stall_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            callback=_stall,
            show_default="10 leases",
            help="How long a handler process may not answer before its heartbeats end.",
        ),
    ] = None,
) -> None:
    """Run an application's steps until SIGTERM, which lets those at work finish; a second one stops them."""
    set_up()
    # What it ignores on a connection after an error; the error itself is told or raised here.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    settings = Settings.of(
        app=reference,
        dsn=dsn,
        queues=queue,
        concurrency=concurrency,
        lease_ttl=lease_ttl,
        poll_interval=poll_interval,
        shutdown_timeout=shutdown_timeout,
        settlement_timeout=settlement_timeout,
        stall_limit=stall_limit,
        logs=True,
    )
    live(settings, partial(load, reference))


app.command()(_graph.graph)


@app.command()
def demo(
    *,
    dir: Annotated[  # noqa: A002 - it is the option's name
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="The tree to walk; by default the Python standard library.",
        ),
    ] = None,
) -> None:
    """Do a real job on an embedded PostgreSQL: with a worker killed midway, and nothing lost."""
    # Imported here: it needs the extra `embedded`, which the other commands do without.
    from tenure.demo import main as run_demo

    raise typer.Exit(run_demo(dir))


@app.command()
def demo_workflow() -> None:
    """Run a workflow on an embedded PostgreSQL: a map, a mount that fails twice, an approval; and draw it."""
    from tenure.demo import workflow_main

    raise typer.Exit(workflow_main())


def main() -> None:
    """Run the command line and exit."""
    try:
        app()
    except SystemExit as end:
        leave(int(end.code or 0))
        raise
    except (TenureError, WorkerError, ServerError, psycopg.Error) as error:
        complain(error)
        leave(1)
        sys.exit(1)
