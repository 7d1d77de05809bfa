"""What handlers ask the database while they run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tenure import _calls
from tenure._calls import Call
from tenure.errors import ArgumentInvalid, TenureError
from tenure.worker._children import start_child
from tenure.worker._link import REFUSED, Backoff, Link, UnavailableError
from tenure.worker._settings import Settings

log = logging.getLogger(__name__)

Refusal = tuple[str | None, str, str | None, str | None]
"""SQLSTATE, message, detail, hint."""

VERBS: dict[str, Callable[..., Call[Any]]] = {
    "checkpoint": _calls.checkpoint,
    "stage": _calls.stage,
    "staged": _calls.staged,
    "start_child": start_child,
}
"""The calls that a handler can make through the supervisor: step, owner, generation, then its arguments."""


@dataclass(frozen=True, slots=True)
class Question:
    """A call that a handler waits for."""

    ask_id: int
    step_id: int
    generation: int
    verb: str
    arguments: tuple[Any, ...]


class Questions:
    """Answers handlers' questions from the database, one after another."""

    def __init__(
        self, settings: Settings, link: Link, *, answer: Callable[[Question, Any, Refusal | None], None]
    ) -> None:
        """`answer` gets the question, the value, and the refusal where there is one."""
        self._owner = settings.owner
        self._link = link
        self._answer = answer
        self._open: asyncio.Queue[Question] = asyncio.Queue()

    def add(self, question: Question) -> None:
        """Take a question."""
        self._open.put_nowait(question)

    async def run(self) -> None:
        """Answer until cancelled."""
        backoff = Backoff()
        while True:
            question = await self._open.get()
            make = VERBS[question.verb]
            try:
                call = make(question.step_id, self._owner, question.generation, *question.arguments)
                value = await self._link.call(call)
            except UnavailableError as error:
                log.warning("a question waits: %s", error)
                self.add(question)
                await asyncio.sleep(backoff.pause())
            except REFUSED as error:
                self._answer(question, None, _refusal(error))
            else:
                backoff.reset()
                self._answer(question, value, None)


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, TenureError):
        return (error.sqlstate, str(error), error.detail, error.hint)
    return (ArgumentInvalid.sqlstate, "the database cannot store this value", str(error), None)
