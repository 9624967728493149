"""Term discovery measures of the ZeroSpeech challenges: judging systems without a recogniser.

A system lists classes of speech fragments that it considers to be the same word; a gold alignment
of phones and words is the reference. From the files to the numbers:

    formats         files -> tiers, class lists, folds, talkers
    corpus          tiers and classes -> Corpus, Discovery: arrays over one table of files
    transcription   fragments -> runs of phones or words, by three published rules
    api             files -> the values above; the three profiles; a folder of files
    report          DiscoveryEvaluation -> text, CSV, JSON, HTML

    segmentation  coverage  ned  grouping  matching             the measures, pure functions
    pairs  partners                                             counting without listing pairs
    scores  folds                                               values, and their spread

Start with `scoring.discovery.api`; docs/discovery.md shows every point where the published
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

from std.imports import lazy_names

if TYPE_CHECKING:
    from scoring.discovery.api import (
        Progress,
        read_classes,
        read_corpus,
        read_folds,
        read_talkers,
        talkers_by_name,
        write_report,
    )
    from scoring.discovery.api import evaluate as evaluate_discovery
    from scoring.discovery.corpus import Corpus, Discovery, with_talkers
    from scoring.discovery.folds import equal_parts
    from scoring.discovery.formats import Folds
    from scoring.discovery.report import document as summary_document
    from scoring.discovery.report import form_rows as summary_rows
    from scoring.discovery.report import text as summary_text
    from scoring.discovery.scores import DiscoveryEvaluation

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "api": (
            "Progress evaluate_discovery=evaluate read_classes read_corpus read_folds "
            "read_talkers talkers_by_name write_report"
        ),
        "corpus": "Corpus Discovery with_talkers",
        "folds": "equal_parts",
        "formats": "Folds",
        "report": "summary_document=document summary_rows=form_rows summary_text=text",
        "scores": "DiscoveryEvaluation",
    },
)
