"""`tenure`: install the engine, run a worker, see the demo.

Exit status: 0 when all went well, 1 when the command failed, 2 when it was called wrongly. An error is one
sentence on stderr, with a hint where there is one, and never a traceback.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import psycopg
import typer

from tenure.cli._errors import complain
from tenure.embedded import ServerError
from tenure.errors import TenureError
from tenure.migrate import migrate as migrate_database

app = typer.Typer(
    name="tenure",
    help="A durable job and workflow engine that lives inside PostgreSQL.",
    epilog="Exit status: 0 all went well, 1 the command failed, 2 it was called wrongly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Dsn = Annotated[
    str,
    typer.Option(
        envvar="TENURE_DSN",
        show_default=False,
        metavar="DSN",
        help="The database, such as postgresql://user@host/name.",
    ),
]


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        typer.echo(f"tenure {version('tenure')}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    _: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit."),
    ] = False,
) -> None:
    """A durable job and workflow engine that lives inside PostgreSQL."""


@app.command()
def migrate(*, dsn: Dsn) -> None:
    """Install the engine into a database; does nothing where it is there already."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        typer.echo(str(migrate_database(conn)))


def main() -> None:
    """Run the command line and exit."""
    try:
        app()
    except (TenureError, ServerError, psycopg.Error) as error:
        complain(error)
        sys.exit(1)
