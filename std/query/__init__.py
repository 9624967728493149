"""The query language: words, operators between them, and conditions on recordings and speakers.

    grammar      a text -> an `Expression`; `parse_query` of a term, `parse_where` of ``--where``
    query_tokens a text -> tokens: words, operators, conditions
    expression   the expression, what it holds for, and itself in words

Both texts have one grammar; a condition of ``--where`` has no words to search for. `std.recordings`
and `searcher.queries` say what an expression finds, and how probable it is.
"""
