"""How an execution ended, in the words in which it is reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tenure import _calls, _json
from tenure._calls import Call


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verb and its arguments, plain JSON: it crosses the pipe as it is.

    ========== ==============================================
    complete   output as JSON text, or None
    skip       reason
    fail       error document, kind, delay in seconds or None
    release    nothing
    sleep      seconds, key
    wait_signal signal, seconds or None, key
    settled    verdict: a transaction of the handler committed with the completion inside
    nothing    reason: the database has ended this execution, there is nobody to tell
    ========== ==============================================
    """

    verb: str
    arguments: tuple[Any, ...] = ()

    def call(self, step_id: int, owner: str, generation: int) -> Call[str] | None:
        """The call that reports it; None: nothing is to be reported."""
        lease = (step_id, owner, generation)
        match (self.verb, *self.arguments):
            case ("complete", output):
                return _calls.complete(*lease, output)
            case ("skip", reason):
                return _calls.skip(*lease, reason)
            case ("fail", error, kind, after):
                return _calls.fail(*lease, error, kind=kind, retry_after=after)
            case ("release",):
                return _calls.release(*lease)
            case ("sleep", duration, key):
                return _calls.sleep(*lease, duration, key=key)
            case ("wait_signal", signal, timeout, key):
                return _calls.wait_signal(*lease, signal, timeout=timeout, key=key)
            case ("settled", _) | ("nothing", _):
                return None
            case _:
                raise ValueError(f"no outcome: {self!r:.200}")

    def instead(self, refusal: BaseException) -> Outcome:
        """What to report when the database has refused this, which it would do again; itself: nothing else.

        Decoration goes in ASCII.
        """
        match (self.verb, *self.arguments):
            case ("complete", _):
                return not_storable(refusal)
            case ("sleep" | "wait_signal", *_):
                return failure(refusal, "permanent")
            case ("fail", error, kind, after):
                return Outcome("fail", (in_ascii(error), kind, after))
            case ("skip", reason):
                return Outcome("skip", (in_ascii(reason),))
            case _:
                return self


def in_ascii(value: Any) -> Any:
    """JSON with all else in its texts escaped: a database of any encoding stores that."""
    match value:
        case str():
            return value.encode("ascii", "backslashreplace").decode("ascii")
        case list():
            return [in_ascii(item) for item in value]
        case dict():
            return {key: in_ascii(item) for key, item in value.items()}
        case _:
            return value


RELEASE = Outcome("release")


def failure(
    error: BaseException | Mapping[str, object], kind: str = "retryable", *, after: float | None = None
) -> Outcome:
    """A failure, its error described so that it can always be stored."""
    document = _json.error_document(error) if isinstance(error, BaseException) else dict(error)
    return Outcome("fail", (document, kind, after))


def not_storable(error: BaseException) -> Outcome:
    """The handler succeeded, and what it returned cannot be stored: no retry would change that."""
    document = _json.error_document(error)
    document["message"] = f"result not storable: {document['message']}"
    return failure(document, "permanent")


def dropped(reason: str, name: str) -> Outcome:
    """The outcome of an execution that did not end in time after it was told to stop."""
    match reason:
        case "timed_out":
            return failure(TimeoutError(f"the handler of {name!r} had not ended at its limit"), "timeout")
        case "shutdown":
            return RELEASE
        case _:
            return Outcome("nothing", (reason,))
