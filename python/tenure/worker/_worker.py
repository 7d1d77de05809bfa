"""`Worker`: the public face."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tenure._durations import Duration
from tenure.worker._errors import WorkerError
from tenure.worker._life import live
from tenure.worker._settings import Settings

if TYPE_CHECKING:
    from tenure.app import App


class Worker:
    """Runs an application's steps until it is told to stop.

    ::

        tenure.Worker(app, queues=["default", "mail"], concurrency=50).run()

    This process claims, beats and reports; handlers run in processes of their own, which import the
    application anew. So the application must be importable: a global variable of a module.
    """

    def __init__(
        self,
        app: App,
        *,
        dsn: str | None = None,
        queues: Sequence[str] = ("default",),
        concurrency: int = 32,
        lease_ttl: Duration = 30,
        poll_interval: Duration = 1,
        shutdown_timeout: Duration = 30,
        settlement_timeout: Duration = 5,
        stall_limit: Duration | None = None,
        reference: str | None = None,
    ) -> None:
        """Describe a worker; nothing is connected yet.

        `dsn` is the app's where none is given. `lease_ttl` is how soon a crash is noticed, not how long a
        handler may run. The worker looks for work and sweeps at random points of `poll_interval`, whatever it
        is told by notifications.

        `shutdown_timeout` is the time from the first signal to the end of everything, handlers, cleanup and
        last reports; `settlement_timeout` is the part of it that the last reports may take. A handler
        process that has not answered for `stall_limit`, by default ten leases, gets no more heartbeats.
        `reference` says where the app is found, as `module:attribute`; by default it is looked for.
        """
        self._app = app
        self._settings = Settings.of(
            app=find(app) if reference is None else reference,
            dsn=app.dsn if dsn is None else dsn,
            queues=queues,
            concurrency=concurrency,
            lease_ttl=lease_ttl,
            poll_interval=poll_interval,
            shutdown_timeout=shutdown_timeout,
            settlement_timeout=settlement_timeout,
            stall_limit=stall_limit,
        )

    @property
    def owner(self) -> str:
        """The name under which this worker holds leases; no other ever has it."""
        return self._settings.owner

    def run(self) -> None:
        """Work until SIGTERM or SIGINT.

        The first signal stops claiming and lets handlers finish; the second, or the last part of the shutdown
        timeout, stops them and hands their steps back. Returns after a clean stop. Raises WorkerError or
        TenureError when the worker cannot start or has to give up. Whatever ends it, it logs a report and
        stores it where the database can be reached.
        """
        live(self._settings, lambda: self._app)


def find(app: App) -> str:
    """Where a fresh process finds the application, as `module:attribute`."""
    for name, module in list(sys.modules.items()):
        for attribute, value in list(vars(module).items()):
            if value is app and (importable := _importable(name, module)) is not None:
                return f"{importable}:{attribute}"
    raise WorkerError(
        "the application is not a global variable of an importable module, so no handler process can load it"
    )


def _importable(name: str, module: ModuleType) -> str | None:
    """The name to import a module by; the main script has another one than its own."""
    if name != "__main__":
        return name
    if module.__spec__ is not None:
        return module.__spec__.name
    file = getattr(module, "__file__", None)
    if file is None:
        return None
    spec = importlib.util.find_spec(Path(file).stem)
    same = spec is not None and spec.origin is not None and Path(spec.origin).samefile(file)
    return Path(file).stem if same else None
