"""Puts the built SQL into the wheel, so that `pip install .` of a bare clone needs no step before it."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SqlBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs sql/build.py for wheels and editable installs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build into the source tree when editable, else into a folder that only the wheel sees."""
        if self.target_name != "wheel":
            return
        spec = importlib.util.spec_from_file_location("tenure_sql_build", Path(self.root, "sql", "build.py"))
        if spec is None or spec.loader is None:
            raise FileNotFoundError("sql/build.py")
        build = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build)
        if version == "editable":
            build.build(Path(self.root))
            return
        self._folder = tempfile.TemporaryDirectory(prefix="tenure-sql-")
        build.write(Path(self._folder.name), build.packaged_texts(Path(self.root)))
        build_data["force_include"][self._folder.name] = "tenure/_sql"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder of `initialize`."""
        del version, build_data, artifact_path
        folder = getattr(self, "_folder", None)
        if folder is not None:
            folder.cleanup()
