"""Places of a term among the phones that a layer heard in the sound (`std.store.heard`).

kernels      a query's phones aligned with slots, and the slots where it may be; compiled
places       the best places of a query in all segments, and its fit in given spans
search       terms of a search in all segments of a language, and their scores by chance

`searcher.evidence.heard` weighs what is found.
"""
