"""Outputs and errors that cannot be stored as given: the step's fate never hangs on its decoration."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess

Start = Callable[..., WorkerProcess]


NOT_STORABLE = {
    "nan": "nan",
    "infinity": "inf",
    "nul": "NUL",
    "surrogate": "surrogate",
    "bytes": "bytes",
    "set": "set",
    "keys": "keys are strings",
    "object": "Odd",
    "circular": "contains itself",
    "large": "too large",
}
"""What a handler returns, and what is said about it."""

STORABLE = {
    "big": "y" * 1_000_000,
    "unicode": "ünïcödé \U0001f600 \\ \" '",
    "null": None,
    "false": False,
}

ESCAPED = {
    "nul": "a\\u0000b\\ud800c",
    "no text": "<tests.worker.handlers.NoText, which raised RuntimeError when asked for its text>",
}

NO_ORDERS = [{"number": "seven", "lines": []}, {"lines": []}, None, [1], {"number": 7, "lines": "abc"}]


def test_a_result_that_cannot_be_stored_ends_its_step_once_and_for_all(served: Bench) -> None:
    """No retry would change the result, so none is made."""
    steps = {what: served.enqueue("returns", what) for what in NOT_STORABLE}
    for what, step_id in steps.items():
        step = served.ended(step_id)
        assert (what, step["state"], step["error_kind"]) == (what, "discarded", "permanent")
        assert (step["attempt"], step["lease_generation"]) == (1, 1)
        assert step["error"]["message"].startswith("result not storable: ")
        assert NOT_STORABLE[what] in step["error"]["message"]


def test_other_results_come_back_the_same(served: Bench) -> None:
    steps = {what: served.enqueue("returns", what) for what in STORABLE}
    assert {what: served.ended(step_id)["output"] for what, step_id in steps.items()} == STORABLE
    assert {served.step(step_id)["state"] for step_id in steps.values()} == {"completed"}


def test_an_error_whose_text_cannot_be_stored_is_stored_escaped(served: Bench) -> None:
    """The failure itself must be recorded."""
    steps = {what: served.enqueue("fails", what, max_attempts=1) for what in ESCAPED}
    for what, step_id in steps.items():
        step = served.ended(step_id)
        assert (step["state"], step["error_kind"]) == ("discarded", "retryable")
        assert step["error"]["message"] == ESCAPED[what]


def test_an_error_of_any_size_is_stored_cut(served: Bench) -> None:
    for step_id in [served.enqueue("fails", what, max_attempts=1) for what in ("huge", "long")]:
        step = served.ended(step_id)
        assert (step["state"], step["error_kind"]) == ("discarded", "retryable")
        assert len(json.dumps(step["error"], ensure_ascii=False).encode()) <= 64 * 1024
        assert "characters cut" in step["error"]["message"]


def test_an_input_that_does_not_decode_fails_for_good(served: Bench) -> None:
    for step_id in [served.enqueue("typed", given) for given in NO_ORDERS]:
        step = served.ended(step_id)
        assert (step["state"], step["error_kind"], step["attempt"]) == ("discarded", "permanent", 1)
        assert "input" in step["error"]["message"]


def test_an_input_that_decodes_arrives_as_its_type(served: Bench) -> None:
    assert served.ended(served.enqueue("typed", {"number": 7, "lines": ["a", "b"]}))["output"] == 14


def test_progress_that_is_no_json_is_an_error_of_the_handler(served: Bench) -> None:
    step = served.ended(served.enqueue("bad_progress", max_attempts=1))
    assert (step["state"], step["error_kind"]) == ("discarded", "retryable")
    assert step["error"]["type"] == "tenure.errors.ArgumentInvalid"


def test_a_bad_result_does_not_spoil_those_that_are_reported_with_it(
    bench: Bench, start_worker: Start
) -> None:
    """Every step has a verdict of its own."""
    start_worker(concurrency=100)
    good = [bench.enqueue("returns", "unicode", delay=0.5) for _ in range(20)]
    bad = [bench.enqueue("returns", "nul", delay=0.5) for _ in range(5)]
    assert {bench.ended(step_id)["state"] for step_id in good} == {"completed"}
    assert {bench.ended(step_id)["state"] for step_id in bad} == {"discarded"}
