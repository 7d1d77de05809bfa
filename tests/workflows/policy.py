"""Policy layers of the model, outermost first. Moments and durations are microseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeout:
    """A limit on all that is inside."""

    limit: int
    kind: str = "timeout"
    """`deadline` where it is not of a policy but the parameter of that name."""


@dataclass(frozen=True, slots=True)
class Retry:
    """So many attempts at all that is inside, the first included, with a delay between them."""

    attempts: int
    delay: int


Layer = Timeout | Retry


@dataclass(frozen=True, slots=True)
class Defaults:
    """What `define_step` was told of a step name."""

    layers: tuple[Layer, ...] = ()
    quota: str | None = None
    units: int = 1

    def under(self, given: Sequence[Layer]) -> tuple[Layer, ...]:
        """Return these layers where a call gave others: each parameter of it stands for itself."""
        mine, others = _parameters(self.layers), _parameters(given)
        return tuple((mine | others)[place] for place in sorted(mine | others))


def _parameters(layers: Sequence[Layer]) -> dict[int, Layer]:
    """Return deadline, attempts and timeout, by their place in the everyday shape."""
    return {
        1 if isinstance(layer, Retry) else 0 if layer.kind == "deadline" else 2: layer for layer in layers
    }


class Stack:
    """The layers around one step, each with its own counter and clock."""

    def __init__(self, layers: Sequence[Layer], entered: int) -> None:
        """Enter all layers at this moment."""
        self.layers = tuple(layers)
        self._entered = [entered] * len(self.layers)
        self._begun = [1] * len(self.layers)
        pair = self.layers[-2:]
        self._last_from_begin = len(pair) == 2 and isinstance(pair[0], Retry) and isinstance(pair[1], Timeout)

    def limit(self, position: int, begun: int | None) -> int | None:
        """When the layer at this position has passed; None: never, as things are.

        `begun` is when the execution was claimed, or a group's present children were made.
        """
        layer = self.layers[position]
        if not isinstance(layer, Timeout):
            return None
        if self._last_from_begin and position == len(self.layers) - 1:
            return None if begun is None else begun + layer.limit
        return self._entered[position] + layer.limit

    def next_limit(self, begun: int | None) -> int | None:
        """When the first of all layers has passed."""
        limits = [self.limit(position, begun) for position in range(len(self.layers))]
        return min((limit for limit in limits if limit is not None), default=None)

    def passed(self, now: int, begun: int | None) -> int | None:
        """The position of the outermost layer that has passed."""
        for position in range(len(self.layers)):
            limit = self.limit(position, begun)
            if limit is not None and now >= limit:
                return position
        return None

    def kind(self, position: int) -> str:
        """How an error by the layer at this position is called."""
        layer = self.layers[position]
        assert isinstance(layer, Timeout)
        return layer.kind

    def shift(self, by: int) -> None:
        """Let every clock begin so much later."""
        self._entered = [entered + by for entered in self._entered]

    def fail(self, position: int, now: int) -> int | None:
        """Let what is inside this position fail; return when the next attempt is due, None: no other."""
        for around in reversed(range(position)):
            layer = self.layers[around]
            if not isinstance(layer, Retry) or self._begun[around] >= layer.attempts:
                continue
            outer = self.passed(now, None)
            if outer is not None and outer < around:
                continue
            self._begun[around] += 1
            due = now + layer.delay
            for inside in range(around + 1, len(self.layers)):
                self._begun[inside] = 1
                self._entered[inside] = due
            return due
        return None
