"""From the errors of a delivery to its outcome: what may be retried, what may not, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure.errors import Permanent, Retry, Skip, Uncertain
from tenure.worker._outcome import Outcome, failure


def outcome_of(errors: Sequence[BaseException], *, hopeless: bool) -> Outcome:
    """How a delivery ended in which these errors were raised, the innermost first.

    The last one is told. But what any of them says of retries holds: a hook that wraps the handler's error,
    or puts another in its place, does not make it retryable. `hopeless`: no retry could help in any case.
    """
    told = errors[-1]
    if any(holds_uncertain(error) for error in errors):
        return failure(told, "uncertain")
    signs = [sign for error in errors if (sign := _sign(error)) is not None]
    if hopeless or any(isinstance(sign, Permanent) for sign in signs):
        return failure(told, "permanent")
    retries = [sign for sign in signs if isinstance(sign, Retry)]
    if retries:
        after = retries[-1].after
        return failure(told, after=None if after is None else after.total_seconds())
    if isinstance(skip := signs[0] if signs else None, Skip) and len(errors) == 1:
        # A subclass may have put anything there.
        return Outcome("skip", (str(skip.reason),))
    return failure(told)


def holds_uncertain(error: BaseException) -> bool:
    """Whether Uncertain stands anywhere: nothing that was raised later, and however, takes the doubt away."""
    return any(isinstance(found, Uncertain) for found in _chain(error, whole=True))


def _sign(error: BaseException) -> Permanent | Retry | Skip | None:
    """What the error says of retries, itself or as what it wraps.

    The error itself comes first: who catches Permanent and raises Retry means it. Then what it wraps: a
    Permanent before a Retry, for a group may hold both. A Skip counts alone, or where there is nothing else.
    """
    if isinstance(error, Permanent | Retry | Skip):
        return error
    wrapped = list(_chain(error, whole=False))
    for kind in (Permanent, Retry):
        for found in wrapped:
            if isinstance(found, kind):
                return found
    return _only_skips(error)


def _only_skips(error: BaseException) -> Skip | None:
    """The first Skip of a group in which there is nothing else."""
    if isinstance(error, Skip):
        return error
    if not isinstance(error, BaseExceptionGroup):
        return None
    skips = [_only_skips(member) for member in error.exceptions]
    return skips[0] if all(skips) else None


def _chain(error: BaseException, *, whole: bool) -> Iterator[BaseException]:
    """The error and all that led to it: causes, contexts, members of groups; the nearest first.

    `whole`: also what a `raise … from None` hides.
    """
    seen: set[int] = set()
    level = [error]
    while level:
        below: list[BaseException | None] = []
        for current in level:
            if id(current) in seen:
                continue
            seen.add(id(current))
            yield current
            below.append(current.__cause__)
            if whole or not current.__suppress_context__:
                below.append(current.__context__)
            if isinstance(current, BaseExceptionGroup):
                below += current.exceptions
        level = [found for found in below if found is not None]
