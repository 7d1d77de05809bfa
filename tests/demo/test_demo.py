"""The demo does its job whatever happens on the way, counts honestly, and leaves nothing behind."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.demo._measure import find_files, measure, measure_all
from tenure.demo._totals import add_up, compare
from tenure.demo._watch import Outcome
from tests.support.processes import processes_naming
from tests.support.wait import LIMIT, wait_until

COMMAND = [sys.executable, "-c", "from _tenure_cli import main; main()", "demo"]
SOURCES = 150


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree that keeps two workers busy for some seconds, with one file that does not parse."""
    source = Path(argparse.__file__).read_text(encoding="utf-8")
    for number in range(SOURCES):
        (tmp_path / f"m{number}.py").write_text(f"{source}\n# {number}\n", encoding="utf-8")
    (tmp_path / "broken.py").write_bytes(b"# coding: no-such\n")
    return tmp_path


def test_nothing_is_lost(tree: Path) -> None:
    """One worker dies, a handler oversleeps, a run is cancelled; the totals agree file by file."""
    done = subprocess.run([*COMMAND, "--dir", str(tree)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SIGKILL" in done.stdout
    assert "Cancelled run" in done.stdout
    assert "Nothing lost, nothing doubled." in done.stdout


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_leaves_nothing(tree: Path, way: signal.Signals) -> None:
    """Ctrl-C or SIGTERM midway: no server, no worker, no folder is left when the demo has ended."""
    with subprocess.Popen(
        [*COMMAND, "--dir", str(tree)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as demo:
        assert demo.stdout is not None
        base = next(line.split()[-1] for line in demo.stdout if line.startswith("PostgreSQL:"))
        wait_until(lambda: any("tenure.demo.jobs" in text for text in processes_naming(base).values()))
        demo.send_signal(way)
        demo.wait(LIMIT)
        assert demo.returncode not in {0, None}
    assert processes_naming(base) == {}
    assert not Path(base).exists()


def test_no_sources(tmp_path: Path) -> None:
    """A tree without Python sources is told, and is no success."""
    done = subprocess.run([*COMMAND, "--dir", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no Python source" in done.stdout


def test_default_tree() -> None:
    """The default is a tree worth the name, on small standard libraries with the packages added."""
    files = find_files(None)
    assert len(files) == len(set(files)) > 1000
    assert any(path.endswith("/tokenize.py") for path in files)


def test_every_difference_is_found(tmp_path: Path) -> None:
    """A file that is lost, doubled, wrongly measured or wrongly refused is a difference."""
    good, broken = tmp_path / "good.py", tmp_path / "broken.py"
    good.write_text("a = 1\n")
    broken.write_bytes(b"# coding: no-such\n")
    plain = measure_all([str(good), str(broken)])
    right = Outcome("completed", measure(good), None)
    refused = Outcome("discarded", None, "permanent")
    outcomes = {str(good): [right], str(broken): [refused]}
    assert compare(plain, outcomes) == []
    assert add_up(plain).unparsable == 1
    wrong = Outcome("completed", {**measure(good), "lines": 2}, None)
    changes: list[tuple[str, list[Outcome]]] = [
        (str(good), []),
        (str(good), [right, right]),
        (str(good), [wrong]),
        (str(good), [refused]),
        (str(broken), [right]),
        (str(broken), [Outcome("discarded", None, "timeout")]),
        ("nobody.py", [right]),
    ]
    for path, of_path in changes:
        assert len(compare(plain, outcomes | {path: of_path})) == 1
