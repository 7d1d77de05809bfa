"""From a claimed step to its outcome: the one place that drives the application's code."""

from __future__ import annotations

import asyncio
import logging

import psycopg

from tenure import _calls
from tenure._calls import Call
from tenure.errors import SchemaMismatch, TenureError
from tenure.worker._execution import Execution
from tenure.worker._leash import within
from tenure.worker._link import REFUSED
from tenure.worker._outcome import Outcome, dropped, failure, not_storable
from tenure.worker._pipeline import Pipeline
from tenure.worker._token import FINAL
from tenure.worker._transaction import SyncTransaction, Transaction
from tenure.worker._verdict import holds_uncertain

log = logging.getLogger(__name__)

_UNDONE = "the handler's transaction has cancelled or ended its own step, and was rolled back, that included"


async def deliver(execution: Execution) -> Outcome:
    """Run the handler and what is around it, and say how the execution ended.

    Never raises, whatever the application's code does, and is over when the execution's time is: only threads
    may be left, and `execution.leftovers`, which wait for them. Under `on_timeout = wait` it waits too.
    """
    pipeline = Pipeline(execution)
    try:
        outcome = await _go(pipeline, execution)
        if execution.dropped:
            await _clean_up(pipeline, execution)
            return _of_dropped(pipeline, execution)
        return await _settled(outcome, execution)
    finally:
        if execution.begun is not None:
            await execution.begun.close(execution.left())
        execution.part()


async def _go(pipeline: Pipeline, execution: Execution) -> Outcome:
    """What the application says of itself; whether that counts is another question."""
    if not execution.open():
        return _of_stopped(execution)
    try:
        value = await execution.leash.drive(pipeline.run())
    except BaseException as error:
        # Foreign code may raise anything, and its step must end.
        if isinstance(error, GeneratorExit) and execution.leash.slack:
            raise
        execution.shut()
        pipeline.note(error)
        return _of_error(pipeline, error, execution)
    execution.shut()
    if execution.dropped or execution.waits.suspended is not None:
        return _of_error(pipeline, asyncio.CancelledError(), execution)
    return pipeline.output(value)


def _of_error(pipeline: Pipeline, error: BaseException, execution: Execution) -> Outcome:
    if pipeline.errors:
        return pipeline.failure()
    if execution.waits.suspended is not None:
        # Even if the handler has swallowed the unwinding: what it did then is no part of this execution.
        return execution.waits.suspended.outcome
    if execution.token.reason is not None:
        # It stopped because it was told to; that is not an error of its own.
        return _of_stopped(execution)
    # A CancelledError that nobody asked for is an error like any other.
    return failure(error)


def _of_stopped(execution: Execution) -> Outcome:
    """The outcome of an execution that was told to stop and has nothing of its own to say."""
    return dropped(execution.token.reason or "shutdown", execution.claimed.name)


def _of_dropped(pipeline: Pipeline, execution: Execution) -> Outcome:
    """The outcome of a pipeline whose time to say something was over.

    One thing is heard all the same: that an outside commit may have happened. It forbids the retry that would
    be made otherwise.
    """
    if execution.token.reason not in FINAL and any(holds_uncertain(error) for error in pipeline.errors):
        return pipeline.failure()
    return _of_stopped(execution)


# -- cleanup -------------------------------------------------------------------------------------------


async def _clean_up(pipeline: Pipeline, execution: Execution) -> None:
    """Leave what a dropped pipeline has entered and not left itself."""
    execution.calm()
    foreign = pipeline.foreign
    if foreign.busy and not execution.threads.interruptible:
        # Nothing of it is taken away from a thread that still uses it.
        waiting = asyncio.create_task(_clean_up_after(pipeline, execution))
        patience = None if execution.claimed.on_timeout == "wait" else execution.left()
        await asyncio.wait({waiting}, timeout=patience)
        if not waiting.done():
            left = ", ".join(execution.ledger.names) or "nothing"
            log.warning("step %d: its thread goes on; to be left then: %s", execution.claimed.step_id, left)
            execution.leftovers.append(waiting)
        return
    foreign.beside = foreign.busy
    await _leave_all(pipeline, execution, execution.ends_at or execution.now())
    if execution.claimed.on_timeout == "wait":
        await foreign.idle()


async def _clean_up_after(pipeline: Pipeline, execution: Execution) -> None:
    await pipeline.foreign.idle()
    now, until = execution.now(), execution.ends_at or 0.0
    # Where the thread has come back when all should have been over, what it used is closed all the same.
    await _leave_all(pipeline, execution, until if now < until else now + execution.budget.reserve)


async def _leave_all(pipeline: Pipeline, execution: Execution, until: float) -> None:
    """Leave each entry once; what takes too long is interrupted, and never asked again."""
    stopped = asyncio.CancelledError("dropped")
    while (entry := execution.ledger.take()) is not None:
        try:
            await within(entry.leave(stopped), until)
        except BaseException as error:  # noqa: BLE001 - foreign code; the others are to be left too
            pipeline.note(error)
            log.warning("step %d: leaving %s: %r", execution.claimed.step_id, entry.name, error)


# -- settlement ----------------------------------------------------------------------------------------


async def _settled(outcome: Outcome, execution: Execution) -> Outcome:
    """The outcome of a pipeline that ended in time, and what the database says of it."""
    reason = execution.token.reason
    if reason is not None and reason in FINAL:
        return Outcome("nothing", (reason,))
    if outcome.verb == "complete" and execution.begun is not None and execution.begun.open:
        return await _commit(outcome, execution.begun, execution)
    return outcome


async def _commit(
    outcome: Outcome, transaction: Transaction | SyncTransaction, execution: Execution
) -> Outcome:
    """Complete the step inside the handler's transaction and commit both."""
    claimed = execution.claimed
    completion = _calls.complete(claimed.step_id, execution.owner, claimed.generation, outcome.arguments[0])
    try:
        verdict = await transaction.commit(completion, lambda: execution.host.holds(claimed))
    except REFUSED as error:
        return await _say_alone(completion, transaction, error)
    except (psycopg.Error, TimeoutError) as error:
        # Whether it was committed may be unknown. A failure is right in both cases: the step takes it only
        # if the completion, and with it the handler's rows, did not come through.
        return failure(error)
    match verdict:
        case "completed":
            return Outcome("settled", (verdict,))
        case "timed_out":
            # Undone with the rest: to be said again, outside.
            return dropped("timed_out", claimed.name)
        case "cancelled" | "stale":
            # By others, and what is reported now changes nothing; or by this transaction itself, which takes
            # that back with all the rest, and would do the same at each further attempt.
            return failure(TenureError(_UNDONE), "permanent")
        case _:
            refusal = TenureError(f"the completion was refused: {verdict}")
            return await _say_alone(completion, transaction, refusal)


async def _say_alone(
    completion: Call[str], transaction: Transaction | SyncTransaction, error: Exception
) -> Outcome:
    """Say a refused completion again without the handler's rows: its step fails for what it was refused."""
    try:
        verdict = await transaction.undo_and_say(completion)
    except SchemaMismatch as missing:
        # For a moment perhaps, during an upgrade or a restore.
        return failure(missing)
    except REFUSED as refusal:
        return not_storable(refusal)
    except (psycopg.Error, TimeoutError) as lost:
        return failure(lost)
    if verdict == "completed":
        # What was refused was refused for these rows; without them nothing is completed.
        return failure(error)
    return Outcome("settled", (verdict,))
