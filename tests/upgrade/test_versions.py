"""Which workers an engine serves."""

from __future__ import annotations

import pytest

from tenure._versions import can_use


@pytest.mark.parametrize(
    ("package", "engine", "works"),
    [
        ("0.2.0", "0.2.0", True),
        ("0.2.0", "0.2.9", True),
        ("0.2.9", "0.2.0", True),
        ("0.2.9", "0.3.0", True),
        ("0.9.1", "0.10.0", True),
        ("0.2.0", "0.4.0", False),
        ("0.3.0", "0.2.9", False),
        ("0.2.0", "1.2.0", False),
        ("0.2.0", "1.3.0", False),
        ("0.2.0", "nonsense", False),
        ("0.2.0", "", False),
        ("nonsense", "0.2.0", False),
        ("nonsense", "nonsense", False),
    ],
)
def test_can_use(package: str, engine: str, works: bool) -> None:
    """R-216: those of its own minor version and of the one before."""
    assert can_use(package, engine) is works
