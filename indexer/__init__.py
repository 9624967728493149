"""Phase one: recogniser output into a store. Knows no terms.

    file --formats--> Utterances, or Lattice --lattices--> Utterances
    Utterances --segments.prune, segments.invert--> SegmentColumns
    SegmentColumns of many files --segments.merge--> one --languages--> with phones --> std.store

Read `indexer.build` first: the pipeline on one screen. From Python:

    >>> from indexer import index_files
    >>> report = index_files("examples/german/mesh", "memory:", language="German")
    >>> len(report.recordings), report.postings
    (15, 8822)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.api import (
        IndexCheck,
        IndexReport,
        clean_up,
        delete_recordings,
        index_files,
        list_recordings,
        merge_segments,
        preview_files,
        verify_index,
        watch_folder,
    )
    from indexer.input_options import InputOptions

__all__ = [
    "IndexCheck",
    "IndexReport",
    "InputOptions",
    "clean_up",
    "delete_recordings",
    "index_files",
    "list_recordings",
    "merge_segments",
    "preview_files",
    "verify_index",
    "watch_folder",
]


# A command that only prints its help must not load numpy: names are looked up when asked for.
def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'indexer' has no attribute {name!r}")
    from importlib import import_module

    home = "input_options" if name == "InputOptions" else "api"
    return getattr(import_module(f"indexer.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
