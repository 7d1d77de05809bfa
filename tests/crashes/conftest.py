"""A stage for the sessions that are killed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from tests.races.stage import Stage
from tests.support.servers import Database


@pytest.fixture
def stage(database: Database, background: Callable[..., Future[Any]]) -> Stage:
    """Sessions on the test's database."""
    return Stage(database, background)
