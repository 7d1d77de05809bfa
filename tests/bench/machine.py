"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime

import psycopg

from tests.bench.server import SETTINGS, Bench


def describe(bench: Bench) -> dict[str, str]:
    """The machine, the versions and the settings, as lines to print."""
    with bench.connect() as conn:
        version = conn.execute("select current_setting('server_version')").fetchone()
    assert version is not None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": f"{os.cpu_count()} cores ({_processor()}), {memory:.0f} GB, {platform.release()}",
        "load before": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "PostgreSQL": str(version[0]),
        "client": f"Python {platform.python_version()}, psycopg {psycopg.__version__}",
        "settings": ", ".join(f"{name} = {value}" for name, value in SETTINGS.items()),
    }


def _processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123 - a stream, not a file of any length
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()
