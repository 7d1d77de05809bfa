"""Databases on a server that has the extension's files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.servers import Database, TestServer


@pytest.fixture
def extension_database(extension_server: TestServer) -> Iterator[Database]:
    """A database without the engine, where the extension can be created."""
    with extension_server.database(template="template0") as made:
        yield made


@pytest.fixture
def restored(extension_server: TestServer) -> Iterator[Database]:
    """Another one, to restore a dump into."""
    with extension_server.database(template="template0") as made:
        yield made
