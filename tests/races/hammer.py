"""Writers that commit late, claimers that raise heads, sweepers: all at random, from a seed."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import psycopg

from tests.races.stage import (
    Conn,
    Lease,
    claim,
    complete,
    enqueue,
    enqueue_batch,
    fail,
    pause,
    release,
    resume,
    retry,
    rows,
    send_signal,
    sleep,
    sweep,
    value,
    wait_signal,
)

# In any snapshot: nothing that can be claimed lies before the place where claims begin to read, and no alarm
# before the place where sweeps do.
HIDDEN = """
select 'step', s.step_id
from tenure_private.step as s
where s.state = 'available' and s.scheduled_at < least(
    (tenure_private.newest_head(s.track_id)).head,
    (select min(b.scheduled_at) from tenure_private.behind as b where b.track_id = s.track_id)
)
union all
select 'alarm', s.step_id
from tenure_private.step as s
where s.alarm_at < (tenure_private.newest_head(0)).head
"""
NAMES = ["a", "b"]
ATTEMPTS = 1_000_000
SHORT_TTL = "20 milliseconds"

T = TypeVar("T")


@dataclass
class Ledger:
    """What the hammer knows of its steps; who takes one out of a list owns it until it is back in one."""

    leases: list[Lease] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    discarded: list[int] = field(default_factory=list)
    fresh: list[int] = field(default_factory=list)
    paused: list[int] = field(default_factory=list)
    committed: list[int] = field(default_factory=list)
    completed: list[int] = field(default_factory=list)
    claimed: list[tuple[int, int]] = field(default_factory=list)
    hidden: list[tuple[Any, ...]] = field(default_factory=list)
    claims: int = 0
    stop: bool = False
    lock: threading.Condition = field(default_factory=threading.Condition)

    def take(self, items: list[T], rng: random.Random) -> T | None:
        """Take a random item out of a list."""
        with self.lock:
            return items.pop(rng.randrange(len(items))) if items else None

    def wait_for_claims(self, count: int) -> None:
        """Wait until that many more claims were made: time, as the heads know it."""
        with self.lock:
            until = self.claims + count
            self.lock.wait_for(lambda: self.stop or self.claims >= until, timeout=5)


Notes = list[tuple[list[Any], list[Any]]]


@dataclass
class Deed:
    """Something done in an open transaction: which lists get what if it commits, and if it does not."""

    kept: Notes = field(default_factory=list)
    undone: Notes = field(default_factory=list)


REPORTS: dict[str, Callable[[Conn, Lease], tuple[str, str]]] = {
    "complete": lambda conn, lease: (complete(conn, lease), "completed"),
    "release": lambda conn, lease: (release(conn, lease), "released"),
    "fail": lambda conn, lease: (fail(conn, lease, retry_after="0"), "retrying"),
    "fail, soon": lambda conn, lease: (fail(conn, lease, retry_after="1 millisecond"), "retrying"),
    "permanent": lambda conn, lease: (fail(conn, lease, "permanent"), "discarded"),
    "wait": lambda conn, lease: (wait_signal(conn, lease), "waiting"),
    "sleep": lambda conn, lease: (sleep(conn, lease, "1 millisecond"), "sleeping"),
}


class Writer:
    """Makes steps available in transactions that stay open while claims go on."""

    def __init__(self, ledger: Ledger, conn: Conn, other: Conn, rng: random.Random) -> None:
        """`conn` holds transactions open, `other` commits at once."""
        self.ledger = ledger
        self.conn = conn
        self.other = other
        self.rng = rng

    def run(self) -> None:
        """Write until the ledger says stop."""
        while not self.ledger.stop:
            if self.rng.random() < 0.3:
                self.conn.execute("select pg_current_xact_id()")
                self.ledger.wait_for_claims(self.rng.randrange(4))
            deeds = [self.rng.choice([self.report, self.report, self.retry, self.signal, self.resume])()]
            deeds += [self.enqueue() for _ in range(self.rng.randrange(3))]
            self.ledger.wait_for_claims(self.rng.choice([0, 0, 1, 2, 5, 20]))
            self.end([deed for deed in deeds if deed is not None])

    def end(self, deeds: list[Deed]) -> None:
        """Commit or roll back."""
        commits = self.rng.random() < 0.8
        if commits:
            self.conn.commit()
        else:
            self.conn.rollback()
        with self.ledger.lock:
            for deed in deeds:
                for items, new in deed.kept if commits else deed.undone:
                    items.extend(new)

    def enqueue(self) -> Deed:
        name = self.rng.choice(NAMES)
        kind = self.rng.choice(["now", "now", "soon", "past", "limited", "batch", "undone"])
        if kind == "batch":
            ids = enqueue_batch(self.conn, self.rng.randrange(1, 5), name, max_attempts=ATTEMPTS)
        elif kind == "undone":
            with self.conn.transaction(force_rollback=True):
                enqueue(self.conn, name)
            ids = []
        else:
            options = {
                "now": dict[str, str](),
                "soon": {"delay": "1 millisecond"},
                "past": {"scheduled_at": f"20{self.rng.randrange(10, 20)}-01-01T00:00:00Z"},
                "limited": {"deadline": "1 hour"},
            }[kind]
            ids = [enqueue(self.conn, name, max_attempts=ATTEMPTS, **options)]
        return Deed(kept=[(self.ledger.committed, ids), (self.ledger.fresh, ids)])

    def report(self) -> Deed | None:
        lease = self.ledger.take(self.ledger.leases, self.rng)
        if lease is None:
            return None
        kind = self.rng.choice(list(REPORTS))
        verdict, landed = REPORTS[kind](self.conn, lease)
        assert verdict == landed, kind
        kept: Notes = {
            "complete": [(self.ledger.completed, [lease.step_id])],
            "permanent": [(self.ledger.discarded, [lease.step_id])],
            "wait": [(self.ledger.waiting, [lease.step_id])],
        }.get(kind, [])
        return Deed(kept=kept, undone=[(self.ledger.leases, [lease])])

    def retry(self) -> Deed | None:
        step_id = self.ledger.take(self.ledger.discarded, self.rng)
        if step_id is None:
            return None
        assert retry(self.conn, step_id) == "available"
        return Deed(undone=[(self.ledger.discarded, [step_id])])

    def signal(self) -> Deed | None:
        run_id = self.ledger.take(self.ledger.waiting, self.rng)
        if run_id is None:
            return None
        assert send_signal(self.conn, run_id) in {"delivered", "kept"}
        return Deed(undone=[(self.ledger.waiting, [run_id])])

    def resume(self) -> Deed | None:
        """Pause a step at once, and resume it late."""
        run_id = self.ledger.take(self.ledger.fresh, self.rng)
        if run_id is None:
            return None
        if pause(self.other, run_id) == 0:
            # It runs or has ended; in the first case its verdict will make it paused.
            self.ledger.paused.append(run_id)
            return None
        assert resume(self.conn, run_id) == 1
        return Deed(undone=[(self.ledger.paused, [run_id])])


class Claimer:
    """Claims, and completes some of the steps in the same transaction as its next claim."""

    def __init__(self, ledger: Ledger, conn: Conn, owner: str, rng: random.Random) -> None:
        """`conn` holds transactions open."""
        self.ledger = ledger
        self.conn = conn
        self.owner = owner
        self.rng = rng

    def run(self) -> None:
        """Claim until the ledger says stop."""
        mine: list[Lease] = []
        while not self.ledger.stop:
            done = [lease for lease in mine if complete(self.conn, lease) == "completed"]
            assert done == mine
            ttl = SHORT_TTL if self.rng.random() < 0.1 else "1 hour"
            names = self.rng.choice([None, *([name] for name in NAMES)])
            if self.rng.random() < 0.1:
                self.conn.execute("select pg_current_xact_id()")
                with self.conn.transaction(force_rollback=True):
                    claim(self.conn, self.owner, 3)
            got = claim(self.conn, self.owner, self.rng.choice([1, 2, 10]), ttl=ttl, names=names)
            if self.rng.random() < 0.1:
                self.conn.rollback()
                continue
            self.conn.commit()
            with self.ledger.lock:
                self.ledger.completed.extend(lease.step_id for lease in done)
                self.ledger.claimed.extend((lease.step_id, lease.generation) for lease in got)
                self.ledger.claims += 1
                self.ledger.lock.notify_all()
                kept = [] if ttl == SHORT_TTL else got
                half = self.rng.randrange(len(kept) + 1)
                mine = kept[:half]
                self.ledger.leases.extend(kept[half:])
        self.ledger.leases.extend(mine)


def keep_sweeping(ledger: Ledger, conn: Conn) -> None:
    """Sweep until the ledger says stop."""
    while not ledger.stop:
        sweep(conn)


def keep_looking(ledger: Ledger, conn: Conn) -> None:
    """Look for steps and alarms that nobody would find, in one snapshot after the other."""
    while not ledger.stop:
        found = rows(conn, HIDDEN)
        if found:
            ledger.hidden.extend(found)
            ledger.stop = True


def drain(ledger: Ledger, conn: Conn) -> bool:
    """Take one step towards the end of every run; true when all have ended."""
    for run_id in ledger.paused:
        resume(conn, run_id)
    for run_id in ledger.waiting:
        send_signal(conn, run_id)
    for step_id in ledger.discarded:
        retry(conn, step_id)
    for items in (ledger.paused, ledger.waiting, ledger.discarded):
        items.clear()
    leases, ledger.leases = ledger.leases, []
    got = claim(conn, "drain", 1000)
    ledger.claimed.extend((lease.step_id, lease.generation) for lease in got)
    for lease in leases + got:
        assert complete(conn, lease) == "completed"
        ledger.completed.append(lease.step_id)
    sweep(conn)
    unfinished = "select not exists (select from tenure.run_status where finished_at is null)"
    return bool(value(conn, unfinished))


def run_threads(ledger: Ledger, work: list[Callable[[], None]], seconds: float) -> None:
    """Run everything at once for so long, and raise what any of it raised."""
    errors: list[BaseException] = []

    def guarded(call: Callable[[], None]) -> None:
        try:
            call()
        except (psycopg.Error, AssertionError) as error:
            errors.append(error)
            ledger.stop = True

    threads = [threading.Thread(target=guarded, args=[call]) for call in work]
    for thread in threads:
        thread.start()
    with ledger.lock:
        ledger.lock.wait_for(lambda: ledger.stop, timeout=seconds)
        ledger.stop = True
        ledger.lock.notify_all()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
