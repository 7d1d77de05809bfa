"""An application whose import takes long."""

from __future__ import annotations

import time

import tenure

app = tenure.App()

print("importing", flush=True)  # noqa: T201 - the test waits for it
time.sleep(600)
