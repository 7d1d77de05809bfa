"""Random workflows, each done by the engine and by the model, until they differ or the examples are done."""

from __future__ import annotations

from itertools import count
from typing import Any

import psycopg
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.workflows.engine import Engine
from tests.workflows.generate import Maker
from tests.workflows.scenario import Choices, Scenario

HOUR = 3_600_000_000

NUMBERS = st.lists(st.integers(0, 999), min_size=60, max_size=150)


def judge(conn: psycopg.Connection[Any], *, examples: int, seed_number: int) -> int:
    """Return how many steps the examples have made; AssertionError shows the smallest difference."""
    engine = Engine(conn)
    prefixes = (f"x{number}" for number in count())
    now = steps = 0

    @seed(seed_number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        nonlocal now, steps
        plan = Maker(data.draw, next(prefixes)).plan()
        choices = Choices(data.draw(NUMBERS, label="choices"))
        scenario = Scenario(engine, plan, choices, now + HOUR)
        try:
            scenario.play()
        finally:
            now = scenario.model.now
            steps += len(scenario.model.steps)
            conn.execute("select tenure.cancel(%s)", (scenario.run_id,))

    agree()
    return steps
