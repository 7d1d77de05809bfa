"""A worker's life, from the import of its application to its report. It has no other exits."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tenure.worker._account import TOLD, Account
from tenure.worker._errors import WorkerError
from tenure.worker._farewell import farewell
from tenure.worker._link import Link
from tenure.worker._settings import Settings
from tenure.worker._shutdown import ENDING, SIGNALS, in_main_thread, signals_held
from tenure.worker._supervisor import Supervisor

if TYPE_CHECKING:
    from tenure.app import App


def live(settings: Settings, load: Callable[[], App]) -> None:
    """Load the application and work until told to stop.

    Raises what keeps the worker from that, once its report was given.
    """
    with signals_held():
        try:
            with _interruptible():
                supervisor = _supervisor(settings, load())
        except KeyboardInterrupt:
            _leave(settings, None)
        except Exception as error:
            _leave(settings, error)
            raise
        else:
            asyncio.run(supervisor.run())


def _supervisor(settings: Settings, app: App) -> Supervisor:
    if not app.steps:
        raise WorkerError(f"{settings.app} declares no steps")
    return Supervisor(settings, list(app.steps.values()), app.definitions)


def _leave(settings: Settings, failure: Exception | None) -> None:
    """Report that nothing was done, and why."""

    async def say() -> None:
        link = Link(settings.dsn, "worker")
        report = Account().report([], [], str(failure or TOLD))
        try:
            await farewell(link, settings.owner, report, ENDING, failure)
        finally:
            await link.close()

    asyncio.run(say())


@contextmanager
def _interruptible() -> Iterator[None]:
    """Have SIGTERM interrupt what runs, as SIGINT does. There is no loop yet, and an import may be long."""
    if not in_main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        # None: a handler of C's, which cannot be set from here.
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
