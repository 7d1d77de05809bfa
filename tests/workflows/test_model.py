"""The engine and the model agree on random workflows, operation by operation."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.workflows.judge import judge


@pytest.mark.timeout(600)
def test_random_workflows(conn: psycopg.Connection[Any]) -> None:
    """Outcomes, and the order in which they come, are those of the model."""
    assert judge(conn, examples=80, seed_number=0) > 80
