"""The last words of a worker: its report, for people and for the database."""

from __future__ import annotations

import logging
import time
from typing import Any

from tenure import _calls
from tenure.errors import ArgumentInvalid
from tenure.worker._account import says_more, show
from tenure.worker._link import REFUSED, Link, UnavailableError
from tenure.worker._outcome import in_ascii

log = logging.getLogger(__name__)


async def farewell(
    link: Link, owner: str, report: dict[str, Any], limit: float, failure: Exception | None
) -> None:
    """Show the report, and store it within `limit` seconds where the database can be reached.

    A worker that has done nothing and fails is about to say why: that is not said twice.
    """
    more = says_more(report, failure)
    show(report, with_reason=more)
    try:
        await _store(link, owner, report, limit)
    except (UnavailableError, *REFUSED) as error:
        if more:
            log.warning("the shutdown report could not be stored: %s", error)


async def _store(link: Link, owner: str, report: dict[str, Any], limit: float) -> None:
    end = time.monotonic() + limit
    try:
        await link.call(_calls.worker_report(owner, report), limit=limit, last=True)
    except ArgumentInvalid:
        # An error's text or a stack, perhaps, in a database of another encoding.
        left = max(0.0, end - time.monotonic())
        await link.call(_calls.worker_report(owner, in_ascii(report)), limit=left, last=True)
