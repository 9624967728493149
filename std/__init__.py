"""Shared core of the spoken term detection pipeline: values, NIST's files, stores, phonetics.

Data goes one way:

    ASR output file --indexer.formats--> Utterances --indexer--> SegmentColumns --std.store-->
    Term --searcher--> Variant --> Postings --> Candidates --> Detections, decided
    Detections --std.nist.std_list--> STD list XML --scoring--> Alignment --> report

Start with `std.values` (the values that pass between packages), then `indexer.formats` (reading
recogniser output) and `std.store` (storing an index), then the three pipelines: `indexer.build`,
`searcher.search`, `scoring.evaluate`. `std` imports none of the three, and they never import each
other: they share only a store and files.

A program needs four groups of names, all of which can be imported from `std`:

    Recording, ConfusionNetwork, Slot, Alternative         recogniser output
    Term, TermList, ECF, Excerpt, Lexemes,
    Detections, TermSearch, STDList                        queries, speech and results
    Config, load_config                                    the settings
    StdError, InputError, ForeignFileError, ConfigError, QueryError,
    StoreError, NoIndexError, StoreBusyError               errors
    StoreWarning, OldNameWarning                           warnings

    >>> from std import ECF, Config, Excerpt, Recording, Term, TermList
    >>> terms = TermList((Term("T1", "polizei gewalt"), Term("T2", "rathaus")))
    >>> excerpt = Excerpt(Recording("news", 1), start_s=0.0, duration_s=60.0)
    >>> ECF((excerpt,)).excerpts[0].end_s
    60.0
    >>> Config().decision.rule
    'auto'
"""

from typing import TYPE_CHECKING

from std.imports import lazy_names

if TYPE_CHECKING:
    from std.config import Config, load_config
    from std.errors import (
        ClosedIndexError,
        ConfigError,
        ForeignFileError,
        InputError,
        NoIndexError,
        OldNameWarning,
        QueryError,
        StdError,
        StoreBusyError,
        StoreError,
        StoreWarning,
    )
    from std.values import (
        ECF,
        Alternative,
        ConfusionNetwork,
        Detections,
        Excerpt,
        Lexemes,
        Recording,
        Slot,
        STDList,
        Term,
        TermList,
        TermSearch,
    )

__version__ = "2.0.0"

__all__ = [
    "ECF",
    "Alternative",
    "ClosedIndexError",
    "Config",
    "ConfigError",
    "ConfusionNetwork",
    "Detections",
    "Excerpt",
    "ForeignFileError",
    "InputError",
    "Lexemes",
    "NoIndexError",
    "OldNameWarning",
    "QueryError",
    "Recording",
    "STDList",
    "Slot",
    "StdError",
    "StoreBusyError",
    "StoreError",
    "StoreWarning",
    "Term",
    "TermList",
    "TermSearch",
    "load_config",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "config": "Config load_config",
        "errors": (
            "ClosedIndexError ConfigError ForeignFileError InputError NoIndexError "
            "OldNameWarning QueryError StdError StoreBusyError StoreError StoreWarning"
        ),
        "values": (
            "ECF Alternative ConfusionNetwork Detections Excerpt Lexemes Recording Slot "
            "STDList Term TermList TermSearch"
        ),
    },
)
