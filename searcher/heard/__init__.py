"""Places of a term among the phones that a layer heard in the sound (`std.store.heard`).

kernels      align a query's phones with slots, and find the slots where it may be; compiled
places       the best places of a query in all segments, and its scores in given spans
search       the terms of a search in all segments of a language, with E-values

`searcher.evidence.heard` weighs the places.
"""
