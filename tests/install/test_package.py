"""`pip install .` of a bare clone brings the command and the SQL along."""

from __future__ import annotations

import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from tests.support.repository import PREVIOUS, ROOT, VERSION
from tests.support.servers import Database

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "dist", "_sql", ".*_cache", "__pycache__", ".hypothesis")


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the package in it, from a copy of the sources that nothing was built in."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT, folder / "clone", ignore=LEFT_OUT)
    venv.create(folder / "venv", with_pip=True)
    program = folder / "venv" / "bin" / "python"
    pip = [str(program), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "."], cwd=folder / "clone", check=True)
    assert not (folder / "clone" / "python" / "tenure" / "_sql").exists()
    return program.parent


def test_it_upgrades(installed: Path, old_database: Database, tmp_path: Path) -> None:
    """The upgrades are in the package, too."""
    command = [str(installed / "tenure"), "migrate", "--dsn", old_database.dsn()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"upgraded {PREVIOUS} to {VERSION}\n"), done.stderr


def test_migrate_from_another_folder(installed: Path, empty_database: Database, tmp_path: Path) -> None:
    """`tenure migrate` works with nothing of the clone in sight, twice."""
    command = [str(installed / "tenure"), "migrate", "--dsn", empty_database.dsn()]
    for said in ("installed", "already at"):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
