"""Query by example: a stretch of audio in, the places that sound like it out.

    example     an example as the user gives it -> Example, a stretch of frames of a SoundArchive
    places      an example, an archive -> places with costs
    kernels     the compiled comparison of frames
    find        terms with examples -> TermCandidates, as in other searches

docs/sound.md has the theory and the measurements.
"""
