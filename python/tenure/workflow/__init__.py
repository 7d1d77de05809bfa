"""Workflows written down as the graphs that they are.

::

    folder = Key("folder", str)
    files = Key("files", list[str])
    reports = Key("reports", list[Report])
    receipt = Key("receipt", str)

    publication = Workflow("publication", Node(render, ...), Node(upload, provides=[receipt]))

    imports = app.workflow(
        "import",
        Node(list_files, requires=[folder], provides=[files], policy=[retry(3, 1), timeout(10)]),
        Node(validate, over=files, provides=[reports]),
        Node(publication, requires=[reports], provides=[receipt], policy=[retry(3)]),
        policy=[timeout(3600)],
        outputs=[reports, receipt],
    )

    run = app.start(imports, {"folder": "/var/spool/import"})

Everything that can be told from the graph alone is checked when it is built; the rest, such as a queue that
is not there, when the database is told of it.
"""

from __future__ import annotations

from tenure.workflow._keys import Key
from tenure.workflow._node import Node
from tenure.workflow._policy import Layer, retry, timeout
from tenure.workflow._workflow import Workflow

__all__ = ["Key", "Layer", "Node", "Workflow", "retry", "timeout"]
