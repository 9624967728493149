"""The query language: words, operators between them, and conditions on recordings and speakers.

    grammar      a text -> an `Expression`; `parse_query` of a term, `parse_where` of ``--where``
    query_tokens a text -> tokens: words, operators, conditions
    expression   the parts of an expression, their meaning, and their description in words

Both texts have the same grammar, but ``--where`` has no words to search for. `std.recordings` and
`searcher.queries` find the recordings and places of an expression, with probabilities.
"""
