"""Phase two: terms against a store. Hears no audio, reads no recogniser output.

    Term --searcher.search--> [Variant] --std.store--> Postings --join--> Candidates
    Candidates --merge--> one per place --decide--> Detections, YES or NO

Read `searcher.search` first: the pipeline on one screen.
"""
