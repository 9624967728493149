"""Term discovery: recurring speech in an archive, without terms.

    sources      segments of an index -> frames, of sound or of phones heard
    blocks       frames in blocks; pairs of blocks are items of work
    seeds        windows of frames that resemble each other, by hashing
    alignment    a seed, extended as far as two stretches resemble each other (Smith and Waterman)
    pairs        two blocks -> pairs of stretches; with time reversed, chance pairs
    classes      pairs -> classes, stars around their centres
    chance       the number of equally good pairs by chance
    written      the recogniser's words at the members of a class
    spelling     phones heard -> a spelling, for unwritten words
    found        the complete discovery: an archive -> classes
    class_file   classes -> a class file
    page         classes -> a page to listen to

docs/discovery.md has the theory and the measurements; `scoring.discovery` scores classes.
"""
