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
    for folder in _PROC.glob("[0-9]*"):
        # Ended meanwhile, or hidden, and then none of ours.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            yield _read(folder)


@dataclass(frozen=True, slots=True)
class Left:
    """What runs besides a group's leader."""

    stayed: list[int]
    """In its group: a signal to that reaches it."""
    strayed: list[int]
    """Out of its group, and out of reach."""


def living(group: int) -> list[int]:
    """The processes of a group that have not ended, its leader or not."""
    return [process.pid for process in processes() if process.group == group and not process.dead]


def _read(folder: Path) -> Process:
    # The name, in parentheses, may hold anything: what follows the last of them are numbers.
    fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
    return Process(
        pid=int(folder.name),
        parent=int(fields[1]),
        group=int(fields[2]),
        dead=fields[0].decode() in _DEAD,
        started_by=(int(fields[19]) + 1) / os.sysconf("SC_CLK_TCK"),
    )


def _childless(leader: int) -> bool:
    """Whether it is certain, without a look at all processes, that it has no child: most never have one.

    The children of one that has ended are somebody else's.
    """
    folder = _PROC / str(leader)
    try:
        parent = any((task / "children").read_bytes() for task in (folder / "task").iterdir())
        return not parent and not _read(folder).dead
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False


def left_by(leader: int, since: float) -> Left:
    """What runs of a group besides its leader, and the living descendants of the leader that have left it.

    Of the latter only those started after the instant `since`, of the clock that counts from the start of the
    machine. It finds all of them while the leader lives and is their subreaper: else a parent that ends takes
    the trace along.
    """
    if _childless(leader):
        return Left([], [])
    table = list(processes())
    family = {leader}
    grown = True
    while grown:
        found = {process.pid for process in table if process.parent in family}
        grown = not found <= family
        family |= found
    others = [process for process in table if process.pid != leader and not process.dead]
    return Left(
        stayed=[process.pid for process in others if process.group == leader],
        strayed=[
            process.pid
            for process in others
            if process.pid in family and process.group != leader and process.started_by >= since
        ],
    )


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
