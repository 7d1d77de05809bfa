"""Whatever is plain JSON, and whatever is text, comes back as it was, by every way there is."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from tenure import Client, _calls, _json
from tests.client.conftest import OWNER, claim_one, lease

NASTY_TEXTS = [
    "a'b\"c\\d",
    "$$; drop table step; --",
    "$function$",
    "%s %(name)s %%",
    "{1,2}",
    "NULL",
    "\t\n\r\x01\x7f",
    "ünïcödé 𝄞 \u202eRTL\u202c e\u0301 \ufeff",
    "\\u0000",
    " a ",
    "x" * 1000,
    "é" * 500,
    "select",
    "a.b",
    "x" * 63,
    "x" * 64,
]

NASTY_JSON: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    2**53 + 1,
    2**63,
    10**300,
    1.5,
    -0.1,
    1e-300,
    1e15,
    "",
    [],
    {},
    [None, [[]], {"": {}}],
    {"__proto__": None, "a.b": [1, "2"], " ": {"$ref": "#"}},
    *NASTY_TEXTS,
    {text: text for text in NASTY_TEXTS},
    "x" * 900_000,
    [{"n": number} for number in range(10_000)],
]


def nested(depth: int) -> Any:
    value: Any = "core"
    for _ in range(depth):
        value = {"a": value}
    return value


def shown(value: object) -> str:
    return ascii(value)[:40]


@pytest.mark.parametrize("value", [*NASTY_JSON, nested(_json.MAX_DEPTH)], ids=shown)
def test_json_comes_back_by_every_way(value: Any, client: Client, conn: psycopg.Connection[Any]) -> None:
    run = client.enqueue("a", value)
    [other] = client.enqueue_many([{"name": "b", "input": value}])
    assert client.signal(run.id, "s", value) == "kept"
    steps = {step.run_id: step for step in client.call(_calls.claim(["default"], OWNER, max_steps=2))}
    assert steps[run.id].input == steps[other.id].input == value
    step = steps[run.id]
    text = _json.encode(value, what="value", limit=_json.INPUT_BYTES)
    if value is not None:
        stored = client.call(_calls.checkpoint(*lease(step), "key", text))
        assert stored is not None
        assert json.loads(stored) == value
    if len(text.encode()) < _json.PROGRESS_BYTES:
        assert client.call(_calls.heartbeat(*lease(step), text)).verdict == "renewed"
        [progress] = conn.execute(
            "select progress::text from tenure.step_status where step_id = %s", (run.id,)
        ).fetchone() or (None,)
        assert json.loads(str(progress)) == value
    assert client.call(_calls.wait_signal(*lease(step), "s")) == "waiting"
    step = claim_one(client)
    assert step.signal == {**step.waits[0], "signal": "s"}
    assert step.waits == [{"key": "signal:s:1", "kind": "signal", "outcome": "arrived", "payload": value}]
    assert client.call(_calls.complete(*lease(step), text)) == "completed"
    assert run.result(timeout=5) == value


@pytest.mark.parametrize("value", [1e16, 1e23, -1.7976931348623157e308])
def test_a_huge_float_comes_back_as_the_integer_that_its_digits_mean(value: float, client: Client) -> None:
    """PostgreSQL's jsonb knows numbers, not floats; whoever needs a float says so in the annotation."""
    client.enqueue("a", value)
    stored = claim_one(client).input
    assert isinstance(stored, int)
    assert float(stored) == value


@pytest.mark.parametrize("text", NASTY_TEXTS, ids=shown)
def test_names_come_back_as_they_were(text: str, client: Client) -> None:
    client.create_queue(text)
    run = client.enqueue(text, queue=text, idempotency_key=text, headers={text: text})
    assert client.enqueue(text, {"another": "input"}, queue=text, idempotency_key=text) == run
    [step] = client.call(_calls.claim([text], text, names=[text]))
    assert (step.run_id, step.name, step.queue, step.headers) == (run.id, text, text, {text: text})
    assert client.call(_calls.sleep(step.step_id, text, step.generation, 0, key=text)) == "sleeping"
    client.sweep()
    [step] = client.call(_calls.claim([text], text))
    assert [wait["key"] for wait in step.waits] == [text]
    document = {"type": text[:300], "message": text, "traceback": text}
    lease_of_text = (step.step_id, text, step.generation)
    assert client.call(_calls.fail(*lease_of_text, document, kind="permanent")) == "discarded"
    assert run.status().error == {**run.status().error, **document}


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError

    __repr__ = __str__


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a\0b\ud800c"),
        ValueError("x" * 10_000_000),
        ValueError("\0" * 1_000_000),
        ValueError("𝄞" * 1_000_000),
        Unspeakable(),
        ExceptionGroup("many", [ValueError("\0"), Unspeakable()]),
        KeyError(Unspeakable()),
        type("N" * 10_000, (Exception,), {})("long name"),
    ],
    ids=lambda error: type(error).__name__[:20],
)
def test_the_fate_of_a_step_does_not_hang_on_its_errors_text(error: Exception, client: Client) -> None:
    run = client.enqueue("a")
    assert client.call(_calls.fail(*lease(claim_one(client)), error, kind="permanent")) == "discarded"
    stored = run.status().error
    assert {"type", "message", "traceback"} <= stored.keys()
    assert len(json.dumps(stored, ensure_ascii=False).encode()) <= 64 * 1024
    assert stored["type"][:10] in _json.type_name(type(error))
