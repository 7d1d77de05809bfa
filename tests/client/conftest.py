"""Clients on the test's database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tenure import Client, _calls
from tenure._rows import Claimed
from tests.support.servers import Database

OWNER = "client tests"


@pytest.fixture
def client(conn: psycopg.Connection[Any]) -> Client:
    """A client on an autocommit connection."""
    return Client(conn)


@pytest.fixture
def pooled(database: Database) -> Iterator[Client]:
    """A client with connections of its own."""
    with Client.connect(database.dsn()) as made:
        yield made


def claim_one(client: Client, queue: str = "default") -> Claimed:
    """Claim the one step that is due."""
    [claimed] = client.call(_calls.claim([queue], OWNER))
    return claimed


def lease(claimed: Claimed) -> tuple[int, str, int]:
    """What guards every report about it."""
    return (claimed.step_id, OWNER, claimed.generation)
