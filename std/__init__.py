"""Shared core of the spoken term detection pipeline: values, formats, stores.

Data goes one way:

    ASR output file --std.formats--> ConfusionNetwork --indexer--> SegmentColumns --std.store-->
    Term --searcher--> Variant --> Postings --> Candidates --> Detections, decided
    Detections --std.formats.stdlist--> STD list XML --scoring--> Alignment --> report

Start with `std.values` (what the packages pass to each other), then `std.formats` (how it enters
and leaves) and `std.store` (where an index lives), then the three pipelines: `indexer.build`,
`searcher.search`, `scoring.evaluate`. `std` imports none of the three, and they never import each
other: they meet only in a store and in files.
"""

__version__ = "0.1.0"
