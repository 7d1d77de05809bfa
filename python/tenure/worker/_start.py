"""What is checked and declared before the first claim."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from tenure import _calls
from tenure._calls import Call
from tenure._versions import can_use
from tenure.errors import QueueNotGranted, SchemaMismatch
from tenure.worker._errors import WorkerError
from tenure.worker._hello import Hello
from tenure.worker._link import Link, UnavailableError


async def prepare(link: Link, hello: Hello, definitions: Iterable[Call[Any]]) -> str:
    """Check the database and introduce this worker; answers the channel on which it is woken.

    Here a database that gives no answer is an error and not something to wait for: most often the DSN is
    wrong, and whoever started the worker is looking.
    """
    try:
        await _check_schema(link)
        for definition in definitions:
            # Declared for those who enqueue by SQL: they get the steps' policies too. Where a queue was
            # granted to others, these declare its steps.
            with suppress(QueueNotGranted):
                await link.call(definition)
        return await hello.say(idle=False)
    except UnavailableError as error:
        mismatch = error.__cause__
        if isinstance(mismatch, SchemaMismatch):
            raise mismatch from mismatch.__cause__
        raise WorkerError(f"the database does not answer: {error}") from error


async def _check_schema(link: Link) -> None:
    ours = version("tenure")
    found = await link.call(_calls.schema_version())
    if not can_use(ours, found):
        raise SchemaMismatch(
            f"{link.place} holds version {found} of the engine, which a worker of {ours} cannot use",
            hint="An engine serves workers of its own minor version and the one before: upgrade the older.",
        )
