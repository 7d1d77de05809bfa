"""Threads of a delivery: told, never interrupted, and watched until they have ended."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest

from tenure.worker._threads import Threads
from tests.support.wait import LIMIT

WHO = contextvars.ContextVar("WHO", default="nobody")


def test_all_of_a_delivery_runs_in_one_thread_and_sees_its_context() -> None:
    async def scene() -> None:
        threads = Threads("step 1")
        WHO.set("me")
        first = await threads.run(threading.get_ident)
        assert await threads.run(threading.get_ident) == first != threading.get_ident()
        assert await threads.aside(threading.get_ident) != first
        assert await threads.run(WHO.get) == "me"
        threads.close()
        assert not threads.busy

    asyncio.run(scene())


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), ValueError()]
)
def test_whatever_foreign_code_raises_is_raised_where_it_is_awaited(error: BaseException) -> None:
    async def scene() -> None:
        def fail() -> None:
            raise error

        with pytest.raises(type(error)):
            await Threads("step 1").run(fail)

    asyncio.run(scene())


def test_a_stop_iteration_does_not_hang_whoever_waits() -> None:
    async def scene() -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            await Threads("step 1").run(lambda: next(iter(())))

    asyncio.run(scene())


def test_a_thread_that_does_not_come_back_is_busy_and_shows_where_it_is() -> None:
    """R-320."""

    async def scene() -> None:
        gate, idle = threading.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()
        threads = Threads("step 1")
        waiting = threads.run(gate.wait)
        await threads.aside(lambda: None)
        waiting.cancel()
        threads.close()
        assert threads.busy
        assert not threads.interrupt()
        assert "self._cond.wait" in threads.stacks()
        assert "_threads.py" not in threads.stacks()
        threads.when_idle(lambda: loop.call_soon_threadsafe(idle.set))
        gate.set()
        await idle.wait()
        assert threads.stacks() == ""

    asyncio.run(scene())


_INTERRUPTED = """
import asyncio, signal, sys, threading, time
from tenure.worker._threads import MainLane

lane, inside = MainLane(), threading.Event()
assert not lane.interrupt()

def foreign():
    try:
        if "lost" in sys.argv:
            ours = signal.signal(signal.SIGTERM, lambda *_: signal.signal(signal.SIGTERM, ours))
        inside.set()
        time.sleep(600)
    finally:
        print("finally")

def other():
    lane.submit(lambda: eval(sys.argv[1])).result()
    future = lane.submit(foreign)
    inside.wait()
    while not lane.interrupt():
        pass
    try:
        future.result()
    except BaseException as error:
        print(type(error).__name__)
    print(lane.submit(lambda: "goes on").result())
    lane.close()

threading.Thread(target=other).start()
lane.serve()
"""


@pytest.mark.parametrize(
    "scene",
    [
        ["None"],
        ["signal.signal(signal.SIGTERM, signal.SIG_IGN)"],
        ["signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})"],
        ["None", "lost"],
    ],
)
def test_what_the_main_thread_of_a_process_runs_can_be_interrupted(scene: list[str]) -> None:
    """R-321: it leaves a system call, runs its finally blocks, and the lane takes the next piece of work.

    R-390: whatever ran before it has made of the signal. R-391: although the first signal is lost.
    """
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED, *scene],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    assert done.stdout.split("\n") == ["finally", "CancelledError", "goes on", ""]
