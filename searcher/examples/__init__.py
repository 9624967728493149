"""Query by example: a stretch of audio in, the places that sound like it out.

    example     what the user gives -> Example, a stretch of the frames of a SoundArchive
    places      an example against an archive -> places, with costs
    kernels     what compares frames, compiled
    find        terms with examples -> TermCandidates, as other searches find them

docs/sound.md has the theory and the measurements.
"""
