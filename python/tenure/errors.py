"""Every error of Tenure, one class per SQLSTATE.

::

    TenureError                  any refusal by the engine
     ├─ StepNotFound      TN001  no such step or run
     ├─ NotARun           TN002  the id is that of a child, not of a run
     ├─ QueueUnknown      TN003  no such queue
     ├─ QueueDiffers      TN004  the queue exists with other settings
     ├─ NameInvalid       TN005  a name, owner, queue or key that is missing, empty or too long
     ├─ DurationInvalid   TN006  a negative, endless, monthly or century-long interval
     ├─ ArgumentInvalid   TN007  any other argument that makes no sense, or cannot be stored
     ├─ TooLarge          TN008  an input, output, header or progress over its size limit
     ├─ TimeoutOutOfBounds TN009 a timeout outside the queue's floor and ceiling
     ├─ InvalidTransition TN010  this step is not in a state that allows it
     ├─ NotFinished       TN011  the run has no result yet
     ├─ RunDiscarded      TN012  the run ended without success
     ├─ RunCancelled      TN013  the run was cancelled
     ├─ StaleLease        TN014  the step is no longer leased to this owner and generation
     ├─ QuotaUnknown      TN015  no such quota
     ├─ IsolationLevel    TN016  claim was called under a level stricter than READ COMMITTED
     ├─ RunPurging        TN017  the run is being removed
     ├─ QueueNotGranted   TN018  the queue is not this role's to use
     ├─ RoleUnknown       TN019  no such role
     ├─ AlreadyInstalled  TN020  the database holds the engine already
     ├─ SchemaMismatch    TN021  the database holds no engine, or one of another version
     ├─ InstallRefused    TN022  the database is not fit for this install or upgrade
     ├─ UpgradeBlocked    TN023  others held a lock for as long as an upgrade was tried
     ├─ UninstallRefused  TN024  there are unfinished steps, or something depends on the engine
     ├─ WorkflowUnknown   TN030  no such workflow
     └─ WorkflowInvalid   TN031  a definition that is no graph: a cycle, an unknown key, two producers

    HandlerSignal                raised by a handler to say how its step ends
     ├─ Permanent                failed, and no retry can help
     ├─ Uncertain                an outside commit whose result nobody knows: never retried
     ├─ Retry                    failed, try again, after a delay of the handler's choice
     └─ Skip                     there is nothing to do

    NextCalledTwice              a hook called `next` again: only policies retry

A refusal checked on the client raises the same class as the database would. Where the database
refused, its error stays as ``__cause__``; DETAIL and HINT are attributes and, as notes, part of
every traceback.
"""

# ruff: noqa: N818 - the names say what happened, in the words of the SQLSTATE table
from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tenure._durations import Duration, to_timedelta

if TYPE_CHECKING:
    import psycopg

SQLSTATES: dict[str, type[TenureError]] = {}
"""Each SQLSTATE of the engine and its class."""


class TenureError(Exception):
    """A refusal by the engine, or by this package before the engine was asked."""

    sqlstate: ClassVar[str | None] = None

    def __init_subclass__(cls, *, code: str, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if code in SQLSTATES:
            raise TypeError(f"SQLSTATE {code} belongs to {SQLSTATES[code].__name__} already")
        cls.sqlstate = code
        SQLSTATES[code] = cls

    def __init__(self, message: str, *, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail or None
        self.hint = hint or None
        if detail:
            self.add_note(f"Detail: {detail}")
        if hint:
            self.add_note(f"Hint: {hint}")


class StepNotFound(TenureError, code="TN001"):
    """No step or run has this id."""


class NotARun(TenureError, code="TN002"):
    """The id is that of a step inside a run; the call wants the run."""


class QueueUnknown(TenureError, code="TN003"):
    """No queue has this name."""


class QueueDiffers(TenureError, code="TN004"):
    """The queue exists, with other settings than those asked for."""


class NameInvalid(TenureError, code="TN005"):
    """A name, owner, queue, signal or key that is missing, empty or longer than 1,000 bytes."""


class DurationInvalid(TenureError, code="TN006"):
    """An interval that is negative, not finite, holds months or exceeds a hundred years."""


class ArgumentInvalid(TenureError, code="TN007"):
    """An argument that makes no sense, contradicts another, or cannot be stored."""


class TooLarge(TenureError, code="TN008"):
    """An input, output, header or progress over its size limit."""


class TimeoutOutOfBounds(TenureError, code="TN009"):
    """A timeout below the queue's floor or above its ceiling."""


class InvalidTransition(TenureError, code="TN010"):
    """The step's state does not allow this."""


class NotFinished(TenureError, code="TN011"):
    """The run has not ended yet: it has no result."""


class RunDiscarded(TenureError, code="TN012"):
    """The run ended without success; `error` is what was stored about it, where that is known."""

    error: Any = None


class RunCancelled(TenureError, code="TN013"):
    """The run was cancelled."""


class StaleLease(TenureError, code="TN014"):
    """The step is no longer leased to this owner and generation."""


class QuotaUnknown(TenureError, code="TN015"):
    """No quota has this name."""


class IsolationLevel(TenureError, code="TN016"):
    """The call needs READ COMMITTED, and the transaction runs under a stricter level."""


class RunPurging(TenureError, code="TN017"):
    """The run is being removed; it cannot be reopened."""


class QueueNotGranted(TenureError, code="TN018"):
    """The queue was granted to others, or the caller was granted other queues."""


class RoleUnknown(TenureError, code="TN019"):
    """No role of the database server has this name."""


class AlreadyInstalled(TenureError, code="TN020"):
    """The database holds the engine already."""


class SchemaMismatch(TenureError, code="TN021"):
    """The database holds no engine, or one of another version than this package."""


class InstallRefused(TenureError, code="TN022"):
    """The database is not fit for this install or upgrade: it says what must be changed first."""


class UpgradeBlocked(TenureError, code="TN023"):
    """Others held a lock for as long as an upgrade was tried; nothing was changed."""


class UninstallRefused(TenureError, code="TN024"):
    """There are unfinished steps, or something of others depends on the engine; nothing was removed."""


class WorkflowUnknown(TenureError, code="TN030"):
    """No workflow has this name."""


class WorkflowInvalid(TenureError, code="TN031"):
    """A definition that makes no graph: a cycle, an unknown key, two producers of one, no nodes."""


class HandlerSignal(Exception):
    """Raised by a handler to say how its step is to end."""


class Permanent(HandlerSignal):
    """The step has failed for good: no retry can help."""


class Uncertain(HandlerSignal):
    """An outside commit was sent and its result is unknown: a retry might do it twice."""


class Retry(HandlerSignal):
    """The step has failed and is to be tried again, after `after` where it is given."""

    def __init__(self, message: str = "", *, after: Duration | None = None) -> None:
        super().__init__(message)
        try:
            self.after = None if after is None else to_timedelta(after)
        except ValueError as error:
            # Refused here, in the handler, and not when the worker reports: by then it is too late.
            raise DurationInvalid("after is no valid duration", detail=str(error)) from None


class Skip(HandlerSignal):
    """There is nothing to do: the step ends `skipped`, with this reason."""

    def __init__(self, reason: object = "") -> None:
        super().__init__(reason)
        self.reason = str(reason)


class NextCalledTwice(RuntimeError):
    """A hook called `next` a second time. Only policies retry: they count attempts and know the limits."""


_NOT_INSTALLED = {"3F000", "42883"}
"""invalid_schema_name and undefined_function: what a database without our functions answers.

Only where no function was on the stack: within one it would be a defect, which is not to be hidden.
"""

_UNTRANSLATABLE = "22P05"
"""untranslatable_character: what a database answers to text that its own encoding does not have."""


def place(conn: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> str:
    """Say which database an open connection is to, for a sentence."""
    return f"database {conn.info.dbname!r} at {conn.info.host}:{conn.info.port}"


def translate(
    error: psycopg.Error | UnicodeEncodeError, conn: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]
) -> TenureError | None:
    """Return the error of ours that stands for `error`, with it as its cause; None: it is none of ours.

    The SQLSTATE alone decides: messages may be translated. `conn` is the connection that it came from.
    """
    ours = _ours(error, conn)
    if ours is not None:
        ours.__cause__ = error
    return ours


def _ours(
    error: psycopg.Error | UnicodeEncodeError, conn: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]
) -> TenureError | None:
    if isinstance(error, UnicodeEncodeError):
        # Of psycopg, on a caller's connection whose client_encoding is narrower than its text.
        return _not_encodable(str(error))
    code, diag = error.sqlstate, error.diag
    if code is None:
        return None
    message = diag.message_primary or str(error)
    if code in SQLSTATES:
        return SQLSTATES[code](message, detail=diag.message_detail, hint=diag.message_hint)
    if code in _NOT_INSTALLED and diag.context is None:
        return SchemaMismatch(
            f"{place(conn)} does not hold the engine's functions",
            detail=message,
            hint="run: tenure migrate --dsn DSN",
        )
    if code == _UNTRANSLATABLE:
        return _not_encodable(message)
    if code.startswith("TN"):
        return TenureError(message, detail=diag.message_detail, hint=diag.message_hint)
    return None


def _not_encodable(detail: str) -> ArgumentInvalid:
    return ArgumentInvalid(
        "text with a character that the encoding of the database, or of the connection, does not have",
        detail=detail,
        hint="Databases whose encoding is UTF8 take any text.",
    )
