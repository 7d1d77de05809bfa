"""The workflow demo from its first line to its exit code."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from rich.console import Console

from tenure import drawing, embedded
from tenure._session import SESSION
from tenure.client import Client
from tenure.demo import imports
from tenure.demo._story import orderly_end
from tenure.demo._workers import DemoError, WorkerProcess
from tenure.migrate import migrate

if TYPE_CHECKING:
    from tenure.run import Run

FILES = 12
EMPTY = 5
"""The file without any orders."""

OUTAGES = 2
"""How often the place of publication is out of order, before it is not."""

LOOK = 0.05
"""Seconds between two looks at how far it is."""

LIMIT = 60.0
"""Seconds within which each part has to come."""


def write_files(folder: Path) -> imports.Total:
    """Write files of orders, and return what they come to."""
    total = imports.Total(0, 0, 0)
    for number in range(FILES):
        orders = [] if number == EMPTY else [(f"{number}-{n}", 100 * number + n) for n in range(number + 1)]
        lines = ["order,cents", *(f"{order},{cents}" for order, cents in orders)]
        (folder / f"orders-{number:02}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        total.files += 1 if orders else 0
        total.orders += len(orders)
        total.cents += sum(cents for _, cents in orders)
    (folder / imports.OUTAGES).write_text(str(OUTAGES), encoding="utf-8")
    return total


class Story:
    """One run of the workflow, from its start to what it has published."""

    def __init__(self, console: Console, conn: psycopg.Connection[Any], worker: WorkerProcess) -> None:
        """The worker runs its steps."""
        self._console = console
        self._conn = conn
        self._worker = worker

    def tell(self, folder: Path) -> bool:
        """Tell it; return whether all came out as it must."""
        expected = write_files(folder)
        say = self._console.print
        run = Client(self._conn).start(imports.imports.name, {"folder": str(folder)})
        say(f"Started run {run.id} on {FILES} files, of which one is empty")
        self._wait(run, "waiting_signal")
        say("It has come to where somebody has to approve:")
        self._draw(run)
        answer = Client(self._conn).signal(run.id, imports.APPROVAL, {"by": "Ada"})
        say(f"Sent the signal {imports.APPROVAL!r}: {answer}")
        self._wait(run, None)
        say(f"The run is {run.status().state}; the place of publication was out of order {OUTAGES} times:")
        self._draw(run)
        say(drawing.mermaid(drawing.read_run(self._conn, run.id)), markup=False)
        return self._reckon(run, folder, expected)

    def _wait(self, run: Run, state: str | None) -> None:
        """Wait until a step is in this state; None: until the run has ended."""
        give_up = time.monotonic() + LIMIT
        while not run.status().finished and not (state and self._steps_in(run, state)):
            self._worker.check()
            if time.monotonic() > give_up:
                raise DemoError(f"run {run.id} has not come to {state or 'its end'} within {LIMIT:g} s")
            time.sleep(LOOK)

    def _steps_in(self, run: Run, state: str) -> int:
        row = self._conn.execute(
            "select count(*) from tenure.step_status where run_id = %s and state = %s", (run.id, state)
        ).fetchone()
        return 0 if row is None else int(row[0])

    def _draw(self, run: Run) -> None:
        self._console.print(drawing.text(drawing.read_run(self._conn, run.id)))

    def _reckon(self, run: Run, folder: Path, expected: imports.Total) -> bool:
        """Compare what was published with what the files were made of."""
        if run.status().state != "completed":
            self._console.print(f"It should have been completed: {run.status().error}", style="red")
            return False
        page = (folder / imports.PUBLISHED).read_text(encoding="utf-8")
        self._console.print(f"Published: {page}")
        right = f"{expected.orders} orders in {expected.files} files, {expected.cents} cents, approved by Ada"
        if page != right:
            self._console.print(f"It should be: {right}", style="red")
        return page == right


def main() -> int:
    """Run the demo and return the exit code."""
    console = Console(highlight=False, soft_wrap=True)
    with orderly_end(), ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenure-demo-")))
        server = stack.enter_context(embedded.start())
        console.print(f"PostgreSQL: embedded, in {server.socket.parent}")
        conn = stack.enter_context(psycopg.connect(server.dsn(), **SESSION))
        console.print(f"Engine: {migrate(conn)}")
        imports.app.sync_definitions(conn)
        console.print(drawing.text(drawing.read_workflow(conn, imports.imports.name)))
        worker = WorkerProcess(server.dsn(), folder / "worker.log", "tenure.demo.imports:app")
        stack.callback(worker.clean_up)
        try:
            right = Story(console, conn, worker).tell(folder)
            worker.stop()
        except DemoError as error:
            console.print(str(error), style="red", markup=False)
            return 1
        return 0 if right else 1
