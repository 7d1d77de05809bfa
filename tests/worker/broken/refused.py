"""Applications that the command line finds nothing to run in."""

from __future__ import annotations

import sys

import tenure

empty = tenure.App()

app = tenure.App()

for argument in sys.argv:
    if argument.endswith("refused:exits"):
        sys.exit("no licence")
    if argument.endswith("refused:parameters"):
        app.step("approve")(lambda ctx: None)  # noqa: ARG005 - just this is its fault
    if argument.endswith("refused:handler"):
        # No other process could find it.
        app.step("local", kind="process")(lambda ctx, input: None)  # noqa: ARG005 - a handler's signature
