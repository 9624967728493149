"""Explain a term without searching: its words, their splits, similar words.

query_terms  terms and an index or a vocabulary file --> their descriptions
describer    a vocabulary and a configuration --> a function from a term to its description

`searcher.terms.description` makes the descriptions.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache, partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from searcher.index.copies import live_counts
from searcher.index.stores import LanguageGroup, by_language
from searcher.terms import vocabulary as vocabularies
from searcher.terms.description import Expansion, Options, Spellings, query, words_of
from searcher.terms.splitting import Splitter, make_splitter
from searcher.terms.splitting.matches import MatchLimits, check_length
from searcher.terms.typed_words import Typed, other_spellings, table_of, typed_in
from searcher.terms.variants import EXPANDERS, Builder, VariantGenerator
from searcher.terms.vocabulary import Vocabulary
from searcher.terms.wildcards import is_wildcard
from std.config import Config
from std.errors import NONE, ConfigError, InputError, Unquoted
from std.files import AnyPath
from std.languages.detection import guess_language, language_code
from std.phonetics.lexicon import NoLanguageError
from std.store import Segment, open_store, require_different
from std.text import Normalisation, as_indexed, require_same
from std.values import SearchMode

Describe = Callable[[str], dict[str, Any]]
Stores = AnyPath | Sequence[AnyPath]  # an index: one store, or its shards
CountsByLanguage = Mapping[str, Mapping[str, int]]  # of words


def query_terms(
    terms: Sequence[str],
    *,
    store: Stores | None = None,
    vocabulary: str | Path | None = None,
    config: Config | None = None,
    adopt_text: bool = False,
    mode: SearchMode = "adhoc",
    all_words: bool = False,
    all_matches: bool = False,
    tree_folder: AnyPath | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> list[dict[str, Any]]:
    r"""Explain terms without searching; one description per term, see `query`.

    Args:
        terms: words or phrases.
        store: the index with the vocabulary; either this or ``vocabulary``.
        vocabulary: a file of ``word[<TAB>count]`` lines, UTF-8, plain or gzip.
        config: the configuration of text, splitting and expansion; None = the default.
        adopt_text: use the store's normalisation instead of ``config.text``.
        mode: in a ``list``, ``*`` stands for itself, and accents count unless ``config.text`` folds
            them.
        all_words: split and expand in-vocabulary words as well.
        all_matches: report every match of every word.
        tree_folder: the folder of a stored BK-tree.
        report: called once for each expansion that cannot be made.

    Raises:
        ValueError: both or none of store and vocabulary are given.
        InputError: a term has no letter and no digit, or there are no words to compare with.
        StoreError: the store normalises words in another way than ``config`` says.
        WordTooLongError: a word is too long to split.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as words:
    ...     _ = words.write("burg\t7\nanlagen\t3\n".encode()), words.flush()
    ...     (one,) = query_terms(["Burganlagen"], vocabulary=words.name)
    >>> [variant["words"] for variant in one["variants"]]
    [('burg', 'anlagen')]
    """
    if (store is None) == (vocabulary is None):
        raise ValueError("query_terms: expected either a store or a vocabulary")
    config = config or Config()
    if store is not None:
        words, counts, text = _stored_words(store, config.text, adopt_text=adopt_text)
        config = replace(config, text=text)
    else:
        words = vocabularies.read(Path(str(vocabulary)), config.text)
        counts = _in_one_language(words, config.pronunciation.language)
    for word in (word for term in terms for word in words_of(term, config.text, mode)):
        check_length(word)  # refuse a bad one before any work
    describe = describer(
        words, config, counts=counts, mode=mode, all_words=all_words,
        all_matches=all_matches,
        tree_folder=Path(tree_folder) if tree_folder else None, report=report,
    )  # fmt: skip
    return list(map(describe, terms))


def _stored_words(
    shards: Stores, text: Normalisation, *, adopt_text: bool
) -> tuple[Vocabulary, CountsByLanguage, Normalisation]:
    """The words of an index, in total and by language, and their normalisation."""
    urls = [fspath(one) for one in ([shards] if isinstance(shards, str | PathLike) else shards)]
    require_different(urls)
    with ExitStack() as opened:
        stores = [opened.enter_context(closing(open_store(url))) for url in urls]
        rules = [(store.url, store.normalisation()) for store in stores]
        segments = [segment for store in stores for segment in store.segments()]
        counts = live_counts(segments)
        normalisation = next((rule for _, rule in rules if rule is not None), None)
        if normalisation is None:
            raise InputError(
                ", ".join(urls), 0, "an index with recordings", Unquoted("an empty one")
            )
        for url, own in rules:
            if own is not None:
                require_same(normalisation, own, url)
        if not adopt_text:
            require_same(as_indexed(text, normalisation), normalisation, urls[0])
        normalisation = replace(normalisation, fold_accents=text.fold_accents)
        return vocabularies.of_counts(counts), counts_by_language(segments), normalisation


def counts_by_language(segments: Sequence[Segment]) -> CountsByLanguage:
    """The count of each word, by language of an index."""
    return {group.language: live_counts(group.segments) for group in by_language(segments)}


def _in_one_language(words: Vocabulary, language: str) -> CountsByLanguage:
    """A list of words in the configured language, or in its likeliest one."""
    counts = dict(zip(words.words, words.counts.tolist(), strict=True))
    return {guess_language(counts) if language == "auto" else language_code(language): counts}


def describer(
    vocabulary: Vocabulary,
    config: Config,
    *,
    counts: CountsByLanguage,
    mode: SearchMode = "adhoc",
    all_words: bool,
    all_matches: bool,
    tree_folder: Path | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Describe:
    """Prepare the description of terms: build and compile the splitter.

    Args:
        config: how words are normalised, split and expanded, and which spellings are one word.
        all_words: split and expand in-vocabulary words as well.
        all_matches: report every match of every word.
        tree_folder: where a BK-tree is kept.
        report: called once for each expansion that cannot be made.

    Raises:
        InputError: there are no words to compare with, as in an index of sound only.
    """
    if not len(vocabulary):
        raise InputError("the index", 0, "words to explain a term by", NONE)
    split, expand = config.splitting, config.expansion
    if all_words:
        expand = replace(expand, words="none" if expand.words == "none" else "all")
        config = replace(config, splitting=replace(split, words="all"), expansion=expand)
    limits = MatchLimits(split.max_edits, split.max_ratio, split.min_part_letters)
    splitter = make_splitter(vocabulary, split.method, limits, split.ranking, tree_folder)
    splitter.warm_up()
    options = Options(
        split.nbest,
        expand.candidates,
        all_words,
        all_matches,
        {name: _lazy(name, build, vocabulary, config, report) for name, build in EXPANDERS.items()},
        config.search.wildcard_words,
        *_spellings(counts, config, mode),
        _generators(vocabulary, config, counts, splitter),
        mode,
    )
    return lambda term: query(term, splitter, config.text, options)


def _generators(
    vocabulary: Vocabulary, config: Config, counts: CountsByLanguage, splitter: Splitter
) -> list[VariantGenerator]:
    """The generators of variants in each language, as in a search."""
    configs = {language: LanguageGroup(language, ()).configured(config) for language in counts}
    if len(counts) < 2:
        own = next(iter(configs.values()), config)
        return [VariantGenerator(vocabulary, own, splits_with=splitter)]
    return [
        VariantGenerator(vocabularies.of_counts(of_words), configs[language])
        for language, of_words in counts.items()
        if of_words
    ]


def _spellings(
    counts: CountsByLanguage, config: Config, mode: SearchMode
) -> tuple[Spellings, Spellings]:
    """The other spellings that a search for a word finds, and that make it known, with counts."""
    if config.search.spelling == "exact":
        return (lambda word: ()), (lambda word: ())
    fold = config.text.fold_accents or mode == "adhoc"
    with_article = mode == "adhoc" or config.search.spelling == "elided"
    found = other_spellings(counts, with_article=with_article)
    known = other_spellings(counts, with_article=None)

    @cache
    def typed(language: str) -> Typed:
        words = sorted(counts[language])
        return Typed(words, table_of(words))

    def others(respelt: Spellings, word: str) -> list[tuple[str, int]]:
        found = Counter(dict(respelt(word)))
        for language, of_words in counts.items() if not is_wildcard(word) else ():
            new = typed_in(word, [typed(language)], language, fold=fold) - found.keys()
            found.update({other: of_words[other] for other in new})
        return sorted(found.items())

    return partial(others, found), partial(others, known)


def _lazy(
    name: str, build: Builder, vocabulary: Vocabulary, config: Config, report: Callable[[str], None]
) -> Expansion:
    """An expansion that is built for the first word.

    It finds nothing without words to compare or without a pronouncer.
    """
    built: list[Expansion] = []

    def similar(words: Sequence[str], n: int) -> list[list[tuple[str, float]]]:
        if not built:
            built.append(lambda words, n: [[] for _ in words])
            try:
                built[0] = build(vocabulary, config).similar
            except (ValueError, NoLanguageError):
                pass  # no word to compare, or no pronouncer
            except ConfigError as error:
                report(f"no expansion by {name}: {error}")
        return built[0](words, n)

    return similar
