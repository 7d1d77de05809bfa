"""Threads that asynchronous handlers ask the loop for count as theirs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from tenure.worker._pool import CURRENT, Pool
from tenure.worker._threads import Threads
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.test_shutdown import report

Start = Callable[..., WorkerProcess]

APP = "tests.worker.bodies:app"

FAST = {"kind": "fixed", "base": 0.05, "jitter": 0}


def test_under_wait_no_second_body_starts_beside_the_thread_of_the_first(
    bench: Bench, start_worker: Start
) -> None:
    """R-392, R-352: though its handler has been stopped long ago."""
    worker = start_worker(app=APP, lease_ttl=1)
    step_id = bench.enqueue(
        "sits_aside", "gate", timeout=2.0, max_attempts=2, backoff=FAST, on_timeout="wait"
    )
    bench.traced(step_id, "started")
    first = bench.step(step_id)["lease_expiry"]
    wait_until(lambda: (bench.step(step_id)["lease_expiry"] - first).total_seconds() > 4)
    assert len(bench.traces(step_id, "started")) == 1
    assert f"step {step_id}: its time is over and it has not ended: it keeps its slot" in worker.output
    bench.open("gate")
    assert bench.ended(step_id)["attempt"] == 2
    order = "select array_agg(event order by id) from trace where step_id = %s"
    assert bench.value(order, step_id) == ["started", "returned", "started", "returned"]


def test_a_step_is_not_handed_back_while_a_thread_of_its_handler_runs(
    bench: Bench, start_worker: Start
) -> None:
    """R-392, R-313: its process is ended first; and that does not wait for the thread."""
    worker = start_worker(app=APP, shutdown_timeout=0)
    step_id = bench.enqueue("sits_aside", "never")
    bench.traced(step_id, "started")
    worker.stop()
    (entry,) = report(bench)["released"]
    assert (entry["step_id"], entry["proof"]) == (str(step_id), "process ended")
    assert "in hold\n" in entry["stack"]


class Delivery:
    """A delivery under way, as the pool knows it."""

    def __init__(self, threads: Any, *, ended: bool = False) -> None:
        self.threads = threads
        self.ended = ended

    async def run(self, function: Callable[[], Any]) -> Any:
        """Run it in a thread of the loop's, as a handler does."""
        CURRENT.set(self)  # type: ignore[arg-type]
        return await asyncio.to_thread(function)


def test_threads_that_do_not_come_back_take_none_from_other_deliveries() -> None:
    """R-392: nor does their process wait for them at its end."""
    gate = threading.Event()

    async def scene() -> list[bool]:
        asyncio.get_running_loop().set_default_executor(Pool())
        stuck = [Delivery(Threads(f"step {number}")) for number in range(40)]
        tasks = [asyncio.create_task(delivery.run(gate.wait)) for delivery in stuck]
        await asyncio.sleep(0)
        other = Delivery(Threads("step 41"))
        # In a task, which has a context of its own.
        assert await asyncio.create_task(other.run(lambda: "well")) == "well"
        for task in tasks:
            task.cancel()
        assert not other.threads.busy
        return [delivery.threads.busy for delivery in stuck]

    try:
        assert asyncio.run(scene()) == [True] * 40
    finally:
        gate.set()


class Unhashable:
    """A callable that is equal to nothing, and says so by raising."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("compared")

    def __call__(self) -> str:
        return "well"


def test_anything_that_can_be_called_can_be_run() -> None:
    """R-392."""

    async def scene() -> Any:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(Pool())
        CURRENT.set(Delivery(Threads("step 1")))  # type: ignore[arg-type]
        return await loop.run_in_executor(None, Unhashable())

    assert asyncio.run(scene()) == "well"


def test_what_has_not_begun_when_its_delivery_ends_never_does() -> None:
    """R-392."""
    gate, begun = threading.Event(), list[int]()

    def sit(number: int) -> None:
        begun.append(number)
        gate.wait()

    async def scene() -> None:
        threads, idle = Threads("step 1"), asyncio.Event()
        loop = asyncio.get_running_loop()
        futures = [threads.pooled(partial(sit, number)) for number in range(100)]
        wait_until(lambda: begun)
        threads.close_pool()
        assert threads.busy
        threads.when_idle(lambda: loop.call_soon_threadsafe(idle.set))
        gate.set()
        await idle.wait()
        assert sum(future.cancelled() for future in futures) == 100 - len(begun) > 0

    asyncio.run(scene())


def refuse(_function: object) -> NoReturn:
    raise AssertionError("it is none of the delivery's")


@pytest.mark.parametrize("ended", [False, True])
def test_what_the_loop_asks_for_itself_and_what_comes_late_are_nobodys(ended: bool) -> None:
    """R-392."""

    async def scene() -> Any:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(Pool())
        delivery = Delivery(SimpleNamespace(pooled=refuse), ended=ended)
        if ended:
            return await delivery.run(lambda: "well")
        CURRENT.set(delivery)  # type: ignore[arg-type]
        return (await loop.getaddrinfo("127.0.0.1", 80)) and "well"

    assert asyncio.run(scene()) == "well"
