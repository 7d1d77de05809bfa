"""Tenure: a durable job and workflow engine that lives inside PostgreSQL.

The database decides, workers obey: this package is a thin worker and client over the engine's functions.
"""

from __future__ import annotations

from tenure._options import EnqueueOptions, Job, StepOptions
from tenure._resources import Resource
from tenure._rows import Difference, RunStatus, SweepReport
from tenure.app import App
from tenure.client import AsyncClient, Client
from tenure.errors import (
    AlreadyInstalled,
    ArgumentInvalid,
    DurationInvalid,
    HandlerSignal,
    InstallRefused,
    InvalidTransition,
    IsolationLevel,
    NameInvalid,
    NextCalledTwice,
    NotARun,
    NotFinished,
    Permanent,
    QueueDiffers,
    QueueNotGranted,
    QueueUnknown,
    QuotaUnknown,
    Retry,
    RoleUnknown,
    RunCancelled,
    RunDiscarded,
    RunPurging,
    SchemaMismatch,
    Skip,
    StaleLease,
    StepNotFound,
    TenureError,
    TimeoutOutOfBounds,
    TooLarge,
    Uncertain,
    UninstallRefused,
    UpgradeBlocked,
    WorkflowInvalid,
    WorkflowUnknown,
)
from tenure.registry import Step
from tenure.run import AsyncRun, Run
from tenure.worker import Context, SyncContext, Worker, WorkerError
from tenure.workflow import Key, Node, Workflow, retry, timeout

__all__ = [
    "AlreadyInstalled",
    "App",
    "ArgumentInvalid",
    "AsyncClient",
    "AsyncRun",
    "Client",
    "Context",
    "Difference",
    "DurationInvalid",
    "EnqueueOptions",
    "HandlerSignal",
    "InstallRefused",
    "InvalidTransition",
    "IsolationLevel",
    "Job",
    "Key",
    "NameInvalid",
    "NextCalledTwice",
    "Node",
    "NotARun",
    "NotFinished",
    "Permanent",
    "QueueDiffers",
    "QueueNotGranted",
    "QueueUnknown",
    "QuotaUnknown",
    "Resource",
    "Retry",
    "RoleUnknown",
    "Run",
    "RunCancelled",
    "RunDiscarded",
    "RunPurging",
    "RunStatus",
    "SchemaMismatch",
    "Skip",
    "StaleLease",
    "Step",
    "StepNotFound",
    "StepOptions",
    "SweepReport",
    "SyncContext",
    "TenureError",
    "TimeoutOutOfBounds",
    "TooLarge",
    "Uncertain",
    "UninstallRefused",
    "UpgradeBlocked",
    "Worker",
    "WorkerError",
    "Workflow",
    "WorkflowInvalid",
    "WorkflowUnknown",
    "retry",
    "timeout",
]
