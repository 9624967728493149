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
    from searcher.calibration.model import Model
    from searcher.evidence.model_file import load as load_model
    from searcher.evidence.model_file import save as save_model
    from searcher.examples.find import ExampleTerm
    from searcher.fusion.fused_index import FusedIndex, open_fused
    from searcher.index.recording_words import Word
    from searcher.output.hit_files import write_hits
    from searcher.results.expected import Expected
    from searcher.results.hits import Finding, Hit, HitColumns
    from searcher.results.search_result import SearchResult
    from searcher.terms.query import query_terms
    from searcher.tuning.check import ArchiveCheck, check_archive
    from searcher.tuning.development_set import tune

__all__ = [
    "ArchiveCheck",
    "ExampleTerm",
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
    "ExampleTerm": ("examples.find", "ExampleTerm"),
    "Expected": ("results.expected", "Expected"),
    "Finding": ("results.hits", "Finding"),
    "FusedIndex": ("fusion.fused_index", "FusedIndex"),
    "Hit": ("results.hits", "Hit"),
    "HitColumns": ("results.hits", "HitColumns"),
    "Index": ("api", "Index"),
    "Model": ("calibration.model", "Model"),
    "SearchResult": ("results.search_result", "SearchResult"),
    "Word": ("index.recording_words", "Word"),
    "check_archive": ("tuning.check", "check_archive"),
    "load_model": ("evidence.model_file", "load"),
    "open_fused": ("fusion.fused_index", "open_fused"),
    "open_index": ("api", "open_index"),
    "query_terms": ("terms.query", "query_terms"),
    "save_model": ("evidence.model_file", "save"),
    "tune": ("tuning.development_set", "tune"),
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
