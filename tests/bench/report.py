"""The table that a person reads, and the file that a program compares."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.figure import Figure


def show(console: Console, machine: Mapping[str, str], figures: Sequence[Figure]) -> None:
    """Print the machine and every figure beside its yardstick and its floor."""
    for name, value in machine.items():
        console.print(f"[bold]{name}[/]: {value}", highlight=False)
    table = Table("part", "figure", title="Tenure beside its yardsticks", title_justify="left")
    for column in ("value", "unit", "yardstick", "ratio", "floor", "met"):
        table.add_column(column, justify="left" if column in {"unit", "met"} else "right", no_wrap=True)
    before = ""
    for figure in figures:
        if before not in {"", figure.part}:
            table.add_section()
        table.add_row(
            figure.part if figure.part != before else "",
            figure.name,
            _number(figure.value),
            figure.unit,
            "" if figure.yardstick is None else _number(figure.yardstick),
            "" if figure.ratio is None else f"{figure.ratio:.2f}",
            figure.floor,
            {True: "[green]met[/]", False: "[red]missed[/]", None: ""}[figure.met],
        )
        before = figure.part
    console.print(table)


def write(path: Path, machine: Mapping[str, str], figures: Sequence[Figure]) -> None:
    """Write the same as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{**asdict(figure), "met": figure.met} for figure in figures]
    text = json.dumps({"machine": machine, "figures": rows}, indent=2, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"
