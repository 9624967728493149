"""Term discovery: what is said again and again in an archive, without any terms.

    sources      segments of an index -> frames, of sound or of phones heard
    blocks       frames in blocks; pairs of blocks are items of work
    seeds        windows of frames that resemble each other, by hashing
    alignment    a seed, extended as far as two stretches resemble each other (Smith and Waterman)
    pairs        two blocks -> pairs of stretches; the same with time reversed, which is chance
    classes      pairs -> classes, stars around their centres
    chance       how many pairs as good come about by chance
    written      what was written where the members of a class are
    spelling     phones heard -> a spelling, for what was never written
    found        all of it: an archive -> classes
    class_file   classes -> a class file
    page         classes -> a page to listen to

docs/discovery.md has the theory and the measurements; `scoring.discovery` scores classes.
"""
