"""Places of a term among the phones that a layer heard in the sound (`std.store.heard`).

kernels      a query's phones aligned with slots, and where it may be at all; compiled
places       the best places of a query in all segments, and its fit in given spans
search       terms of a search in all segments of a language, and what chance gives there

`searcher.evidence.heard` weighs what is found.
"""
