"""What people have corrected in recordings: a layer over what the recogniser wrote.

    slots    a segment with and without its corrections
    align    what a person says was said -> corrections with times
    transcript   the words of a corrected transcript

`std.corrections` has the values, and how an index keeps them; `indexer.correct` brings them into
an index, and out of it.

A correction replaces the slots of a stretch of a recording by certain words. The index keeps it in
the metadata of the audio file, with the slots that it replaced: so it survives everything that
metadata survive, is made again when the recording is indexed again, and can be taken back.
"""
