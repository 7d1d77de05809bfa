"""The workflow demo's application: files of orders are checked, added up, approved and published."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import tenure
from tenure import Key, Node, Workflow, retry, timeout

APPROVAL = "approval"
OUTAGES = "outages"
PUBLISHED = "published.txt"

app = tenure.App()


@dataclass
class Report:
    """What one file comes to."""

    file: str
    orders: int
    cents: int


@dataclass
class Total:
    """What all files come to."""

    files: int
    orders: int
    cents: int


folder = Key("folder", str)
files = Key("files", list[str])
reports = Key("reports", list[Report | None])
total = Key("total", Total)
approved_by = Key("approved_by", str)
page = Key("page", str)
receipt = Key("receipt", str)


def find_files(place: str) -> list[str]:
    """Return the files of orders in a folder."""
    return sorted(str(path) for path in Path(place).glob("*.csv"))


def read_orders(path: str) -> list[dict[str, str]]:
    """Return the orders in a file."""
    with Path(path).open(newline="", encoding="utf-8") as source:
        return list(csv.DictReader(source))


@app.step("demo.list_files")
async def list_files(ctx: tenure.Context, input: object) -> list[str]:
    """Find the files."""
    del input
    return find_files(folder.of(ctx))


@app.step("demo.validate")
async def validate(ctx: tenure.Context, input: str) -> Report:
    """Check one file; one that holds no orders is skipped."""
    del ctx
    rows = read_orders(input)
    if not rows:
        raise tenure.Skip("no orders")
    return Report(Path(input).name, len(rows), sum(int(row["cents"]) for row in rows))


@app.step("demo.aggregate")
async def aggregate(ctx: tenure.Context, input: object) -> Total:
    """Add up what the files come to."""
    del input
    found = [report for report in reports.of(ctx) if report is not None]
    return Total(len(found), sum(r.orders for r in found), sum(r.cents for r in found))


@app.step("demo.approve")
async def approve(ctx: tenure.Context, input: object) -> str:
    """Wait, without a worker, until somebody approves; return who."""
    del input
    answer = await ctx.wait_signal(APPROVAL)
    return str(answer["by"])


@app.step("demo.render")
async def render(ctx: tenure.Context, input: object) -> str:
    """Write what is to be published."""
    del input
    of_all, who = total.of(ctx), approved_by.of(ctx)
    return f"{of_all.orders} orders in {of_all.files} files, {of_all.cents} cents, approved by {who}"


@app.step("demo.upload")
async def upload(ctx: tenure.Context, input: object) -> str:
    """Publish it at a place that is out of order a number of times."""
    del input
    place = Path(folder.of(ctx))
    outages = int((place / OUTAGES).read_text(encoding="utf-8"))
    if outages:
        (place / OUTAGES).write_text(str(outages - 1), encoding="utf-8")
        raise ConnectionError("out of order")
    (place / PUBLISHED).write_text(page.of(ctx), encoding="utf-8")
    return f"published at {place / PUBLISHED}"


publication = Workflow(
    "demo.publication",
    Node(render, name="render", requires=[total, approved_by], provides=[page]),
    Node(upload, name="upload", requires=[folder, page], provides=[receipt], policy=[retry(1)]),
)

imports = app.workflow(
    "demo.import",
    Node(list_files, name="list files", requires=[folder], provides=[files]),
    Node(validate, name="validate", over=files, provides=[reports], policy=[retry(3, 0.1), timeout(10)]),
    Node(aggregate, name="aggregate", requires=[reports], provides=[total]),
    Node(approve, name="approve", requires=[total], provides=[approved_by]),
    Node(
        publication,
        name="publish",
        requires=[folder, total, approved_by],
        provides=[receipt],
        policy=[timeout(60), retry(3, 0.2)],
    ),
    outputs=[total, receipt],
)
