"""Processes and their groups, as the kernel tells of them: Linux, and nothing else."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")

_SET_PDEATHSIG = 1
_SET_CHILD_SUBREAPER = 36

_DEAD = frozenset("ZX")
"""States of what has ended: a zombie is only waited for by its parent."""


@dataclass(frozen=True, slots=True)
class Process:
    """One line of the process table."""

    pid: int
    parent: int
    group: int
    dead: bool
    started_by: float
    """When it had started, at the latest: seconds since the machine did."""


def processes() -> Iterator[Process]:
    """What runs on this machine now."""
    ticks = os.sysconf("SC_CLK_TCK")
    for folder in _PROC.glob("[0-9]*"):
        # Ended meanwhile, or hidden, and then none of ours.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            # The name, in parentheses, may hold anything: what follows the last of them are numbers.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            yield Process(
                pid=int(folder.name),
                parent=int(fields[1]),
                group=int(fields[2]),
                dead=fields[0].decode() in _DEAD,
                started_by=(int(fields[19]) + 1) / ticks,
            )


def living(group: int) -> list[int]:
    """The processes of a group that have not ended, its leader or not."""
    return [process.pid for process in processes() if process.group == group and not process.dead]


def _childless(leader: int) -> bool:
    """Whether it is certain, without a look at all processes, that it has no child: most never have one."""
    try:
        return not any((task / "children").read_bytes() for task in (_PROC / str(leader) / "task").iterdir())
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False


def escaped(leader: int, since: float) -> list[int]:
    """The living descendants of a group's leader that have left its group.

    Only those started after the instant `since`, of the clock that counts from the start of the machine. It
    finds all of them while the leader lives and is their subreaper: else a parent that ends takes the
    trace along.
    """
    if _childless(leader):
        return []
    table = list(processes())
    family = {leader}
    grown = True
    while grown:
        found = {process.pid for process in table if process.parent in family}
        grown = not found <= family
        family |= found
    return [
        process.pid
        for process in table
        if process.pid in family
        and process.group != leader
        and not process.dead
        and process.started_by >= since
    ]


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to all that is left of a group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def end_with(parent: int) -> None:
    """Let the kernel end this process a second after its parent, even while a C call holds the interpreter.

    SIGHUP is what the kernel sends then, and its handler is libc's own `alarm`: called with the number of the
    signal, it asks for SIGALRM in as many seconds, in one. No Python is needed for either. The second is
    for what can still clean up.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
    libc.signal.restype = ctypes.c_void_p
    libc.signal(signal.SIGHUP, ctypes.cast(libc.alarm, ctypes.c_void_p))
    _control(libc, _SET_PDEATHSIG, signal.SIGHUP)
    if os.getppid() != parent:
        raise SystemExit(1)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own one has ended, so that none gets out of sight."""
    _control(ctypes.CDLL(None, use_errno=True), _SET_CHILD_SUBREAPER, 1)


def _control(libc: ctypes.CDLL, option: int, value: int) -> None:
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
