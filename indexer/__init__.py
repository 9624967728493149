"""Phase one: recogniser output into a store. Knows no terms.

    file --indexer.formats--> ConfusionNetwork, or Lattice --networks--> ConfusionNetwork
    ConfusionNetwork --prune--> --invert--> SegmentColumns
    SegmentColumns of many files --merge--> one --phones--> with sounds --std.store--> committed

Read `indexer.build` first: the pipeline on one screen.
"""
