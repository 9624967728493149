"""Phase one: recogniser output into a store. Knows no terms.

    file --std.formats--> ConfusionNetwork --prune--> --invert--> SegmentColumns
    SegmentColumns of many files --merge--> one segment --std.store--> committed

Read `indexer.build` first: the pipeline on one screen.
"""
