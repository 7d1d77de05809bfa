"""Checkpoints: what handlers ask the database while they run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from tenure import _calls
from tenure.errors import ArgumentInvalid, TenureError
from tenure.worker._link import REFUSED, Backoff, Link, UnavailableError
from tenure.worker._settings import Settings

log = logging.getLogger(__name__)

Refusal = tuple[str | None, str, str | None, str | None]
"""SQLSTATE, message, detail, hint."""


class Checkpoints:
    """Answers handlers' questions from the database, one after another."""

    def __init__(
        self,
        settings: Settings,
        link: Link,
        *,
        answer: Callable[[int, str | None, Refusal | None], None],
    ) -> None:
        """`answer` gets the number of the question, the value, and the refusal where there is one."""
        self._owner = settings.owner
        self._link = link
        self._answer = answer
        self._questions: asyncio.Queue[tuple[int, int, int, str, str | None]] = asyncio.Queue()

    def add(self, ask_id: int, step_id: int, generation: int, key: str, value: str | None) -> None:
        """Take a question."""
        self._questions.put_nowait((ask_id, step_id, generation, key, value))

    async def run(self) -> None:
        """Answer until cancelled."""
        backoff = Backoff()
        while True:
            ask_id, step_id, generation, key, value = await self._questions.get()
            try:
                call = _calls.checkpoint(step_id, self._owner, generation, key, value)
                stored = await self._link.call(call)
            except UnavailableError as error:
                log.warning("a checkpoint waits: %s", error)
                self.add(ask_id, step_id, generation, key, value)
                await asyncio.sleep(backoff.pause())
            except REFUSED as error:
                self._answer(ask_id, None, _refusal(error))
            else:
                backoff.reset()
                self._answer(ask_id, stored, None)


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, TenureError):
        return (error.sqlstate, str(error), error.detail, error.hint)
    return (ArgumentInvalid.sqlstate, "the database cannot store this value", str(error), None)
