"""Shared core of the spoken term detection pipeline: values, formats, stores.

Data goes one way; every arrow is a value defined in `std.values`:

    ASR output file --std.formats--> ConfusionNetwork --indexer--> Segment --std.store-->
    Term --searcher--> Posting --> Candidate --> Detection, decided
    Detections --std.formats.stdlist--> STD list XML --scoring--> Alignment --> report

Start with `std.values` (what exists), then `std.formats` (how it enters and leaves), then the
three pipelines: `indexer.build`, `searcher.search`, `scoring.evaluate`. `std` imports none of the
three, and they never import each other: they meet only in a store and in files.
"""

__version__ = "0.1.0"
