"""How the documents are laid out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import prose
from tests.docs.test_links import DOCUMENTS
from tests.support.repository import ROOT

WIDTH = 120


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lines(path: Path) -> None:
    """Lines of prose are wrapped; a row of a table and a heading cannot be."""
    lines = [line for line in prose(path).splitlines() if not line.startswith(("|", "#"))]
    assert [line for line in lines if len(line) > WIDTH] == []


def test_rules_are_in_order() -> None:
    """Within each group of rules the numbers rise."""
    groups = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8").split("\n## ")
    for group in groups:
        numbers = re.findall(r"^### (R-\d+)", group, re.MULTILINE)
        assert numbers == sorted(numbers), group.partition("\n")[0]
