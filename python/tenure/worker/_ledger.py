"""What a delivery has entered: hooks and resources, each left once, the last first, on every path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from tenure.worker._leash import LetGo

Leave = Callable[[BaseException | None], Coroutine[Any, Any, None]]
"""Leaves one thing; gets the error that is under way, None where all is well."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something entered."""

    name: str
    leave: Leave


class Ledger:
    """Entered things in order.

    An entry is struck before it is left. So a hook that returned or raised is not called again, nor is one
    that was interrupted.
    """

    __slots__ = ("_entries", "leaving")

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self.leaving = False
        """The way back has begun: the handler has ended."""

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def names(self) -> list[str]:
        """What is entered still."""
        return [entry.name for entry in self._entries]

    def enter(self, name: str, leave: Leave) -> None:
        """Note that something was entered; from any thread."""
        self._entries.append(Entry(name, leave))

    def take(self) -> Entry | None:
        """Strike the last entry, to be left now."""
        return self._entries.pop() if self._entries else None

    async def back_to(
        self, mark: int, error: BaseException | None, note: Callable[[BaseException], None]
    ) -> BaseException | None:
        """Leave what was entered since the ledger had `mark` entries; answers the error that stands then.

        What leaving raises takes the place of the error under way, as in a `with` block, and is noted.
        Swallowing an error changes nothing: the next outer entry gets it all the same.
        """
        self.leaving = True
        while len(self._entries) > mark and (entry := self.take()):
            try:
                await entry.leave(error)
            except LetGo:
                # In the middle: whoever did it goes on with the rest.
                raise
            except BaseException as second:  # noqa: BLE001 - foreign code; the error is passed on
                if second is not error:
                    error = second
                    if not isinstance(second, asyncio.CancelledError):
                        note(second)
        return error
