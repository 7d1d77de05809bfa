"""The demo from its first line to its exit code."""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from rich.console import Console

from tenure import embedded
from tenure._session import SESSION
from tenure.client import Client
from tenure.demo import _screen, jobs
from tenure.demo._measure import find_files, measure_all
from tenure.demo._totals import add_up, compare
from tenure.demo._watch import FILES, Counts, leases_of, read_counts, read_outcomes
from tenure.demo._workers import LEASE_TTL, DemoError, WorkerProcess
from tenure.migrate import migrate

if TYPE_CHECKING:
    from types import FrameType

    from tenure.run import Run

BATCH = 500
"""Steps enqueued in one statement."""

MIDWAY = 0.4
"""The part of the files after which one worker is killed."""

LOOK = 0.1
"""Seconds between two looks at how far it is."""

SHOWN = 10
"""How many differences are shown, should there be any."""


class Story:
    """One demo: a server, two workers, trouble, and the reckoning."""

    def __init__(self, console: Console, dsn: str, folder: Path) -> None:
        """`folder` takes the workers' logs."""
        self._console = console
        self._dsn = dsn
        self._folder = folder
        self._workers: list[WorkerProcess] = []

    def tell(self, files: list[str]) -> bool:
        """Do the job with trouble on the way; return whether nothing was lost or doubled."""
        say = self._console.print
        with psycopg.connect(self._dsn, **SESSION) as conn:
            say(f"Engine: {migrate(conn)}")
            began = time.monotonic()
            endless = self._enqueue(conn, files)
            say(f"Enqueued {len(files):,} files, one step each, and two steps that make trouble")
            self._workers = [WorkerProcess(self._dsn, self._folder / f"worker-{n}.log") for n in (1, 2)]
            say(f"Workers: processes {self._workers[0].pid} and {self._workers[1].pid}")
            self._watch(conn, endless, len(files))
            seconds = time.monotonic() - began
            for worker in self._workers:
                worker.stop()
            return self._reckon(conn, files, seconds)

    def clean_up(self) -> None:
        """Leave no worker behind; a second Ctrl-C, out of impatience, must not cut this short."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        for worker in self._workers:
            worker.clean_up()

    def _enqueue(self, conn: psycopg.Connection[Any], files: list[str]) -> Run:
        """Enqueue everything in one transaction; return the run that somebody has to cancel."""
        with conn.transaction():
            jobs.app.sync_definitions(conn)
            client = Client(conn)
            client.enqueue("demo.oversleep", None, priority=-1)
            endless = client.enqueue("demo.endless", None, priority=-1)
            for first in range(0, len(files), BATCH):
                client.enqueue_many({"name": FILES, "input": path} for path in files[first : first + BATCH])
        return endless

    def _watch(self, conn: psycopg.Connection[Any], endless: Run, files: int) -> None:
        """Show how far it is, make trouble when the time comes, and return when every step has ended."""
        counts = read_counts(conn)
        steps = files + 2
        cancelled = killed = False
        with _screen.progress_bar(self._console) as bar:
            task = bar.add_task("files", total=files)
            while counts.ended < steps:
                for worker in self._workers:
                    worker.check()
                cancelled = cancelled or self._cancel(endless)
                killed = killed or (counts.files >= files * MIDWAY and self._kill(conn))
                time.sleep(LOOK)
                counts = read_counts(conn)
                bar.update(task, completed=counts.files)
        if not killed:
            self._console.print("Nobody was killed: the workers were done too soon. Give it a larger tree.")

    def _cancel(self, endless: Run) -> bool:
        """Cancel the endless run as soon as it is in flight."""
        if endless.status().state != "running":
            return False
        endless.cancel("the demo shows how")
        self._console.print(f"Cancelled run {endless.id} while its handler was at work")
        return True

    def _kill(self, conn: psycopg.Connection[Any]) -> bool:
        """Kill one worker with SIGKILL, at a moment when it holds steps."""
        for worker in self._workers:
            with worker.frozen():
                leases = leases_of(conn, worker.pid)
                if leases:
                    worker.kill()
            if leases:
                self._workers.remove(worker)
                self._killed(worker, leases)
                return True
        return False

    def _killed(self, worker: WorkerProcess, leases: int) -> None:
        self._console.print(
            f"Killed worker {worker.pid} with SIGKILL: it held {leases} steps, which others may have"
            f" when their leases end, within {LEASE_TTL:g} s"
        )
        worker.clean_up()

    def _reckon(self, conn: psycopg.Connection[Any], files: list[str], seconds: float) -> bool:
        """Count again in this process alone, show both, and return whether they agree."""
        self._console.print("Counting the same files in one plain process ...")
        began = time.monotonic()
        plain = measure_all(files)
        plain_seconds = time.monotonic() - began
        outcomes = read_outcomes(conn)
        found = {path: of_path[-1].measure for path, of_path in outcomes.items()}
        counts = read_counts(conn)
        self._console.print(_screen.steps_table(counts, seconds))
        self._console.print(_screen.totals_table(add_up(found), add_up(plain), seconds, plain_seconds))
        differences = compare(plain, outcomes) + _missing_trouble(counts)
        for difference in differences[:SHOWN]:
            self._console.print(difference, style="red")
        if differences:
            self._console.print(f"{len(differences)} differences", style="bold red")
        else:
            self._console.print("Nothing lost, nothing doubled.", style="bold green")
        return not differences


def _missing_trouble(counts: Counts) -> list[str]:
    """Return what the demo promised to show and did not."""
    found = []
    if counts.timed_out < 1:
        found.append("no handler was timed out")
    if counts.cancelled != 1:
        found.append(f"{counts.cancelled} runs were cancelled, not one")
    return found


def main(folder: Path | None) -> int:
    """Run the demo on a tree (default: the standard library's sources) and return the exit code."""
    console = Console()
    files = find_files(folder)
    if not files:
        console.print(f"There is no Python source below {folder}.", style="red")
        return 1
    with orderly_end(), ExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenure-demo-")))
        server = stack.enter_context(embedded.start())
        console.print(f"PostgreSQL: embedded, in {server.socket.parent}")
        story = Story(console, server.dsn(), logs)
        stack.callback(story.clean_up)
        try:
            return 0 if story.tell(files) else 1
        except DemoError as error:
            console.print(str(error), style="red", markup=False)
            return 1


@contextmanager
def orderly_end() -> Iterator[None]:
    """Take SIGTERM as an exit, so that workers and server are stopped before this process ends."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + signal.SIGTERM)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
