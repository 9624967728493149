"""Places of a term among the phones that a layer heard in the sound (`std.store.heard`).

index        slots of a segment -> HeardIndex
alignment    a query's phones and the slots -> the best score in each; where a query may be at all
kernels      both, compiled; `costs` are their numbers
places       the best places of a query in all segments, and its fit in given spans
chance       how many places fit as well by chance
archive      all segments of a language, with what chance gives there
search       terms of a search, beside what words and guessed phones found

`searcher.evidence.heard` weighs what is found.
"""
