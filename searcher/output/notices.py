"""Notes about a search for a person: warnings, and remarks on the terms."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

import numpy as np

from searcher.results.search_result import SearchResult
from searcher.terms.splitting.matches import MAX_LETTERS
from searcher.terms.wildcards import described, is_wildcard
from std.config import Config, DecisionConfig
from std.errors import cut
from std.numbers import counted
from std.values import Recording, Term

NAMED, FEW = 10, 4  # related forms in a line, and doubtful terms


def remarks(found: SearchResult) -> Iterator[str]:
    """Remarks on the terms, one line each.

    They name the interpretation of queries, out-of-vocabulary words, the words of wildcards, and
    terms of which not all places were searched."""
    yield from found.understood
    for term, words, oov_words in zip(found.terms, found.words, found.oov_words, strict=True):
        if missing := [word for word in oov_words if word not in found.wildcards]:
            starred = not found.wildcards.keys().isdisjoint(words)
            limit = "; a term with * is looked up only as written" if starred else ""
            yield f"{cut(term.text)}: the recogniser does not know {cut(', '.join(missing))}{limit}"
    for pattern, expansion in found.wildcards.items():
        yield f"{cut(pattern)}: {described(expansion)}"
    yield from cut_terms(found)


def cut_wildcards(found: SearchResult) -> Iterator[str]:
    """Wildcards that stand for too many words, of which the most frequent were searched."""
    for pattern, expansion in found.wildcards.items():
        if expansion.limited:
            yield f"{cut(pattern)}: {described(expansion)}"


def cut_terms(found: SearchResult) -> Iterator[str]:
    """Terms with too many places, of which the likeliest were searched; one line each."""
    for row in sorted(found.cut):
        yield (
            f"{cut(found.terms[row].text)}: too many places, only the likeliest are searched "
            "([search] max_places); longer words have fewer"
        )


def form_notices(forms: SearchResult) -> Iterator[str]:
    """The counts of the related forms of each term, one line each."""
    for term, some in groupby(forms.forms, key=lambda one: one.term):
        listed = list(some)
        more = " ..." if len(listed) > NAMED else ""
        yield f"{cut(term)}: related forms: {', '.join(map(str, listed[:NAMED]))}{more}"


def copy_notice(found: SearchResult) -> str:
    """The number of copies among the searched recordings; empty without copies."""
    n = found.searched_copies
    if not n:
        return ""
    same = "holds the same speech as another" if n == 1 else "hold the same speech as others"
    return f"{counted(n, 'recording')} {same}: searched once, reported under each name"


def acceptance_notice(found: SearchResult, decision: DecisionConfig) -> str:
    """A warning that decisions assume that terms occur although most do not; empty if most do.

    Args:
        decision: the decision rule; ``sto`` does not use probabilities of terms.
    """
    n, right = int(np.count_nonzero(found.yes)), float(found.probability[found.yes].sum())
    if decision.terms != "occurring" or decision.rule == "sto" or right >= n / 2:
        return ""
    return (
        f"about {right:.0f} of {counted(n, 'accepted hit')} {'is' if n == 1 else 'are'} right: "
        'decisions assume that every term occurs; [decision] terms = "any" does not'
    )


def doubt_notice(found: SearchResult, decision: DecisionConfig) -> str:
    """The accepted terms whose hits are all probably wrong; empty if there are none."""
    doubted = sorted(found.doubted.items(), key=lambda one: (one[1], one[0]))
    if not doubted:
        return ""
    named = (f"{cut(found.terms[row].text)} {p:.2g}" for row, p in doubted[:FEW])
    more = " ..." if len(doubted) > FEW else ""
    assumed = "decisions assume that every term occurs"
    why = assumed if decision.terms == "occurring" else "a miss costs so much (beta)"
    terms, its = (
        counted(len(doubted), "term"),
        "a probability" if len(doubted) == 1 else "probabilities",
    )
    return f"{terms} accepted with {its} below 0.5, because {why}: {', '.join(named)}{more}"


def list_notice(found: SearchResult, config: Config) -> str:
    """A note that probabilities depend on the other terms of the list; empty if they do not."""
    if config.calibration.list == "independent" or len(found.terms) < 2:
        return ""
    return (
        "probabilities depend on how many of the list's terms occur; [calibration] list = "
        '"independent" judges each term by itself'
    )


def fusion_warning(recordings: Sequence[AbstractSet[Recording]]) -> str:
    """A warning that recognisers have no common recording; empty if they have one."""
    times = Counter(recording for of_index in recordings for recording in of_index)
    if any(n > 1 for n in times.values()):
        return ""
    return "no recording is in two of the --store: --fuse is for recognisers of the same speech"


def term_warnings(found: SearchResult) -> Iterator[str]:
    """The terms of a list that can hardly be found, with reasons."""
    without_letters = [
        term for term in found.terms if not any(letter.isalnum() for letter in term.text)
    ]
    starred = [
        term for term in found.terms if is_wildcard(term.text) and term not in without_letters
    ]
    too_long = [
        term
        for term, words in zip(found.terms, found.words, strict=True)
        if any(len(word) > MAX_LETTERS for word in words)
    ]
    problems: tuple[tuple[Sequence[Term], str], ...] = (
        (starred, "with a *, which a list does not expand: looked up as written"),
        (without_letters, "without a letter or a digit: nothing can be found"),
        (too_long, f"with a word of more than {MAX_LETTERS} letters: looked up only as written"),
    )
    for terms, problem in problems:
        if terms:
            first = f"{terms[0].term_id} {cut(terms[0].text)!r}"
            more = " ..." if len(terms) > 1 else ""
            yield f"{counted(len(terms), 'term')} {problem} ({first}{more})"


def phonetic_warnings(found: SearchResult) -> Iterator[str]:
    """Segments without phonetic search, and segments of another language than the model."""
    if found.without_phones:
        reasons = ""
        if languages := sorted({*found.without_phones} - {""}):
            reasons = (
                f"; they are in {', '.join(languages)}, for which std-index had no pronunciations"
            )
        elif "" in found.without_phones:
            reasons = "; give their language with std-index --language"
        yield (
            f"{counted(len(found.without_phones), 'segment')} indexed without phones: unknown "
            f"words are not found by sound there{reasons}"
        )
    for pronouncer in found.without_model:
        yield (
            f"the model is not about {pronouncer}: there its weights serve as a first guess, its "
            "phone confusions do not"
        )
