"""A wake-up call between tasks."""

from __future__ import annotations

import asyncio


class Bell:
    """Rung by anyone, heard by the one task that waits, or, if it does not wait yet, by its next wait."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def ring(self) -> None:
        """Wake the waiter."""
        self._event.set()

    async def wait(self, timeout: float | None) -> bool:  # noqa: ASYNC109 - the bell is the place for it
        """Wait until rung, or for `timeout` seconds; answers whether it was rung."""
        try:
            async with asyncio.timeout(timeout):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True
