"""Corrections by people: a layer over the recogniser's output.

    slots      a segment with and without its corrections
    read       a corrected transcript, or a table of corrections -> words
    align      words that were said -> corrections with times
    rewrite    corrections -> a person's own transcript with them

`std.corrections` has the values and their stored form; `indexer.correct` adds corrections to an
index and undoes them.

A correction replaces the slots of a stretch of a recording by certain words. The index stores it in
the metadata of the audio file, with the replaced slots, so it stays as long as metadata do, is
applied again when the recording is indexed again, and can be undone.
"""
