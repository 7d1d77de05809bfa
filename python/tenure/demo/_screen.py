"""What the demo shows."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

if TYPE_CHECKING:
    from rich.console import Console

    from tenure.demo._totals import Totals
    from tenure.demo._watch import Counts


def progress_bar(console: Console) -> Progress:
    """Return the bar of files."""
    return Progress(
        TextColumn("files"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    )


def steps_table(counts: Counts, seconds: float) -> Table:
    """Return what became of the steps."""
    table = Table("completed", "reclaimed", "timed out", "discarded", "cancelled", "time", title="Steps")
    numbers = (
        counts.completed,
        counts.reclaimed,
        counts.timed_out,
        counts.discarded,
        counts.cancelled,
    )
    table.add_row(*(f"{number:,}" for number in numbers), f"{seconds:.1f} s")
    return table


def totals_table(tenure: Totals, plain: Totals, seconds: float, plain_seconds: float) -> Table:
    """Return both counts side by side."""
    table = Table("", "two workers", "one plain process", "", title="Totals")
    theirs = asdict(plain)
    for name, value in asdict(tenure).items():
        same = value == theirs[name]
        mark = "[green]same[/]" if same else "[red]DIFFERENT[/]"
        table.add_row(name, _text(value), _text(theirs[name]), mark)
    table.add_row("time", f"{seconds:.1f} s", f"{plain_seconds:.1f} s", "")
    return table


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
