"""Process handlers: one process each, which is killed when its handler does not stop, and no other."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tenure.worker._groups import living
from tests.support.wait import wait_until
from tests.worker.bench import Bench
from tests.worker.processes import WorkerProcess
from tests.worker.test_shutdown import report

Start = Callable[..., WorkerProcess]

APP = "tests.worker.bodies:app"

FAST = {"kind": "fixed", "base": 0.05, "jitter": 0}


def pid_of(bench: Bench, step_id: int, times: int = 1) -> int:
    return bench.traced(step_id, "started", times)[-1].pid


def test_a_process_handler_runs_in_the_main_thread_of_a_session_of_its_own(
    bench: Bench, start_worker: Start
) -> None:
    """R-326."""
    worker = start_worker(app=APP)
    bench.open("gate")
    output = bench.ended(bench.enqueue("works", "gate"))["output"]
    assert output["main"]
    assert output["pid"] == output["group"] == output["session"] != worker.pid
    # An async one too, and the process is kept for the next.
    assert bench.ended(bench.enqueue("works_async", "gate"))["output"] == output["pid"]
    worker.stop()
    assert worker.gone()


def test_process_handlers_share_no_process_while_they_run(bench: Bench, start_worker: Start) -> None:
    """R-326: one each, and no more of them than the worker has slots."""
    start_worker(app=APP, concurrency=3)
    steps = [bench.enqueue("works", "gate") for _ in range(5)]
    wait_until(lambda: bench.value("select count(distinct pid) from trace where event = 'started'") == 3)
    assert bench.value("select count(*) from tenure.step_status where state = 'running'") == 3
    bench.open("gate")
    assert {bench.ended(step_id)["state"] for step_id in steps} == {"completed"}


def test_a_process_that_ignores_its_limit_is_killed_and_no_other(bench: Bench, start_worker: Start) -> None:
    """R-327: its neighbours never notice."""
    start_worker(app=APP, poll_interval=600)
    neighbour, beside = bench.enqueue("works", "gate"), bench.enqueue("waits", "gate")
    pid = pid_of(bench, neighbour)
    bench.traced(beside, "started")
    step_id = bench.enqueue("ignores", "never", timeout=2.0, max_attempts=2, backoff=FAST)
    first = pid_of(bench, step_id)
    second = pid_of(bench, step_id, 2)
    assert len({first, second, pid}) == 3
    # The second attempt began after the first was dead, which was at its limit and not long after.
    assert not living(first)
    between = (
        "select extract(epoch from max(at) - min(at)) from trace where step_id = %s and event = 'started'"
    )
    assert bench.value(between, step_id) < 5
    step = bench.ended(step_id)
    assert (step["state"], step["error_kind"], step["reclaims"]) == ("discarded", "timeout", 0)
    wait_until(lambda: not living(second))
    bench.open("gate")
    assert bench.ended(neighbour)["output"]["pid"] == pid
    for other in (neighbour, beside):
        assert bench.step(other)["lease_generation"] == 1


def test_a_process_that_blocks_in_c_with_the_interpreter_held_is_killed(
    bench: Bench, start_worker: Start
) -> None:
    """R-327: nothing in it can answer any more, so the supervisor does it; and no sweep does it first."""
    start_worker(app=APP, poll_interval=600)
    step_id = bench.enqueue("holds", timeout=2.0, max_attempts=1)
    pid = pid_of(bench, step_id)
    step = bench.ended(step_id)
    assert not living(pid)
    assert step["error_kind"] == "timeout"
    assert (step["finished_at"] - step["started_at"]).total_seconds() < 5
    assert bench.ended(bench.enqueue("works_async", ""))["state"] == "completed"


def test_a_process_is_interrupted_before_it_is_killed(bench: Bench, start_worker: Start) -> None:
    """R-321: it leaves its system call and its finally blocks run."""
    start_worker(app=APP)
    step_id = bench.enqueue("unwinds", timeout=4.0, max_attempts=1)
    pid = pid_of(bench, step_id)
    assert bench.traced(step_id, "finally")[0].value == "timed_out"
    assert bench.ended(step_id)["error_kind"] == "timeout"
    # It has come back and goes on to serve.
    assert bench.ended(bench.enqueue("works_async", ""))["output"] == pid


def test_a_cancelled_process_is_killed_when_it_ignores_that(
    bench: Bench, start_worker: Start, tmp_path: Path
) -> None:
    """R-327: also without a limit; nothing is reported, and the programs that it started are asked first."""
    start_worker(app=APP)
    note = tmp_path / "note"
    step_id = bench.enqueue("ignores_with_program", str(note))
    pid = pid_of(bench, step_id)
    bench.value("select tenure.cancel(%s, null)", step_id)
    wait_until(lambda: not living(pid))
    assert bench.step(step_id)["state"] == "cancelled"
    assert note.read_text() == "told\n"


def test_a_process_that_dies_is_replaced_alone_and_its_lease_runs_out(
    bench: Bench, start_worker: Start
) -> None:
    """R-328: nobody knows what it did, so that is a crash."""
    start_worker(app=APP, lease_ttl=1)
    neighbour = bench.enqueue("works", "gate")
    pid = pid_of(bench, neighbour)
    step_id = bench.enqueue("dies")
    step = bench.ended(step_id)
    assert (step["output"], step["attempt"], step["reclaims"], step["releases"]) == ("alive", 1, 1, 0)
    bench.open("gate")
    assert bench.ended(neighbour)["output"]["pid"] == pid
    assert bench.step(neighbour)["reclaims"] == 0


def test_what_a_handler_has_started_is_killed_with_it(bench: Bench, start_worker: Start) -> None:
    """R-322: a fork that ignores SIGTERM."""
    worker = start_worker(app=APP, poll_interval=600)
    step_id = bench.enqueue("forks", {}, timeout=2.0, max_attempts=1)
    (trace,) = bench.traced(step_id, "started")
    assert bench.ended(step_id)["error_kind"] == "timeout"
    assert not living(trace.pid)
    worker.stop()
    assert report(bench)["abandoned"] == []


def test_the_group_is_killed_although_its_leader_has_gone(bench: Bench, start_worker: Start) -> None:
    """R-322."""
    start_worker(app=APP, lease_ttl=60)
    step_id = bench.enqueue("forks", {"die": True})
    (trace,) = bench.traced(step_id, "started")
    assert trace.value != str(trace.pid)
    wait_until(lambda: not living(trace.pid), what="the orphan has been killed")
    assert bench.step(step_id)["state"] == "running"


def test_what_has_left_the_group_is_reported_as_unproven(bench: Bench, start_worker: Start) -> None:
    """R-324: by setsid, or as a daemon; nobody knows how to end it, and nobody says that it has ended."""
    worker = start_worker(app=APP)
    steps = [bench.enqueue("forks", {how: True}, timeout=2.0, max_attempts=1) for how in ("leave", "daemon")]
    strays = {str(step_id): int(bench.traced(step_id, "started")[0].value) for step_id in steps}
    assert {bench.ended(step_id)["error_kind"] for step_id in steps} == {"timeout"}
    worker.stop()
    abandoned = report(bench)["abandoned"]
    for stray in strays.values():
        assert Path(f"/proc/{stray}").exists()
        os.kill(stray, signal.SIGKILL)
    assert {entry["step_id"]: entry["processes"] for entry in abandoned} == {
        step_id: [stray] for step_id, stray in strays.items()
    }
    assert {entry["proof"] for entry in abandoned} == {None}


def test_a_step_with_such_a_stray_is_not_handed_back(bench: Bench, start_worker: Start) -> None:
    """R-324: a release needs proof; its lease runs out instead."""
    worker = start_worker(app=APP, shutdown_timeout=0)
    step_id = bench.enqueue("forks", {"leave": True})
    stray = int(bench.traced(step_id, "started")[0].value)
    worker.stop()
    step = bench.step(step_id)
    assert (step["state"], step["releases"]) == ("running", 0)
    assert report(bench)["abandoned"][0]["processes"] == [stray]
    os.kill(stray, signal.SIGKILL)


def test_what_a_handler_that_stops_has_left_behind_is_reported_too(bench: Bench, start_worker: Start) -> None:
    """R-324: nothing had to be killed; and its process is not used again."""
    worker = start_worker(app=APP, concurrency=1)
    step_id = bench.enqueue("forks", {"leave": True, "stop": True}, timeout=2.0, max_attempts=1)
    (trace,) = bench.traced(step_id, "started")
    assert bench.ended(step_id)["error_kind"] == "timeout"
    assert bench.ended(bench.enqueue("works_async", ""))["output"] != trace.pid
    worker.stop()
    (entry,) = report(bench)["abandoned"]
    assert (entry["proof"], entry["processes"]) == (None, [int(trace.value)])
    os.kill(int(trace.value), signal.SIGKILL)


def test_a_step_that_stops_at_a_shutdown_and_has_a_stray_is_not_handed_back(
    bench: Bench, start_worker: Start
) -> None:
    """R-324, R-313."""
    worker = start_worker(app=APP, shutdown_timeout=0)
    step_id = bench.enqueue("forks", {"leave": True, "stop": True})
    stray = int(bench.traced(step_id, "started")[0].value)
    worker.stop()
    step = bench.step(step_id)
    assert (step["state"], step["releases"]) == ("running", 0)
    assert report(bench)["abandoned"][0]["processes"] == [stray]
    os.kill(stray, signal.SIGKILL)


@pytest.mark.parametrize("handler", ["computes", "computes_apart"])
def test_what_a_handler_forks_can_be_ended_by_a_signal(
    bench: Bench, start_worker: Start, handler: str
) -> None:
    """R-397: as pools of processes are; its own processes take no notice of signals."""
    start_worker(app=APP)
    assert bench.ended(bench.enqueue(handler))["output"] == [1, 2]


def test_busy_processes_end_with_their_supervisor(bench: Bench, start_worker: Start) -> None:
    """R-325: one ignores everything, one blocks in C, one is told; so does what one has started."""
    worker = start_worker(app=APP)
    steps = [bench.enqueue("ignores", "never"), bench.enqueue("holds"), bench.enqueue("works", "never")]
    steps.append(bench.enqueue("forks", {"stop": True}))
    pids = [pid_of(bench, step_id) for step_id in steps]
    worker.send(signal.SIGKILL)
    worker.wait()
    for pid in pids:
        wait_until(lambda pid=pid: not living(pid), what="the process has left")  # type: ignore[misc]
    assert bench.traces(steps[2], "stopped")[0].value == "lease_lost"


def test_a_process_that_is_in_the_way_of_a_shutdown_is_killed_and_its_step_handed_back(
    bench: Bench, start_worker: Start
) -> None:
    """R-327, R-313."""
    worker = start_worker(app=APP, shutdown_timeout=0)
    steps = [bench.enqueue("ignores", "never"), bench.enqueue("holds")]
    for step_id in steps:
        pid_of(bench, step_id)
    worker.stop()
    for step_id in steps:
        step = bench.step(step_id)
        assert (step["state"], step["attempt"], step["releases"]) == ("available", 1, 1)
    assert {entry["proof"] for entry in report(bench)["released"]} == {"process ended"}


def test_processes_with_nothing_to_run_end_when_a_drain_begins(bench: Bench, start_worker: Start) -> None:
    """R-316: the process of async and thread handlers, and the one in reserve; no kill is needed."""
    worker = start_worker(app=APP, shutdown_timeout=600)
    step_id = bench.enqueue("works", "gate")
    pid_of(bench, step_id)
    assert bench.ended(bench.enqueue("works_async", ""))["state"] == "completed"
    worker.send()
    wait_until(lambda: worker.count() == 2, what="the worker and the process at work are left")
    bench.open("gate")
    assert worker.wait() == 0, worker.output
    assert bench.step(step_id)["state"] == "completed"
    assert "is killed" not in worker.output


def test_under_wait_the_next_body_starts_when_the_first_is_dead(bench: Bench, start_worker: Start) -> None:
    """R-329."""
    start_worker(app=APP)
    step_id = bench.enqueue("ignores", "never", timeout=2.0, max_attempts=2, backoff=FAST, on_timeout="wait")
    first = pid_of(bench, step_id)
    pid_of(bench, step_id, 2)
    assert not living(first)
    assert bench.ended(step_id)["error_kind"] == "timeout"


def test_under_wait_the_next_body_starts_when_all_of_the_first_is_dead(
    bench: Bench, start_worker: Start
) -> None:
    """R-388, R-329: its handler stops when told, and its fork does not."""
    worker = start_worker(app=APP)
    step_id = bench.enqueue(
        "forks", {"stop": True}, timeout=2.0, max_attempts=2, backoff=FAST, on_timeout="wait"
    )
    first = pid_of(bench, step_id)
    second = pid_of(bench, step_id, 2)
    assert first != second
    assert not living(first)
    assert bench.ended(step_id)["error_kind"] == "timeout"
    assert not living(second)
    worker.stop()
    assert report(bench)["abandoned"] == []


def test_at_a_shutdown_a_step_is_handed_back_when_its_fork_is_dead(bench: Bench, start_worker: Start) -> None:
    """R-388, R-313."""
    worker = start_worker(app=APP, shutdown_timeout=0)
    step_id = bench.enqueue("forks", {"stop": True})
    pid = pid_of(bench, step_id)
    with bench.slow_commit_of("available") as waits:
        worker.send()
        wait_until(waits, what="the release is about to commit")
        assert not living(pid)
    assert worker.wait() == 0, worker.output
    (entry,) = report(bench)["released"]
    assert (entry["step_id"], entry["proof"]) == (str(step_id), "process ended")
    assert bench.step(step_id)["releases"] == 1


def test_a_fork_may_stay_after_a_completion_and_is_no_proof_for_what_comes_next(
    bench: Bench, start_worker: Start
) -> None:
    """R-389: the process is used again; the fork may be at work for the next step."""
    start_worker(app=APP, concurrency=1)
    pid, fork = bench.ended(bench.enqueue("forks_and_returns"))["output"]
    assert bench.ended(bench.enqueue("works_async", ""))["output"] == pid
    step_id = bench.enqueue("unwinds", timeout=2.0, max_attempts=1)
    assert pid_of(bench, step_id) == pid
    assert sorted(living(pid)) == sorted([pid, fork])
    assert bench.ended(step_id)["error_kind"] == "timeout"
    assert not living(pid)
