"""What a check reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing to mend."""

    where: str
    message: str

    def __str__(self) -> str:
        """Show it as compilers do."""
        return f"{self.where}: {self.message}"
