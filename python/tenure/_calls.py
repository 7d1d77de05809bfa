"""The only SQL of this package: one function for each function of the engine.

Each returns a described call: the text, its parameters and how to read the answer. Whoever owns a
connection executes it, at once (`run`, `run_async`) or in a pipeline. Three habits keep the text valid for
engines newer than this package and for connections set up in any way:

* columns are always listed, so that a column added later does no harm;
* parameters are cast, so that one text has one meaning whatever types are sent;
* jsonb is sent and read as text, so that a caller's own JSON adapters do not matter. The cursor is ours and
  reads binary values, so that neither do its row factory, DateStyle, IntervalStyle and time zone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, LiteralString, TypeVar, Unpack

import psycopg
from psycopg.adapt import Buffer, Loader
from psycopg.pq import Format
from psycopg.rows import tuple_row

from tenure import _check, _json, _rows
from tenure._options import (
    ENQUEUE_OPTIONS,
    NEW_QUEUE,
    NO_INPUT,
    QUEUE_CHANGE,
    STEP_OPTIONS,
    EnqueueOptions,
    Job,
    NewQueue,
    QueueChange,
    StepOptions,
    checked,
    input_text,
    job_text,
)
from tenure._rows import (
    Claimed,
    Difference,
    Heartbeat,
    Read,
    RunStatus,
    StepHeartbeat,
    StepVerdict,
    SweepReport,
)
from tenure.errors import translate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tenure._durations import Duration

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A call of one SQL function, described and not yet made."""

    sql: LiteralString
    params: Sequence[object] | Mapping[str, object]
    read: Read[T]
    """Turns the fetched rows, as tuples, into the result."""


def run(conn: psycopg.Connection[Any], call: Call[T]) -> T:
    """Make the call in the connection's transaction, whatever its state; commits nothing."""
    # Not conn.cursor(): that would be of the class and row factory that the connection's owner chose.
    with psycopg.Cursor(conn, row_factory=tuple_row) as cursor:
        _read_text(cursor)
        try:
            rows = cursor.execute(call.sql, call.params, binary=True).fetchall()
        except (psycopg.Error, UnicodeEncodeError) as error:
            ours = translate(error, conn)
            if ours is None:
                raise
            raise ours from error
    return call.read(rows)


async def run_async(conn: psycopg.AsyncConnection[Any], call: Call[T]) -> T:
    """Make the call as `run` does, on an asynchronous connection."""
    async with psycopg.AsyncCursor(conn, row_factory=tuple_row) as cursor:
        _read_text(cursor)
        try:
            await cursor.execute(call.sql, call.params, binary=True)
            rows = await cursor.fetchall()
        except (psycopg.Error, UnicodeEncodeError) as error:
            ours = translate(error, conn)
            if ours is None:
                raise
            raise ours from error
    return call.read(rows)


class _Text(Loader):
    """Text as it was written, where psycopg would read bytes."""

    format = Format.BINARY

    def load(self, data: Buffer) -> str:
        return bytes(data).decode()


def _read_text(cursor: psycopg.Cursor[Any] | psycopg.AsyncCursor[Any]) -> None:
    """Read text as such on a connection that says nothing of its encoding, as to a database of SQL_ASCII."""
    if cursor.connection.info.encoding == "ascii":
        cursor.adapters.register_loader("text", _Text)


_RUN: LiteralString = (
    "input => %(input)s::jsonb, queue => %(queue)s::text, "
    "priority => %(priority)s::int, scheduled_at => %(scheduled_at)s::timestamptz, "
    "delay => %(delay)s::interval, timeout => %(timeout)s::interval, deadline => %(deadline)s::interval, "
    "max_attempts => %(max_attempts)s::int, backoff => %(backoff)s::jsonb, "
    "max_reclaims => %(max_reclaims)s::int, idempotency_key => %(idempotency_key)s::text, "
    "on_timeout => %(on_timeout)s::text, headers => %(headers)s::jsonb, "
    "start_within => %(start_within)s::interval, progress_timeout => %(progress_timeout)s::interval, "
    "idempotency_period => %(idempotency_period)s::interval"
)
"""What every call takes that makes a step.

Always the same text, with NULL for what is not given: one prepared statement, not one a combination.
"""


# -- client ------------------------------------------------------------------------------------------


def enqueue(name: str, input: object = NO_INPUT, **options: Unpack[EnqueueOptions]) -> Call[int]:
    """Create a run of one step. No input is an empty object, as in SQL; None is JSON null."""
    sql: LiteralString = "select tenure.enqueue(name => %(name)s::text, " + _RUN + ")"
    params = _named(name, options, ENQUEUE_OPTIONS) | {"input": input_text(input)}
    return Call(sql, params, _rows.scalar(int))


def enqueue_many(jobs: Iterable[Job]) -> Call[list[int]]:
    """Create many runs in one statement; ids come back in the order of the jobs."""
    text = "[" + ", ".join([job_text(job, index) for index, job in enumerate(jobs)]) + "]"
    return Call("select id from tenure.enqueue_many(%s::jsonb) as id", (text,), _rows.scalars(int))


def start(workflow: str, input: object = NO_INPUT, **options: Unpack[EnqueueOptions]) -> Call[int]:
    """Start a run of a workflow, in its newest version. The members of the input are its first keys."""
    sql: LiteralString = "select tenure.start(workflow => %(workflow)s::text, " + _RUN + ")"
    params = _values(options, ENQUEUE_OPTIONS)
    params |= {"workflow": _check.name("workflow", workflow), "input": input_text(input)}
    return Call(sql, params, _rows.scalar(int))


def define_workflow(name: str, definition: Mapping[str, Any]) -> Call[int]:
    """Define a workflow; answers its version, a new one if the definition is not that of the newest."""
    text = _json.encode(dict(definition), what="definition", limit=_json.INPUT_BYTES)
    params = (_check.name("name", name), text)
    return Call("select tenure.define_workflow(%s::text, %s::jsonb)", params, _rows.scalar(int))


def define_step(name: str, **options: Unpack[StepOptions]) -> Call[None]:
    """Declare the defaults of a step name; what is not given has none."""
    sql: LiteralString = (
        "select tenure.define_step(name => %(name)s::text, queue => %(queue)s::text, "
        "priority => %(priority)s::int, timeout => %(timeout)s::interval, "
        "deadline => %(deadline)s::interval, max_attempts => %(max_attempts)s::int, "
        "backoff => %(backoff)s::jsonb, max_reclaims => %(max_reclaims)s::int, "
        "on_timeout => %(on_timeout)s::text, headers => %(headers)s::jsonb, "
        "start_within => %(start_within)s::interval, progress_timeout => %(progress_timeout)s::interval, "
        "idempotency_period => %(idempotency_period)s::interval, quota => %(quota)s::text, "
        "quota_units => %(quota_units)s::int)"
    )
    return Call(sql, _named(name, {"quota_units": 1, **options}, STEP_OPTIONS), _rows.nothing)


def signal(run_id: int, signal: str, payload: object = None) -> Call[str]:
    """Send a signal to a run: `delivered`, `kept` until somebody waits, or `over`."""
    params = (_check.int8("run_id", run_id), _check.name("signal", signal), _payload(payload))
    return Call("select tenure.signal(%s::bigint, %s::text, %s::jsonb)", params, _rows.scalar(str))


def cancel(run_id: int, reason: str | None = None) -> Call[int]:
    """Cancel a run and all under it; answers how many steps, 0 when it was over."""
    params = (_check.int8("run_id", run_id), _reason(reason))
    return Call("select tenure.cancel(%s::bigint, %s::text)", params, _rows.scalar(int))


def status(run_id: int) -> Call[RunStatus]:
    """Read how a run stands."""
    sql: LiteralString = (
        "select run_id, name, queue, state, attempt, max_attempts, created_at, scheduled_at, started_at, "
        "finished_at, error::text, error_kind, cancel_reason, in_flight from tenure.status(%s::bigint)"
    )
    return Call(sql, (_check.int8("run_id", run_id),), _rows.run_status)


def result(run_id: int) -> Call[Any]:
    """Read a completed run's output; None when it was skipped; refused for any other state."""
    return Call("select tenure.result(%s::bigint)::text", (_check.int8("run_id", run_id),), _rows.json_value)


# -- worker ------------------------------------------------------------------------------------------


def claim(
    queues: Sequence[str],
    owner: str,
    *,
    max_steps: int = 1,
    lease_ttl: Duration = 30,
    names: Sequence[str] | None = None,
) -> Call[list[Claimed]]:
    """Lease due steps to `owner`. True only once the transaction has committed."""
    sql: LiteralString = (
        "select step_id, run_id, name, queue, input::text, attempt, max_attempts, generation, lease_expiry, "
        "time_left, reclaims, headers::text, keys::text, signal::text, on_timeout, waits::text "
        "from tenure.claim(%s::text[], %s::text, %s::int, %s::interval, %s::text[])"
    )
    params = (
        _check.names("queues", queues),
        _check.name("owner", owner),
        _check.int4("max_steps", max_steps),
        _check.duration("lease_ttl", lease_ttl),
        None if names is None else _check.names("names", names),
    )
    return Call(sql, params, _rows.many(Claimed))


def heartbeat(step_id: int, owner: str, generation: int, progress: str | None = None) -> Call[Heartbeat]:
    """Renew one lease, with progress as JSON text where there is news: `renewed`, or why not."""
    sql: LiteralString = (
        "select verdict, lease_expiry, time_left "
        "from tenure.heartbeat(%s::bigint, %s::text, %s::bigint, %s::jsonb)"
    )
    return Call(sql, (*_lease(step_id, owner, generation), progress), _rows.one(Heartbeat))


def heartbeat_many(
    step_ids: Sequence[int], owner: str, generations: Sequence[int]
) -> Call[list[StepHeartbeat]]:
    """Renew many leases; a row locked by someone answers `busy` and holds up no other."""
    sql: LiteralString = (
        "select step_id, verdict, lease_expiry, time_left "
        "from tenure.heartbeat_many(%s::bigint[], %s::text, %s::bigint[])"
    )
    return Call(sql, _leases(step_ids, owner, generations), _rows.many(StepHeartbeat))


def complete(step_id: int, owner: str, generation: int, output: str | None = None) -> Call[str]:
    """Report success, with the output as JSON text."""
    sql: LiteralString = "select tenure.complete(%s::bigint, %s::text, %s::bigint, %s::jsonb)"
    return Call(sql, (*_lease(step_id, owner, generation), output), _rows.scalar(str))


def complete_many(
    step_ids: Sequence[int], owner: str, generations: Sequence[int], outputs: Sequence[str | None]
) -> Call[list[StepVerdict]]:
    """Report many successes, the outputs as JSON texts; each step gets its own verdict."""
    sql: LiteralString = (
        "select step_id, verdict "
        "from tenure.complete_many(%s::bigint[], %s::text, %s::bigint[], %s::text[]::jsonb[])"
    )
    params = (*_leases(step_ids, owner, generations), list(outputs))
    return Call(sql, params, _rows.many(StepVerdict))


def skip(step_id: int, owner: str, generation: int, reason: str | None = None) -> Call[str]:
    """Report that there was nothing to do."""
    sql: LiteralString = "select tenure.skip(%s::bigint, %s::text, %s::bigint, %s::text)"
    return Call(sql, (*_lease(step_id, owner, generation), _reason(reason)), _rows.scalar(str))


def fail(
    step_id: int,
    owner: str,
    generation: int,
    error: BaseException | Mapping[str, object],
    *,
    kind: str = "retryable",
    retry_after: Duration | None = None,
) -> Call[str]:
    """Report a failure: `retryable`, `permanent`, `uncertain` or `timeout`."""
    sql: LiteralString = (
        "select tenure.fail(%s::bigint, %s::text, %s::bigint, %s::jsonb, %s::text, %s::interval)"
    )
    params = (
        *_lease(step_id, owner, generation),
        _json.encode_error(error),
        _check.word("kind", kind),
        _check.interval("retry_after", retry_after),
    )
    return Call(sql, params, _rows.scalar(str))


def release(step_id: int, owner: str, generation: int) -> Call[str]:
    """Hand a step back unfinished: due at once, no attempt spent."""
    sql: LiteralString = "select tenure.release(%s::bigint, %s::text, %s::bigint)"
    return Call(sql, _lease(step_id, owner, generation), _rows.scalar(str))


def sleep(
    step_id: int, owner: str, generation: int, duration: Duration, *, key: str | None = None
) -> Call[str]:
    """End this execution and invoke the handler again after `duration`."""
    sql: LiteralString = "select tenure.sleep(%s::bigint, %s::text, %s::bigint, %s::interval, %s::text)"
    params = (_check.duration("duration", duration), _check.opt_name("key", key))
    return Call(sql, (*_lease(step_id, owner, generation), *params), _rows.scalar(str))


def wait_signal(
    step_id: int,
    owner: str,
    generation: int,
    signal: str,
    *,
    timeout: Duration | None = None,
    key: str | None = None,
) -> Call[str]:
    """End this execution and invoke the handler again when the signal comes, or the time is over."""
    sql: LiteralString = (
        "select tenure.wait_signal(%s::bigint, %s::text, %s::bigint, %s::text, %s::interval, %s::text)"
    )
    params = (
        _check.name("signal", signal),
        _check.interval("timeout", timeout),
        _check.opt_name("key", key),
    )
    return Call(sql, (*_lease(step_id, owner, generation), *params), _rows.scalar(str))


def checkpoint(
    step_id: int, owner: str, generation: int, key: str, value: str | None = None
) -> Call[str | None]:
    """Record a value, as JSON text, under a key once and for all; answers the text of the first written.

    Without a value it only reads, and answers None where there is none.
    """
    sql: LiteralString = (
        "select tenure.checkpoint(%s::bigint, %s::text, %s::bigint, %s::text, %s::jsonb)::text"
    )
    params = (*_lease(step_id, owner, generation), _check.name("key", key), value)
    return Call(sql, params, _rows.opt_text)


def stage(step_id: int, owner: str, generation: int, key: str, value: str) -> Call[str]:
    """Stage a value, as JSON text, to be published under a key when the attempt succeeds."""
    sql: LiteralString = "select tenure.stage(%s::bigint, %s::text, %s::bigint, %s::text, %s::jsonb)"
    params = (*_lease(step_id, owner, generation), _check.name("key", key), value)
    return Call(sql, params, _rows.scalar(str))


def staged(step_id: int, owner: str, generation: int, key: str) -> Call[str | None]:
    """Read what this attempt has staged under a key, as JSON text; None where there is nothing."""
    sql: LiteralString = "select tenure.staged(%s::bigint, %s::text, %s::bigint, %s::text)::text"
    params = (*_lease(step_id, owner, generation), _check.name("key", key))
    return Call(sql, params, _rows.opt_text)


def start_child(
    step_id: int,
    owner: str,
    generation: int,
    name: str,
    input: object = NO_INPUT,
    **options: Unpack[EnqueueOptions],
) -> Call[int]:
    """Create a step in the run of this one, which is cancelled with it; answers its id."""
    sql: LiteralString = (
        "select tenure.start_child(step_id => %(step_id)s::bigint, owner => %(owner)s::text, "
        "generation => %(generation)s::bigint, name => %(name)s::text, " + _RUN + ")"
    )
    lease = dict(zip(("step_id", "owner", "generation"), _lease(step_id, owner, generation), strict=True))
    params = _named(name, options, ENQUEUE_OPTIONS) | lease | {"input": input_text(input)}
    return Call(sql, params, _rows.scalar(int))


def fold(run_ids: Sequence[int]) -> Call[int]:
    """Do what committed reports of children have left to do; answers how many runs were busy."""
    return Call("select tenure.fold(%s::bigint[])", (_check.int8s("run_ids", run_ids),), _rows.scalar(int))


def worker_hello(owner: str, queues: Sequence[str], *, idle: bool, info: object = None) -> Call[str]:
    """Say that this worker lives, and whether it waits for work; answers the channel to LISTEN on."""
    sql: LiteralString = "select tenure.worker_hello(%s::text, %s::text[], %s::boolean, %s::jsonb)"
    params = (
        _check.name("owner", owner),
        _check.names("queues", queues),
        idle,
        None if info is None else _json.encode(info, what="info", limit=_json.INPUT_BYTES),
    )
    return Call(sql, params, _rows.scalar(str))


def worker_report(owner: str, report: object) -> Call[None]:
    """Leave the shutdown report."""
    params = (_check.name("owner", owner), _json.encode(report, what="report", limit=_json.INPUT_BYTES))
    return Call("select tenure.worker_report(%s::text, %s::jsonb)", params, _rows.nothing)


def sweep(max_steps: int = 100) -> Call[SweepReport]:
    """Move on what is overdue, at most `max_steps` steps."""
    sql: LiteralString = (
        "select reclaimed, timed_out, discarded, woken, next_due_in from tenure.sweep(%s::int)"
    )
    return Call(sql, (_check.int4("max_steps", max_steps),), _rows.one(SweepReport))


# -- operator ----------------------------------------------------------------------------------------


def retry(step_id: int, extra_attempts: int = 1) -> Call[str]:
    """Reopen a discarded step; answers its new state."""
    params = (_check.int8("step_id", step_id), _check.int4("extra_attempts", extra_attempts))
    return Call("select tenure.retry(%s::bigint, %s::int)", params, _rows.scalar(str))


def pause(run_id: int) -> Call[int]:
    """Pause a run; answers how many steps."""
    return Call("select tenure.pause(%s::bigint)", (_check.int8("run_id", run_id),), _rows.scalar(int))


def resume(run_id: int) -> Call[int]:
    """Resume a paused run; answers how many steps."""
    return Call("select tenure.resume(%s::bigint)", (_check.int8("run_id", run_id),), _rows.scalar(int))


def create_queue(name: str, **settings: Unpack[NewQueue]) -> Call[None]:
    """Create a queue; again with the same settings does nothing, with others is refused."""
    sql: LiteralString = (
        "select tenure.create_queue(name => %(name)s::text, preset => %(preset)s::text, "
        "timeout_default => %(timeout_default)s::interval, timeout_floor => %(timeout_floor)s::interval, "
        "timeout_ceiling => %(timeout_ceiling)s::interval, retention => %(retention)s::interval, "
        "discarded_retention => %(discarded_retention)s::interval)"
    )
    return Call(sql, _named(name, settings, NEW_QUEUE), _rows.nothing)


def alter_queue(name: str, **settings: Unpack[QueueChange]) -> Call[None]:
    """Change the settings that are given; `clear` names those to be unset."""
    sql: LiteralString = (
        "select tenure.alter_queue(name => %(name)s::text, "
        "timeout_default => %(timeout_default)s::interval, timeout_floor => %(timeout_floor)s::interval, "
        "timeout_ceiling => %(timeout_ceiling)s::interval, retention => %(retention)s::interval, "
        "discarded_retention => %(discarded_retention)s::interval, clear => %(clear)s::text[])"
    )
    return Call(sql, _named(name, settings, QUEUE_CHANGE), _rows.nothing)


def pause_queue(name: str) -> Call[None]:
    """Stop claims from a queue, and no clock."""
    return Call("select tenure.pause_queue(%s::text)", (_check.name("name", name),), _rows.nothing)


def resume_queue(name: str) -> Call[None]:
    """Allow claims from a queue again."""
    return Call("select tenure.resume_queue(%s::text)", (_check.name("name", name),), _rows.nothing)


def set_quota(name: str, capacity: int) -> Call[None]:
    """Make a quota, or change how many units of it may run at once."""
    params = (_check.name("name", name), _check.int4("capacity", capacity))
    return Call("select tenure.set_quota(%s::text, %s::int)", params, _rows.nothing)


def grant_queue(queue: str, role: str) -> Call[None]:
    """Give a queue to a database role, and close it to others."""
    params = (_check.name("queue", queue), _check.name("role", role))
    return Call("select tenure.grant_queue(%s::text, %s::text)", params, _rows.nothing)


def revoke_queue(queue: str, role: str) -> Call[None]:
    """Take a queue from a database role."""
    params = (_check.name("queue", queue), _check.name("role", role))
    return Call("select tenure.revoke_queue(%s::text, %s::text)", params, _rows.nothing)


def purge(older_than: Duration, max_rows: int = 1000) -> Call[int]:
    """Remove runs that ended that long ago; answers how many rows, at most `max_rows`."""
    params = (_check.duration("older_than", older_than), _check.int4("max_rows", max_rows))
    return Call("select tenure.purge(%s::interval, %s::int)", params, _rows.scalar(int))


def schema_version() -> Call[str]:
    """Read the version of the installed engine."""
    return Call("select tenure.schema_version()", (), _rows.scalar(str))


def verify_schema() -> Call[list[Difference]]:
    """Compare the installed engine with its release: no rows, no difference."""
    sql: LiteralString = "select object, aspect, expected, found from tenure.verify_schema()"
    return Call(sql, (), _rows.many(Difference))


# -- parameters --------------------------------------------------------------------------------------


def _lease(step_id: int, owner: str, generation: int) -> tuple[int, str, int]:
    return (
        _check.int8("step_id", step_id),
        _check.name("owner", owner),
        _check.int8("generation", generation),
    )


def _leases(step_ids: Sequence[int], owner: str, generations: Sequence[int]) -> tuple[str, str, str]:
    return (
        _check.int8s("step_ids", step_ids),
        _check.name("owner", owner),
        _check.int8s("generations", generations),
    )


def _named(name: str, options: Mapping[str, object], known: frozenset[str]) -> dict[str, Any]:
    return _values(options, known) | {"name": _check.name("name", name)}


def _values(options: Mapping[str, object], known: frozenset[str]) -> dict[str, Any]:
    return dict.fromkeys(known) | checked(options, known)


def _payload(value: object) -> str:
    return _json.encode(value, what="payload", limit=_json.INPUT_BYTES)


def _reason(reason: str | None) -> str | None:
    # A reason is decoration, as an error's text is: escaped and cut, never a ground for refusal.
    return None if reason is None else _json.storable(reason, _json.REASON_BYTES)
