"""Shared core of the spoken term detection pipeline: values, formats, stores.

Data goes one way:

    ASR output file --indexer.formats--> ConfusionNetwork --indexer--> SegmentColumns --std.store-->
    Term --searcher--> Variant --> Postings --> Candidates --> Detections, decided
    Detections --std.nist.std_list--> STD list XML --scoring--> Alignment --> report

Start with `std.values` (what the packages pass to each other), then `indexer.formats` (how it
enters) and `std.store` (where an index lives), then the three pipelines: `indexer.build`,
`searcher.search`, `scoring.evaluate`. `std` imports none of the three, and they never import each
other: they meet only in a store and in files.
"""

__version__ = "0.1.0"
