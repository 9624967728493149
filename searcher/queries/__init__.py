"""Queries: words joined by operators. From the places of the words to the hits of the query.

    units          recordings or turns of speakers, in which a query may hold
    events         texts -> terms to search, and an event over their places for each expression
    probability    an event -> the probability that it holds in each unit
    witnesses      an event -> the places that are evidence for it, with their probabilities
    combined       the candidates of the words -> the candidates of the queries, or units

Each place is right with its probability, independently of the others. Given this assumption, the
results are exact (`tests/searcher/queries` enumerates all cases). The language is `std.query`.
"""
