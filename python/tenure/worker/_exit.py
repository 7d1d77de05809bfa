"""The end of a process that somebody else's threads would keep."""

from __future__ import annotations

import logging
import os
import sys
import threading

log = logging.getLogger(__name__)


def leave(status: int) -> None:
    """End this process now where threads of the application would keep it; else return: it ends by itself.

    Importing an application may start threads, and whatever is not a daemon is waited for without a limit.
    """
    ours = (threading.main_thread(), threading.current_thread())
    others = [thread.name for thread in threading.enumerate() if not thread.daemon and thread not in ours]
    if not others:
        return
    log.warning("process %d leaves without waiting for threads of its application: %s", os.getpid(), others)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
