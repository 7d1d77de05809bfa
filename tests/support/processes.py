"""Which processes there are."""

from __future__ import annotations

from pathlib import Path


def processes_naming(text: str) -> dict[int, str]:
    """Return the processes whose command line holds this text, by id."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has just ended
        if text in command:
            found[int(folder.name)] = command
    return found
