"""The workflow demo comes out right, whatever fails on the way, and shows the run that it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tenure.demo._import_story import write_files
from tests.support.processes import processes_naming


def test_the_demo() -> None:
    """Its mount fails twice, one file is skipped, somebody approves; and nothing is left behind."""
    done = subprocess.run(
        [sys.executable, "-c", "from _tenure_cli import main; main()", "demo-workflow"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, last = done.stdout.split("Sent the signal 'approval': delivered")
    assert "waiting_signal" in first
    assert "completed, 12 elements: 11 completed, 1 skipped" in first
    assert "completed, attempt 3" in last
    assert "flowchart TD" in last
    assert "Published: 72 orders in 11 files, 54471 cents, approved by Ada" in last
    base = next(line.split()[-1] for line in done.stdout.splitlines() if line.startswith("PostgreSQL:"))
    assert processes_naming(base) == {}
    assert not Path(base).exists()


def test_the_files_come_to_what_is_said(tmp_path: Path) -> None:
    total = write_files(tmp_path)
    assert (total.files, total.orders, total.cents) == (11, 72, 54471)
