"""Threads that asynchronous handlers ask the loop for, by `asyncio.to_thread` or `run_in_executor`."""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from tenure.worker._execution import Execution

T = TypeVar("T")

CURRENT: ContextVar[Execution | None] = ContextVar("CURRENT", default=None)
"""Whose delivery the code at work belongs to; set in the task of each."""

_OWN_CALLS = (socket.getaddrinfo, socket.getnameinfo)
"""What the loop itself asks for, to open connections."""


class Pool(ThreadPoolExecutor):
    """The default executor of a handler process's loop.

    What a delivery runs in it counts as a thread of that delivery: its end is waited for and reported, and it
    takes no thread from others. What tasks run that deliveries have left behind has a pool in common, and so
    has all else, such as what hooks around the worker run.
    """

    def __init__(self) -> None:
        super().__init__()
        self._left_behind = ThreadPoolExecutor()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run it in a thread."""
        execution = CURRENT.get()
        if execution is None or any(fn is own for own in _OWN_CALLS):
            return super().submit(fn, *args, **kwargs)
        if execution.ended:
            return self._left_behind.submit(fn, *args, **kwargs)
        return execution.threads.pooled(partial(fn, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - its own signature
        """Wait for nobody: this process ends, and has waited for as long as there was time."""
        super().shutdown(wait=False, cancel_futures=True)
        self._left_behind.shutdown(wait=False, cancel_futures=True)
