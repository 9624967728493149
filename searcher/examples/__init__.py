"""Query by example: a stretch of audio in, the places that sound like it out.

    example     what the user gives -> Example, the frames of a stretch
    archive     segments of an index -> Archive, the frames of the recordings that are searched
    kernels     costs of aligning frames, compiled
    places      an example against an archive -> Places, with costs
    calibrate   costs -> probabilities
    find        terms with examples -> TermCandidates, as other searches find them

docs/sound.md has the theory and the measurements.
"""
