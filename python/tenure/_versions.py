"""Which versions of the package and of the engine work together."""

from __future__ import annotations


def can_use(package: str, engine: str) -> bool:
    """Tell whether this version of the package works with that version of the engine.

    An engine serves the packages of its own minor version and of the one before, so that a database is
    upgraded first and its workers after it, one by one.
    """
    ours, theirs = _parts(package), _parts(engine)
    return ours is not None and theirs in (ours, (ours[0], ours[1] + 1))


def _parts(version: str) -> tuple[int, int] | None:
    """Return major and minor; None where that is no version."""
    try:
        major, minor, *_ = version.split(".")
        return int(major), int(minor)
    except ValueError:
        return None
