"""What the kernel tells of processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tenure.worker._groups import left_by, living, signal_group
from tests.support.wait import LIMIT, wait_until


def test_a_zombie_counts_as_dead_and_its_group_is_found_without_its_leader() -> None:
    """R-322, R-323."""
    leader = subprocess.Popen(
        ["sh", "-c", "sleep 600 & sleep 600 & exit 3"], start_new_session=True, stdout=subprocess.DEVNULL
    )
    wait_until(lambda: leader.pid not in living(leader.pid), what="the leader is a zombie")
    assert leader.returncode is None
    assert len(living(leader.pid)) == 2
    signal_group(leader.pid, signal.SIGKILL)
    wait_until(lambda: not living(leader.pid), what="the group has ended")
    assert leader.wait() == 3
    # Nobody is left to get it.
    signal_group(leader.pid, signal.SIGKILL)


_SETSID = """
import subprocess, sys, time
from tenure.worker._groups import adopt_orphans
adopt_orphans()
subprocess.run(["sh", "-c", "setsid sleep 600 & sleep 600 &"])
print("there", flush=True)
sys.stdin.read()
"""


def test_what_has_left_the_group_is_found_among_the_descendants() -> None:
    """R-324: also when its parent has ended before."""
    began = time.clock_gettime(time.CLOCK_BOOTTIME)
    with subprocess.Popen(
        [sys.executable, "-c", _SETSID],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as leader:
        assert leader.stdout is not None
        assert leader.stdin is not None
        leader.stdout.readline()
        (stray,) = wait_until(lambda: left_by(leader.pid, began - 1).strayed)
        wait_until(lambda: Path(f"/proc/{stray}/comm").read_text() == "sleep\n")
        assert left_by(leader.pid, time.clock_gettime(time.CLOCK_BOOTTIME) + 1).strayed == []
        os.kill(stray, signal.SIGKILL)
        wait_until(lambda: not left_by(leader.pid, began - 1).strayed)
        signal_group(leader.pid, signal.SIGKILL)
        leader.stdin.close()


def test_what_stays_in_the_group_is_found_whenever_it_was_started_and_without_its_leader() -> None:
    """R-388: the children of a leader that is a zombie are not its own any more."""
    leader = subprocess.Popen(
        ["sh", "-c", "sleep 600 & read line"],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert leader.stdin is not None
    later = time.clock_gettime(time.CLOCK_BOOTTIME) + 600
    (child,) = wait_until(lambda: left_by(leader.pid, later).stayed)
    leader.stdin.close()
    wait_until(lambda: leader.pid not in living(leader.pid), what="the leader is a zombie")
    assert left_by(leader.pid, later).stayed == [child]
    signal_group(leader.pid, signal.SIGKILL)
    wait_until(lambda: left_by(leader.pid, later).stayed == [], what="the group has ended")
    leader.wait()


_PARENT = """
import subprocess, sys, os
child = subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())], start_new_session=True)
print(child.pid, flush=True)
sys.stdin.read()
"""

_CHILD = """
import ctypes, sys
from tenure.worker._groups import end_with
end_with(int(sys.argv[1]))
print("ready", flush=True)
mutex = ctypes.create_string_buffer(256)
for _ in range(2):
    ctypes.PyDLL(None).pthread_mutex_lock(mutex)
"""


def test_a_process_ends_with_its_parent_even_while_c_code_holds_its_interpreter() -> None:
    """R-325: it waits for a mutex for ever, and no signal that it survives ends that."""
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        words = {parent.stdout.readline().strip(), parent.stdout.readline().strip()}
        (pid,) = [int(word) for word in words if word != "ready"]
        assert living(pid) == [pid]
        parent.kill()
        try:
            wait_until(lambda: not living(pid), limit=LIMIT / 2, what="the child has ended")
        finally:
            signal_group(pid, signal.SIGKILL)
