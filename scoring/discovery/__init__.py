"""Term discovery measures of the ZeroSpeech challenges: judging systems without a recogniser.

A system lists classes of speech fragments that it takes for the same word; a gold alignment of
phones and words says what they are. From the files to the numbers:

    formats         files -> tiers, class lists, folds, talkers
    corpus          tiers and classes -> Corpus, Discovery: arrays over one table of files
    transcription   fragments -> runs of phones or words, by three published rules
    evaluate        the three profiles: which rule each measure takes; scopes; folds
    summary         DiscoveryEvaluation -> text, CSV, JSON
    html_report     DiscoveryEvaluation -> HTML
    api             files -> the values above; DiscoveryEvaluation -> a folder of files

    boundary  token_type  coverage  ned  grouping  matching     the measures, pure functions
    pairs  partners  ngrams                                     counting without listing pairs
    rates  scores  folds                                        values, and their spread

Start with `scoring.discovery.evaluate`; docs/discovery.md shows every point where the published
tools and the published definition differ, with a small example each. From Python:

    >>> import tempfile
    >>> from pathlib import Path
    >>> from scoring.discovery import evaluate_discovery, read_classes, read_corpus
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = Path(name)
    ...     _ = (folder / "gold.phn").write_text("f 0 .1 a\\nf .1 .2 b\\nf .2 .3 a\\nf .3 .4 b\\n")
    ...     _ = (folder / "gold.wrd").write_text("f 0 .2 ab\\nf .2 .4 ab\\n")
    ...     _ = (folder / "disc.class").write_text("Class 1\\nf 0 .2\\nf .2 .4\\n")
    ...     corpus = read_corpus(folder / "gold.phn", folder / "gold.wrd")
    ...     discovery = read_classes(folder / "disc.class", corpus)
    >>> scores = evaluate_discovery(corpus, discovery, "zrc2017").scores["all"]
    >>> scores.token.fscore, scores.ned
    (1.0, 0.0)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.discovery.api import (
        read_classes,
        read_corpus,
        read_folds,
        read_talkers,
        talkers_by_name,
        write_report,
    )
    from scoring.discovery.corpus import Corpus, Discovery, with_talkers
    from scoring.discovery.evaluate import Progress
    from scoring.discovery.evaluate import evaluate as evaluate_discovery
    from scoring.discovery.folds import equal_parts
    from scoring.discovery.formats.folds import Folds
    from scoring.discovery.scores import DiscoveryEvaluation
    from scoring.discovery.summary import document as summary_document
    from scoring.discovery.summary import form_rows as summary_rows
    from scoring.discovery.summary import text as summary_text

__all__ = [
    "Corpus",
    "Discovery",
    "DiscoveryEvaluation",
    "Folds",
    "Progress",
    "equal_parts",
    "evaluate_discovery",
    "read_classes",
    "read_corpus",
    "read_folds",
    "read_talkers",
    "summary_document",
    "summary_rows",
    "summary_text",
    "talkers_by_name",
    "with_talkers",
    "write_report",
]

# A command that only prints its help must not load numpy: names are looked up when asked for.
_HOME = {
    "Corpus": ("corpus", "Corpus"),
    "Discovery": ("corpus", "Discovery"),
    "DiscoveryEvaluation": ("scores", "DiscoveryEvaluation"),
    "Folds": ("formats.folds", "Folds"),
    "Progress": ("evaluate", "Progress"),
    "equal_parts": ("folds", "equal_parts"),
    "evaluate_discovery": ("evaluate", "evaluate"),
    "read_classes": ("api", "read_classes"),
    "read_corpus": ("api", "read_corpus"),
    "read_folds": ("api", "read_folds"),
    "read_talkers": ("api", "read_talkers"),
    "summary_document": ("summary", "document"),
    "summary_rows": ("summary", "form_rows"),
    "summary_text": ("summary", "text"),
    "talkers_by_name": ("api", "talkers_by_name"),
    "with_talkers": ("corpus", "with_talkers"),
    "write_report": ("api", "write_report"),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'scoring.discovery' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOME[name]
    return getattr(import_module(f"scoring.discovery.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
