"""Phase two: terms against a store. Reads no audio and no recogniser output.

    Term --variants--> word sequences --lexical--> Postings --join, deduplicate--> Candidates
    Term --phonetic--> phones --alignment--> Candidates where the recogniser wrote other words
    Candidates --calibration--> probabilities --decisions--> Detections, YES or NO

From Python:

    from searcher import open_index

    with open_index("INDEX") as index:
        for hit in index.search("polizei gewalt"):
            print(hit.file, hit.start_s, hit.probability)

`searcher.api` describes this interface; `searcher.search` is the pipeline on one screen.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searcher.api import Index, Word, open_index
    from searcher.hit import Hit
    from searcher.search import SearchResult

__all__ = ["Hit", "Index", "SearchResult", "Word", "open_index"]

# A command that only prints its help must not load numpy: names are looked up when asked for.
_MODULES = {"Hit": "hit", "SearchResult": "search"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'searcher' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"searcher.{_MODULES.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
