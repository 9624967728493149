"""Places of a term among the phones that a layer heard in the sound (`std.store.heard`).

index        slots of a segment -> HeardIndex
alignment    a query's phones and the slots -> the best score in each
places       the best places of a query in all segments
chance       how many places fit as well by chance

Hits of `std-search` do not use them yet; `benchmarks.heard` measures them.
"""
