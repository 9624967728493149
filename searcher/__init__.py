"""Phase two: terms against a store. Reads no audio and no recogniser output.

    Term --variants--> word sequences --lexical--> Postings --join, deduplicate--> Candidates
    Term --phonetic--> phones --alignment--> Candidates where the recogniser wrote other words
    Candidates --calibration--> probabilities --decisions--> Detections, YES or NO

From Python:

    from searcher import open_index

    with open_index("INDEX") as index:
        for hit in index.search("polizei gewalt"):
            print(hit.file, hit.start_s, hit.probability)
        print(index.find("polizei gewalt").expected)  # how many hits there are, and are right

Several recognisers of the same speech are searched as one by `open_fused`. `searcher.api` describes
the interface of an index; `searcher.search` is the pipeline on one screen. What terms become,
without searching them, says `query_terms`; `tune` learns a model for `open_index` from a
development set, `check_archive` says how far probabilities hold. `write_hits` writes a hit list,
which `scoring` reads.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searcher.api import Index, open_index
    from searcher.archive_check import check_archive
    from searcher.calibration.model import Model
    from searcher.calibration.model import load as load_model
    from searcher.calibration.model import save as save_model
    from searcher.development_set import tune
    from searcher.expected import Expected
    from searcher.fused_index import FusedIndex, open_fused
    from searcher.hit import Finding, Hit, HitColumns
    from searcher.output.hit_files import write_hits
    from searcher.query import query_terms
    from searcher.recording_words import Word
    from searcher.search_result import SearchResult
    from searcher.tuning.check import ArchiveCheck

__all__ = [
    "ArchiveCheck",
    "Expected",
    "Finding",
    "FusedIndex",
    "Hit",
    "HitColumns",
    "Index",
    "Model",
    "SearchResult",
    "Word",
    "check_archive",
    "load_model",
    "open_fused",
    "open_index",
    "query_terms",
    "save_model",
    "tune",
    "write_hits",
]

# A command that only prints its help must not load numpy: names are looked up when asked for.
_HOME = {
    "ArchiveCheck": ("tuning.check", "ArchiveCheck"),
    "Expected": ("expected", "Expected"),
    "Finding": ("hit", "Finding"),
    "FusedIndex": ("fused_index", "FusedIndex"),
    "Hit": ("hit", "Hit"),
    "HitColumns": ("hit", "HitColumns"),
    "Index": ("api", "Index"),
    "Model": ("calibration.model", "Model"),
    "SearchResult": ("search_result", "SearchResult"),
    "Word": ("recording_words", "Word"),
    "check_archive": ("archive_check", "check_archive"),
    "load_model": ("calibration.model", "load"),
    "open_fused": ("fused_index", "open_fused"),
    "open_index": ("api", "open_index"),
    "query_terms": ("query", "query_terms"),
    "save_model": ("calibration.model", "save"),
    "tune": ("development_set", "tune"),
    "write_hits": ("output.hit_files", "write_hits"),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'searcher' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOME[name]
    return getattr(import_module(f"searcher.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
