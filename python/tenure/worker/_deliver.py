"""From a claimed step to its outcome: the one place that calls handlers."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import psycopg

from tenure import _calls
from tenure.errors import Permanent, Retry, Skip, TenureError, Uncertain
from tenure.registry import Step
from tenure.worker._context import Suspended
from tenure.worker._execution import Execution
from tenure.worker._outcome import RELEASE, Outcome, failure, not_storable

log = logging.getLogger(__name__)


async def deliver(step: Step[Any], execution: Execution) -> Outcome:
    """Run the handler and say how the execution ended; never raises, whatever the handler does."""
    try:
        outcome = await _handle(step, execution)
        execution.shut()
        outcome = _overruled(outcome, execution)
        if outcome.verb == "complete" and execution.transaction.begun:
            outcome = await _commit(outcome, execution)
        return outcome
    finally:
        execution.shut()
        await execution.transaction.close()


async def _handle(step: Step[Any], execution: Execution) -> Outcome:
    """What the handler says itself."""
    if not execution.open():
        return RELEASE
    stage = "input"
    try:
        value = step.read_input(execution.claimed.input_text)
        stage = "handler"
        result = await step.handler(execution.context, value)
        stage = "output"
        output = step.encode_output(result)
    except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, and its step must end
        match stage:
            case "input":
                return failure(error, "permanent")
            case "output":
                return not_storable(error)
            case _:
                return _from_error(error, execution)
    if execution.context.suspended is not None:
        # The handler swallowed the unwinding. What it did after that is no part of this execution.
        return execution.context.suspended.outcome
    return Outcome("complete", (output,))


def _from_error(error: BaseException, execution: Execution) -> Outcome:
    suspended = execution.context.suspended
    if suspended is not None and _only_unwinds(error):
        return suspended.outcome
    if _holds(error, Uncertain):
        return failure(error, "uncertain")
    match error:
        case Permanent():
            return failure(error, "permanent")
        case Retry():
            after = None if error.after is None else error.after.total_seconds()
            return failure(error, after=after)
        case Skip():
            return Outcome("skip", (error.reason,))
        case asyncio.CancelledError() if execution.token.reason == "shutdown":
            return RELEASE
        case _:
            # A CancelledError that nobody asked for, or a SystemExit, is an error like any other.
            return failure(error)


def _overruled(outcome: Outcome, execution: Execution) -> Outcome:
    """The outcome, unless the execution had ended before the handler did."""
    match execution.token.reason:
        case "cancelled" | "lease_lost" as reason:
            return Outcome("nothing", (reason,))
        case "timed_out":
            stands = outcome.verb == "fail" and outcome.arguments[1] in {"permanent", "uncertain"}
            return outcome if stands else _timed_out(execution)
        case _:
            return outcome


def _timed_out(execution: Execution) -> Outcome:
    name = execution.claimed.name
    return failure(TimeoutError(f"the handler of {name!r} had not ended at its limit"), "timeout")


async def _commit(outcome: Outcome, execution: Execution) -> Outcome:
    """Complete the step inside the handler's transaction and commit both."""
    claimed = execution.claimed
    completion = _calls.complete(claimed.step_id, execution.owner, claimed.generation, outcome.arguments[0])
    try:
        verdict = await execution.transaction.commit(completion)
    except (psycopg.Error, TenureError, TimeoutError) as error:
        # Whether it was committed may be unknown. A failure is right in both cases: the step takes it only
        # if the completion, and with it the handler's rows, did not come through.
        return failure(error)
    match verdict:
        case "completed":
            return Outcome("settled", (verdict,))
        case "timed_out":
            # Undone with the rest: to be said again, outside.
            return _timed_out(execution)
        case "cancelled":
            return Outcome("nothing", ("cancelled",))
        case "stale":
            return Outcome("nothing", ("lease_lost",))
        case _:
            return failure(TenureError(f"the completion was refused: {verdict}"))


def _only_unwinds(error: BaseException) -> bool:
    """Whether this is the suspension itself, alone or as a task group wraps it."""
    if isinstance(error, BaseExceptionGroup):
        return all(_only_unwinds(member) for member in error.exceptions)
    return isinstance(error, Suspended | asyncio.CancelledError)


def _holds(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Whether such an error stands anywhere in the cause or context chain, or in a group."""
    seen: set[int] = set()
    open_ends = [error]
    while open_ends:
        current = open_ends.pop()
        if current is None or id(current) in seen:
            continue
        if isinstance(current, kind):
            return True
        seen.add(id(current))
        open_ends += [current.__cause__, current.__context__]
        if isinstance(current, BaseExceptionGroup):
            open_ends += current.exceptions
    return False
