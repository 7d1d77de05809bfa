"""Asynchronous handlers in processes of their own: their loop has the main thread, and can be interrupted."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import tenure
from tenure.worker._budget import Budget
from tenure.worker._execution import Execution
from tenure.worker._groups import living
from tenure.worker._pool import CURRENT
from tenure.worker._threads import MainLane, Threads
from tenure.worker._wheel import Wheel
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.stage import BEGIN, Stage
from tests.worker.test_host import CLAIMED
from tests.worker.test_shutdown import report

Start = Callable[..., WorkerProcess]

APP = "tests.worker.bodies:app"


def test_each_handler_of_a_process_has_its_main_thread_in_turn(bench: Bench, start_worker: Start) -> None:
    """R-396: whether it runs there by itself or in its loop."""
    start_worker(app=APP)
    bench.open("gate")
    names = ["works", "blocks_apart", "blocks_apart", "works", "blocks_apart"]
    outputs = [bench.ended(bench.enqueue(name, "gate"))["output"] for name in names]
    assert [output["main"] for output in outputs] == [True] * 5
    assert len({output["pid"] for output in outputs}) == 1


@pytest.mark.parametrize("how", ["timed_out", "cancelled", "shutdown"])
def test_one_that_blocks_its_loop_is_interrupted_and_cleans_up(
    bench: Bench, start_worker: Start, how: str
) -> None:
    """R-396, R-321: as a synchronous one, while it still has time for that."""
    worker = start_worker(app=APP, shutdown_timeout=0)
    step_id = bench.enqueue(
        "blocks_apart", "never", timeout=4.0 if how == "timed_out" else 600.0, max_attempts=1
    )
    pid = bench.traced(step_id, "started")[0].pid
    if how == "cancelled":
        bench.value("select tenure.cancel(%s, null)", step_id)
    if how == "shutdown":
        worker.stop()
        (entry,) = report(bench)["released"]
        assert (entry["step_id"], entry["proof"]) == (str(step_id), "returned")
    assert [trace.value for trace in bench.traced(step_id, "interrupted")] == [how]
    assert [trace.value for trace in bench.traced(step_id, "put away")] == [how]
    if how == "timed_out":
        assert bench.ended(step_id)["error_kind"] == "timeout"
    if how != "shutdown":
        assert bench.ended(bench.enqueue("works_async", ""))["output"] == pid


@pytest.mark.parametrize("where", ["child", "callback"])
def test_so_is_one_that_blocks_it_in_what_it_has_begun_there(
    bench: Bench, start_worker: Start, where: str
) -> None:
    """R-396: a task of its own, a callback."""
    start_worker(app=APP)
    step_id = bench.enqueue("blocks_apart", f"{where} never", timeout=4.0, max_attempts=1)
    pid = bench.traced(step_id, "started")[0].pid
    assert [trace.value for trace in bench.traced(step_id, "interrupted")] == ["timed_out"]
    assert [trace.value for trace in bench.traced(step_id, "put away")] == ["timed_out"]
    assert bench.ended(step_id)["error_kind"] == "timeout"
    assert bench.ended(bench.enqueue("works_async", ""))["output"] == pid


def test_what_is_interrupted_in_the_task_of_a_hook_cleans_up_too(bench: Bench, start_worker: Start) -> None:
    """R-396: it is not cancelled once more, which would cut that off."""
    start_worker(app="tests.worker.wrapped:app")
    step_id = bench.enqueue("blocks", timeout=4.0, max_attempts=1)
    assert [trace.value for trace in bench.traced(step_id, "interrupted")] == ["timed_out"]
    assert [trace.value for trace in bench.traced(step_id, "put away")] == ["timed_out"]
    assert bench.ended(step_id)["error_kind"] == "timeout"


class Counting(MainLane):
    """Says how often it was to interrupt."""

    interruptions = 0

    def interrupt(self) -> bool:
        self.interruptions += 1
        return True


def test_a_cleanup_block_is_not_broken_into() -> None:
    """R-396, R-347: nor is what has not begun, or has ended."""
    stage, lane = Stage(), Counting()

    @stage.app.step
    async def cleans(ctx: tenure.Context, input: Any) -> None: ...

    async def scene() -> list[int]:
        execution = Execution(
            *(stage.app.steps["cleans"], replace(CLAIMED, name="cleans"), Budget.of(BEGIN, 40.0)),
            host=stage,
            dsn="",
            owner="stage",
            threads=Threads("step", lane),
        )
        counts = []
        for change in (lambda: None, execution.open, execution.shield, execution.unshield, execution.shut):
            change()
            execution.break_in()
            counts.append(lane.interruptions)
        return counts

    assert stage.run(scene()) == [0, 1, 1, 2, 2]


def test_one_that_goes_on_is_killed(bench: Bench, start_worker: Start) -> None:
    """R-396, R-327."""
    start_worker(app=APP)
    step_id = bench.enqueue("blocks_apart", "deaf never", timeout=4.0, max_attempts=1)
    pid = bench.traced(step_id, "started")[0].pid
    assert bench.ended(step_id)["error_kind"] == "timeout"
    wait_until(lambda: not living(pid))
    # By its time being over, and once more by SIGTERM.
    assert {trace.value for trace in bench.traced(step_id, "interrupted")} == {"timed_out"}


@pytest.fixture
def terminable() -> Iterator[None]:
    """This process hears SIGTERM afterwards as it did before."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def turned(wheel: Wheel, main: Coroutine[Any, Any, None]) -> None:
    """Run it as a process does, whose main thread is this one."""

    def turn() -> None:
        try:
            wheel.run(main)
        finally:
            wheel.lane.close()

    thread = threading.Thread(target=turn)
    thread.start()
    wheel.lane.serve()
    thread.join()


@pytest.mark.usefixtures("terminable")
def test_an_interruption_that_has_hit_nobody_is_not_kept_for_the_next_handler() -> None:
    """R-396, R-390: a signal to every process, which asks a worker to drain, would carry it out."""
    wheel, went_on = Wheel(MainLane()), list[bool]()

    async def handle() -> None:
        wheel.lane.interrupt()
        wheel.begin(lambda: None, in_main=True)
        CURRENT.set(SimpleNamespace(ended=False))  # type: ignore[arg-type]
        signal.raise_signal(signal.SIGTERM)
        went_on.append(True)

    turned(wheel, handle())
    assert went_on == [True]


@pytest.mark.usefixtures("terminable")
def test_a_loop_is_turned_by_one_thread_or_the_other() -> None:
    """R-396: and what has been scheduled goes on there."""
    seen = list[bool]()

    async def look(wheel: Wheel) -> None:
        for in_main in (False, True, True, False, True):
            begun = asyncio.Event()

            def begin(begun: asyncio.Event = begun) -> None:
                seen.append(threading.current_thread() is threading.main_thread())
                begun.set()

            wheel.begin(begin, in_main=in_main)
            await begun.wait()
            seen.append(threading.current_thread() is threading.main_thread())
            wheel.end()
            await asyncio.sleep(0.001)
            assert threading.current_thread() is threading.main_thread()

    wheel = Wheel(MainLane())
    turned(wheel, look(wheel))
    assert seen == [False, False, True, True, True, True, False, False, True, True]
