"""What a worker was told, checked once."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field

from tenure import _check
from tenure._durations import Duration

STALL_LEASES = 10
"""The stall limit, in leases, where nobody states one."""


def new_owner() -> str:
    """A name that no other process has or had: a restarted container must not pass for the old one."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Durations are seconds on the worker's own monotonic clock."""

    app: str
    dsn: str
    queues: tuple[str, ...]
    concurrency: int
    lease_ttl: float
    poll_interval: float
    shutdown_timeout: float
    settlement_timeout: float
    stall_limit: float
    logs: bool = False
    """The command has set up logging; so do its handler processes."""
    owner: str = field(default_factory=new_owner)

    @classmethod
    def of(
        cls,
        *,
        app: str,
        dsn: str,
        queues: Sequence[str],
        concurrency: int,
        lease_ttl: Duration,
        poll_interval: Duration,
        shutdown_timeout: Duration,
        settlement_timeout: Duration,
        stall_limit: Duration | None,
        logs: bool = False,
    ) -> Settings:
        """Settings from what a person wrote."""
        ttl = _seconds("lease_ttl", lease_ttl)
        return cls(
            app=app,
            dsn=dsn,
            queues=tuple(_check.names("queues", queues)),
            concurrency=concurrency,
            lease_ttl=ttl,
            poll_interval=_seconds("poll_interval", poll_interval),
            shutdown_timeout=_seconds("shutdown_timeout", shutdown_timeout),
            settlement_timeout=_seconds("settlement_timeout", settlement_timeout),
            stall_limit=STALL_LEASES * ttl if stall_limit is None else _seconds("stall_limit", stall_limit),
            logs=logs,
        )

    def __post_init__(self) -> None:
        if not self.queues:
            raise ValueError("a worker needs at least one queue")
        if self.concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        if self.lease_ttl <= 0:
            raise ValueError("the lease must last longer than nothing")
        if self.poll_interval <= 0:
            raise ValueError("the poll interval must be longer than nothing")
        if self.shutdown_timeout < 0:
            raise ValueError("the shutdown timeout cannot be negative")
        if self.settlement_timeout < 0:
            raise ValueError("the settlement timeout cannot be negative")
        if self.stall_limit <= 0:
            raise ValueError("the stall limit must be longer than nothing")


def _seconds(what: str, value: Duration) -> float:
    checked = _check.interval(what, value)
    if checked is None:
        raise ValueError(f"{what} is missing")
    return checked.total_seconds()
