"""Queries: words joined by operators, from the places of the words to what holds where.

    asked          texts -> terms to search, and the expressions that they are parts of
    units          what a query may hold in: a recording, or a speaker's turn
    events         an expression -> an event over the places of the words
    probability    an event -> the probability that it holds in each unit
    sweep          the same where parts of an event share places, exactly, place by place
    witnesses      an event -> the probability of each place that it holds because of it
    combined       the candidates of the words -> those of the queries, or units

Places are taken to be right or wrong independently of each other, each with its probability;
all else is exact (`tests/searcher/queries` goes through all worlds). The language is `std.query`.
"""
