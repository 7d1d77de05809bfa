"""Finding the application that a command names as MODULE:APP."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from tenure import _json
from tenure.app import App
from tenure.errors import TenureError
from tenure.worker import WorkerError


def load(reference: str) -> App:
    """Import the application, from the current folder too, as `python -m` would."""
    # The script that an installed package brings starts with its own folder on the path, not with this one.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    module, _, attribute = reference.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        # Foreign code runs here, and whatever it raises is to be told in a sentence.
        document = _json.error_document(error)
        hint = error.hint if isinstance(error, TenureError) else None
        raise WorkerError(
            f"cannot import {module}: {document['type']}: {document['message']}", hint=hint
        ) from error
    for name in attribute.split("."):
        found = getattr(found, name, None)
    if not isinstance(found, App):
        what = f"{module} has no {attribute}" if found is None else f"it is a {type(found).__name__}"
        raise WorkerError(f"{reference} is not a tenure.App: {what}")
    return found
