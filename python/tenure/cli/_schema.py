"""The commands for the engine in a database: migrate, verify, uninstall."""

from __future__ import annotations

from typing import Annotated

import psycopg
import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from tenure import migrate as schema
from tenure._session import SESSION
from tenure.cli._dsn import Dsn
from tenure.client import Client


def migrate(
    *,
    dsn: Dsn,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and change nothing.")] = False,
    sql: Annotated[
        bool, typer.Option("--sql", help="Print the SQL, for psql to run, and change nothing.")
    ] = False,
    patience: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0, help="How long to go on trying while others hold a lock that it needs."
        ),
    ] = schema.PATIENCE,
) -> None:
    """Install the engine, or upgrade it to this version; does nothing where it is there already."""
    if dry_run and sql:
        raise typer.BadParameter("--dry-run shows the plan, --sql prints it as SQL: give one of them")
    with psycopg.connect(dsn, **SESSION) as conn:
        if sql:
            typer.echo(schema.plan(conn).sql(), nl=False)
        elif dry_run:
            typer.echo(f"{schema.plan(conn)}\nnothing was changed")
        else:
            typer.echo(str(schema.migrate(conn, patience=patience)))


def verify(*, dsn: Dsn) -> None:
    """Compare the engine in a database with what was installed; exits with 1 when anything differs."""
    with psycopg.connect(dsn, **SESSION) as conn, schema.own_names(conn):
        client = Client(conn)
        version, differences = client.schema_version(), client.verify_schema()
    if not differences:
        typer.echo(f"version {version} is as it was installed")
        return
    table = Table(*(Column(name, overflow="fold") for name in ("object", "aspect", "expected", "found")))
    for one in differences:
        # As text: a fact may hold brackets, which are markup to rich.
        cells = (one.object, one.aspect, one.expected or "nothing", one.found or "nothing")
        table.add_row(*map(Text, cells))
    Console().print(table)
    typer.echo(f"version {version} differs in {len(differences)} ways from what was installed", err=True)
    raise typer.Exit(1)


def uninstall(
    *,
    dsn: Dsn,
    force: Annotated[
        bool, typer.Option("--force", help="Also with live steps, or with objects of others that need it.")
    ] = False,
) -> None:
    """Remove the engine from a database, and all it holds; leaves the roles, which belong to the cluster."""
    with psycopg.connect(dsn, **SESSION) as conn:
        schema.uninstall(conn, force=force)
    typer.echo("uninstalled; the five roles are still there")
