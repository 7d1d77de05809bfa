"""The option that names the database, for every command that needs one."""

from __future__ import annotations

from typing import Annotated

import typer

Dsn = Annotated[
    str,
    typer.Option(
        envvar="TENURE_DSN",
        show_default=False,
        metavar="DSN",
        help="The database, such as postgresql://user@host/name.",
    ),
]
