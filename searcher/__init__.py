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

`open_fused` searches the indexes of several recognisers of the same speech as one. `searcher.api`
describes the interface of an index; `searcher.search` is the pipeline on one screen. `query_terms`
explains terms without a search. `tune` learns a model for `open_index` from a development set, and
`check_archive` tests an archive's probabilities. `Index.discover` finds recurring speech without
terms. `write_hits` writes a hit list for `scoring`. A `StandingSearch` reports each hit of a list
of terms once.
"""

from typing import TYPE_CHECKING

from std.imports import lazy_names

if TYPE_CHECKING:
    from searcher.api import Index, open_index
    from searcher.calibration.model import Model
    from searcher.discovery.found import Discovered, DiscoveredClass, DiscoveredFragment
    from searcher.discovery.page import write_class_page, write_classes
    from searcher.evidence.model_file import load as load_model
    from searcher.evidence.model_file import save as save_model
    from searcher.examples.find import ExampleTerm
    from searcher.fusion.fused_index import FusedIndex, open_fused
    from searcher.index.stores import Word
    from searcher.output.hit_files import write_hits
    from searcher.queries.combined import UnitHit, UnitHits
    from searcher.queries.events import read_asked as read_queries
    from searcher.results.hits import WORD_KINDS, Finding, Hit, HitColumns
    from searcher.results.search_result import Expected, FormHits, SearchResult
    from searcher.standing_search import StandingSearch
    from searcher.terms.query import query_terms
    from searcher.tuning.check import ArchiveCheck, check_archive
    from searcher.tuning.development_set import tune

__all__ = [
    "WORD_KINDS",
    "ArchiveCheck",
    "Discovered",
    "DiscoveredClass",
    "DiscoveredFragment",
    "ExampleTerm",
    "Expected",
    "Finding",
    "FormHits",
    "FusedIndex",
    "Hit",
    "HitColumns",
    "Index",
    "Model",
    "SearchResult",
    "StandingSearch",
    "UnitHit",
    "UnitHits",
    "Word",
    "check_archive",
    "load_model",
    "open_fused",
    "open_index",
    "query_terms",
    "read_queries",
    "save_model",
    "tune",
    "write_class_page",
    "write_classes",
    "write_hits",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "api": "Index open_index",
        "calibration.model": "Model",
        "discovery.found": "Discovered DiscoveredClass DiscoveredFragment",
        "discovery.page": "write_class_page write_classes",
        "evidence.model_file": "load_model=load save_model=save",
        "examples.find": "ExampleTerm",
        "fusion.fused_index": "FusedIndex open_fused",
        "index.stores": "Word",
        "output.hit_files": "write_hits",
        "queries.events": "read_queries=read_asked",
        "queries.combined": "UnitHit UnitHits",
        "results.hits": "WORD_KINDS Finding Hit HitColumns",
        "results.search_result": "Expected FormHits SearchResult",
        "standing_search": "StandingSearch",
        "terms.query": "query_terms",
        "tuning.check": "ArchiveCheck check_archive",
        "tuning.development_set": "tune",
    },
)
