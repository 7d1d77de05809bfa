"""How the command line tells an error: one sentence, and what to do about it."""

from __future__ import annotations

import psycopg
import typer

from tenure.errors import TenureError
from tenure.worker import WorkerError


def complain(error: Exception) -> None:
    """Write the error to stderr."""
    sentence, hint = _explain(error)
    typer.echo(f"error: {sentence}", err=True)
    if hint:
        typer.echo(f"hint: {hint}", err=True)


def _explain(error: Exception) -> tuple[str, str | None]:
    if isinstance(error, TenureError):
        detail = f" ({_line(error.detail)})" if error.detail else ""
        return f"{_line(str(error))}{detail}", error.hint
    if isinstance(error, WorkerError):
        return _line(str(error)), error.hint
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return _line(str(error)), "Is the server running, and is the DSN right?"
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return _line(str(error)), "Connect as a user who may do this."
    return _line(str(error)), None


def _line(text: str) -> str:
    """libpq and PostgreSQL write several lines; one is enough to know what is wrong."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return lines[0] if lines else "unknown error"
