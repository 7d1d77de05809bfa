"""The repository itself, as tests see it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build() -> None:
    """Build the install script from the sources."""
    subprocess.run([sys.executable, str(ROOT / "sql" / "build.py")], check=True, stdout=subprocess.DEVNULL)
