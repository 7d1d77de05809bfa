"""One measured figure: what it is, what it stands beside, and the floor it is held against."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure; `least` and `most` bound the ratio where there is one, else the value."""

    part: str
    name: str
    value: float
    unit: str
    yardstick: float | None = None
    ratio: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the floor is met; None where there is none."""
        judged = self.value if self.ratio is None else self.ratio
        if self.least is not None:
            return judged >= self.least
        return None if self.most is None else judged <= self.most

    @property
    def floor(self) -> str:
        """The floor as a person reads it."""
        if self.least is not None:
            return f"≥ {self.least:,g}"
        return "" if self.most is None else f"≤ {self.most:,g}"


def median_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """The median of each pair's own ratio: what slows the machine for a while slows both of a pair."""
    return statistics.median(ours / bare for ours, bare in pairs)
