"""Build hook: what a wheel has beside the packages: configurations, a sample, manual pages."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "build/man"


class SharedFiles(BuildHookInterface):  # type: ignore[type-arg]  # no configuration of its own
    """Adds ``configs`` to `std`, and pages made from the parsers of the commands to share/man."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it packs a wheel."""
        if version == "editable":
            return
        build_data["force_include"]["configs"] = "std/configs"
        build_data["force_include"]["examples/english"] = "spoken_terms/sample"  # of std-demo
        root, folder = Path(self.root), Path(self.root, FOLDER)
        sys.path[:0] = [str(root), str(root / "tools")]
        try:
            import manpages

            manpages.main(str(folder))
        finally:
            del sys.path[:2]
        for page in sorted(folder.iterdir()):
            section = page.suffix.removeprefix(".")
            build_data["shared_data"][f"{FOLDER}/{page.name}"] = (
                f"share/man/man{section}/{page.name}"
            )
