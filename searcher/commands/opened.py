"""The index of a command line, opened."""

import argparse
from typing import TYPE_CHECKING

from std.command import warn

if TYPE_CHECKING:
    from searcher import FusedIndex, Index  # --help needs none of what these load
    from std.config import Config


def opened(args: argparse.Namespace, config: "Config") -> "Index | FusedIndex":
    """The index, or those of several recognisers as one."""
    from searcher import open_fused, open_index
    from searcher.output.notices import fusion_warning

    if args.fuse:
        fused = open_fused(*args.store, config=config, model=args.model or None)
        if warning := fusion_warning(fused.recordings_of_each):
            warn("std-search", warning)
        return fused
    return open_index(*args.store, config=config, model=args.model[0] if args.model else None)
