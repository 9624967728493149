"""Term discovery: words that are said several times in an archive, without terms.

    sources      segments of an index -> frames, of sound or of phones heard, in blocks
    seeds        windows of frames that resemble each other, by hashing; extended to stretches
    found        the complete discovery: pairs of stretches, and chance pairs, with time reversed
    classes      pairs -> classes, stars around their centres
    spelling     phones heard -> a spelling, for unwritten words
    page         classes -> a page to listen to

docs/discovery.md has the theory and the measurements; `scoring.discovery` scores classes.
"""
