"""A spoken query as a term: what of the recogniser's alternatives was asked for.

A recogniser's posteriors hold for running speech, where a frequent word is likely before anything
is heard. A query is a term: somebody who looks for a word is no more likely to look for a frequent
one. So the weight of each alternative is divided by how frequent its words are in what is searched:

    posterior of speech = likelihood * frequency   -->   posterior of a term ~ likelihood

Without this, a query that was taken for a short, frequent word finds twenty confident false alarms.

Source: a classifier's posteriors under another prior (Saerens, Latinne, Decaestecker 2002).
"""

from collections.abc import Mapping, Sequence

from searcher.terms.request import SpokenWords, Variant

RAREST = 1e-4  # of all postings: words that are rarer yet count as so frequent


def as_terms(
    queries: Sequence[Sequence[SpokenWords]], counts: Mapping[str, int]
) -> tuple[tuple[SpokenWords, ...], ...]:
    """The queries with weights of their alternatives as terms, the likeliest first.

    Args:
        queries: with the weights that the recogniser gave, which keep their sum.
        counts: postings of each word of what is searched.
    """
    total = max(sum(counts.values()), 1)
    return tuple(_as_term(query, counts, total) for query in queries)


def _as_term(
    alternatives: Sequence[SpokenWords], counts: Mapping[str, int], total: int
) -> tuple[SpokenWords, ...]:
    def likelihood(words: tuple[str, ...], weight: float) -> float:
        rarest = min((counts.get(word, 0) for word in words), default=0)
        return weight / (rarest / total + RAREST)

    likelihoods = [likelihood(*one) for one in alternatives]
    share = sum(one.weight for one in alternatives) / max(sum(likelihoods), 1e-300)
    weighted = [
        one._replace(weight=share * value)
        for one, value in zip(alternatives, likelihoods, strict=True)
    ]
    return tuple(sorted(weighted, key=lambda one: -one.weight))


def spoken_variants(alternatives: Sequence[SpokenWords]) -> list[Variant]:
    """The word sequences of a spoken query, each looked up with its weight as similarity."""
    weights: dict[tuple[str, ...], float] = {}
    for words, weight in alternatives:
        weights[words] = weights.get(words, 0.0) + weight
    return [Variant(words, weight, "spoken", " ".join(words)) for words, weight in weights.items()]
