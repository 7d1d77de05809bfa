"""Steps of workflows at a worker: what they stage and start, and what is asked for after their reports."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from psycopg.types.json import Jsonb

from tenure._calls import Call
from tenure._rows import StepVerdict
from tenure.worker._budget import Budget
from tenure.worker._leases import Lease
from tenure.worker._link import Link
from tenure.worker._outcome import Outcome
from tenure.worker._reports import Reports
from tenure.worker._settings import Settings
from tests.worker.bench import Bench

AT_ONCE = {"kind": "fixed", "base": 0.05, "jitter": 0}


def start(served: Bench, handler: str) -> int:
    """Start a workflow in which this handler's step gives another one two keys."""
    nodes = [
        {"name": handler, "requires": ["a"], "provides": ["sum", "note"]},
        {"name": "doubles", "requires": ["sum", "note"], "provides": ["doubled"]},
    ]
    served.value("select tenure.define_workflow('sums', %s)", Jsonb({"nodes": nodes, "outputs": ["doubled"]}))
    return int(served.value("select tenure.start('sums', '{\"a\": 3}')"))


def child(served: Bench, run_id: int, name: str) -> int:
    """The step of this name in the run."""
    return int(
        served.value("select step_id from tenure.step_status where run_id = %s and name = %s", run_id, name)
    )


def test_what_is_staged_is_published_by_the_attempt_that_succeeds(served: Bench) -> None:
    """A later value replaces an earlier; what a failed attempt has staged, nobody sees."""
    served.value("select tenure.define_step('stages', max_attempts => 2, backoff => %s)", Jsonb(AT_ONCE))
    run_id = start(served, "stages")
    assert served.ended(run_id)["output"] == {"doubled": [10, None]}
    step_id = child(served, run_id, "stages")
    assert [trace.value for trace in served.traces(step_id, "staged before")] == ["None", "None"]
    assert [trace.value for trace in served.traces(step_id, "staged")] == ["5"]


def test_a_thread_stages_as_a_coroutine_does(served: Bench) -> None:
    run_id = start(served, "stages_in_a_thread")
    assert served.ended(run_id)["output"] == {"doubled": [8, 4]}


def test_a_handler_starts_children_of_its_run(served: Bench) -> None:
    """One is done at once, and the other is cancelled with its run, long before it is due."""
    run_id = served.enqueue("parent")
    done = int(served.ended(run_id)["output"])
    rows = served.conn.execute(
        "select name, state, headers from tenure.step_status where parent_id = %s order by step_id",
        (run_id,),
    ).fetchall()
    assert rows[0] == ("progresses", "cancelled", {"of": run_id})
    assert served.step(done)["parent_id"] == run_id
    assert rows[1][0] == "echo"


class FakeLink:
    """A database that answers, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []

    async def call(self, call: Call[Any]) -> Any:
        function = call.sql.partition("tenure.")[2].partition("(")[0]
        parameters = cast("Any", call.params)
        self.asked.append((function, parameters))
        if function == "complete_many":
            return [StepVerdict(int(text), "completed") for text in parameters[0].strip("{}").split(",")]
        return 0 if function == "fold" else "completed"


@pytest.mark.parametrize(
    ("runs", "folded"),
    [({1: 1, 2: 2}, None), ({3: 1, 4: 1, 5: 2, 6: 6}, "{1,2}"), ({3: 1}, "{1}")],
)
def test_after_reports_of_children_their_runs_are_folded(runs: dict[int, int], folded: str | None) -> None:
    """R-455: right after the reports, once a run; for plain jobs there is nothing to ask."""
    link = FakeLink()

    async def report() -> None:
        settings = cast("Settings", type("Owned", (), {"owner": "w"}))
        reports = Reports(settings, cast("Link", link), settled=lambda *_: None)
        running = asyncio.create_task(reports.run())
        for step_id, run_id in runs.items():
            lease = Lease(
                step_id, run_id, 1, "x", 1, Budget.of(0.0, None), blocks_retry=False, ttl=30.0, renewed_at=0.0
            )
            reports.add(lease, Outcome("complete", (None,)))
        await reports.settle(30)
        running.cancel()

    asyncio.run(report())
    asked = [function for function, _ in link.asked]
    assert asked[0] in {"complete", "complete_many"}
    assert [params for function, params in link.asked if function == "fold"] == (
        [(folded,)] if folded else []
    )
    assert asked[-1] == ("fold" if folded else asked[0])
