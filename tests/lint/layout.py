"""Checks the tree itself: nothing left out, each rule tested, each pgTAP file undone, no line too long."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from tests.lint.finding import Finding

RULE_HEADING = re.compile(r"^#+\s+(R-\d+)\b", re.MULTILINE)
RULE_NAME = re.compile(r"\bR-\d+\b")
PGTAP_SHAPE = re.compile(
    r"\bbegin;.*\bselect plan\(\d+\);.*\bselect \* from finish\(\);\s*rollback;\s*\Z", re.DOTALL
)
# sqlfluff has the same limit, but does not read bodies.
LINE_LENGTH = 120
LITERAL = r"'(?:[^']|'')*'"
COMMENT_TEXT = re.compile(rf"^comment on [^;']*\bis\s+{LITERAL}", re.MULTILINE)
LONE_LITERAL = re.compile(rf"\s*{LITERAL}\)*[,;]?")


def check_manifest(root: Path) -> list[Finding]:
    """Find SQL files that a fresh install would forget."""
    spec = importlib.util.spec_from_file_location("tenure_sql_build", root / "sql" / "build.py")
    if spec is None or spec.loader is None:
        return [Finding("sql/build.py", "is missing")]
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    return [Finding(f"sql/{name}", "is not in sql/MANIFEST") for name in build.left_out(root / "sql")]


def check_rules(root: Path) -> list[Finding]:
    """Find rules of docs/rules.md that no test names, and tests that name a rule which is not there."""
    document = root / "docs" / "rules.md"
    rules = RULE_HEADING.findall(document.read_text(encoding="utf-8")) if document.exists() else []
    if not rules:
        return [Finding("docs/rules.md", "has no rule: a heading such as `### R-01 …`")]
    # This folder tests the checks, with rules of its own making.
    tests = [path for path in (root / "tests").rglob("test_*.py") if path.parent != root / "tests" / "lint"]
    named = {
        rule
        for path in [*tests, *(root / "pgtap").rglob("*.sql")]
        for rule in RULE_NAME.findall(path.read_text(encoding="utf-8"))
    }
    problems = {
        "stand there twice": {rule for rule in rules if rules.count(rule) > 1},
        "are named by no test": set(rules) - named,
        "are named by a test, but are not there": named - set(rules),
    }
    return [
        Finding("docs/rules.md", f"{len(found)} {problem}: {', '.join(sorted(found))}")
        for problem, found in problems.items()
        if found
    ]


def check_pgtap(root: Path) -> list[Finding]:
    """Find pgTAP files that would leave something behind: they share one database."""
    findings = []
    for path in sorted((root / "pgtap").rglob("*.sql")):
        where = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        code = re.sub(r"--[^\n]*", "", text)
        if not PGTAP_SHAPE.search(code):
            findings.append(
                Finding(where, "is not: begin; select plan(N); … select * from finish(); rollback;")
            )
        if re.search(r"^\s*commit\b", code, re.MULTILINE | re.IGNORECASE):
            findings.append(Finding(where, "commits: a test that must commit belongs in tests/"))
    return findings


def check_lines(root: Path) -> list[Finding]:
    """Find lines of SQL that are too long, save for a comment's text and a literal that stands alone."""
    return [
        Finding(f"{path.relative_to(root).as_posix()}:{number}", f"is longer than {LINE_LENGTH}")
        for path in sorted((root / "sql").rglob("*.sql"))
        if path.parent.name != "releases"
        for number, line in enumerate(_without_comment_texts(path).split("\n"), start=1)
        if len(line) > LINE_LENGTH and not LONE_LITERAL.fullmatch(line)
    ]


def _without_comment_texts(path: Path) -> str:
    """Return a file's text with each comment's text taken out, but for the ends of its lines."""
    text = path.read_text(encoding="utf-8")
    return COMMENT_TEXT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
