"""The engine and the model agree on random workflows, operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workflows.engine import Engine
from tests.workflows.generate import Maker
from tests.workflows.scenario import Choices, Scenario

HOUR = 3_600_000_000


@pytest.mark.timeout(600)
def test_random_workflows(conn: psycopg.Connection[Any]) -> None:
    """Outcomes, and the order in which they come, are those of the model."""
    engine = Engine(conn)
    numbers = count()
    clock = [0]

    @settings(
        max_examples=60, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        plan = Maker(data.draw, f"x{next(numbers)}").plan()
        choices = Choices(data.draw(st.lists(st.integers(0, 999), max_size=120), label="choices"))
        clock[0] += HOUR
        scenario = Scenario(engine, plan, choices, clock[0])
        try:
            scenario.play()
        finally:
            clock[0] = scenario.model.now
            conn.execute("select tenure.cancel(%s)", (scenario.run_id,))

    run: Callable[[], None] = agree
    run()
