"""What hatchling asks when it makes a wheel -> the compiled modules too, where `deploy/compile.py` has made them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WithCompiled(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        found = runpy.run_path(str(root / "deploy" / "compile.py"))["made"]()
        if found and version != "editable":
            build_data["force_include"].update({str(one): str(one.relative_to(root)) for one in found})
            build_data["pure_python"], build_data["infer_tag"] = False, True
