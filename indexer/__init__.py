"""Phase one: recogniser output into a store. Knows no terms.

    file --formats--> Utterances, or Lattice --lattices--> Utterances
    Utterances --segments.prune, segments.invert--> SegmentColumns
    SegmentColumns of many files --segments.merge--> one --languages--> with phones --> std.store

Read `indexer.build` first: the pipeline on one screen. From Python:

    >>> from indexer import index_files
    >>> report = index_files("examples/german/mesh", "memory:", language="German")
    >>> len(report.recordings), report.postings
    (15, 8822)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.api import (
        IndexCheck,
        clean_up,
        delete_recordings,
        describe_index,
        export_index,
        index_files,
        list_recordings,
        merge_segments,
        preview_files,
        rename_recording,
        verify_index,
        watch_folder,
    )
    from indexer.dry_run import Preview
    from indexer.export import ExportReport
    from indexer.formats.names import FORMAT_NAMES, installed_formats
    from indexer.formats.shared.numbered import NumberedUtterances, Span
    from indexer.formats.shared.reader import FormatReader
    from indexer.formats.shared.reader_options import ReaderOptions
    from indexer.formats.shared.recordings import recording_for
    from indexer.index_facts import IndexDescription
    from indexer.index_report import IndexReport
    from indexer.input_options import InputOptions
    from indexer.languages.report import hints as pronouncer_hints
    from indexer.languages.report import in_words as languages_line
    from indexer.listing import ListedRecording
    from indexer.networks.hypotheses import HypothesisWord
    from indexer.spoken_queries import QueryReport, read_spoken_queries
    from indexer.transcripts import read_transcript

__all__ = [
    "FORMAT_NAMES",
    "ExportReport",
    "FormatReader",
    "HypothesisWord",
    "IndexCheck",
    "IndexDescription",
    "IndexReport",
    "InputOptions",
    "ListedRecording",
    "NumberedUtterances",
    "Preview",
    "QueryReport",
    "ReaderOptions",
    "Span",
    "clean_up",
    "delete_recordings",
    "describe_index",
    "export_index",
    "index_files",
    "installed_formats",
    "languages_line",
    "list_recordings",
    "merge_segments",
    "preview_files",
    "pronouncer_hints",
    "read_spoken_queries",
    "read_transcript",
    "recording_for",
    "rename_recording",
    "verify_index",
    "watch_folder",
]


# A command that only prints its help must not load numpy: names are looked up when asked for.
_HOME = {
    "ExportReport": ("export", "ExportReport"),
    "FORMAT_NAMES": ("formats.names", "FORMAT_NAMES"),
    "FormatReader": ("formats.shared.reader", "FormatReader"),
    "HypothesisWord": ("networks.hypotheses", "HypothesisWord"),
    "NumberedUtterances": ("formats.shared.numbered", "NumberedUtterances"),
    "ReaderOptions": ("formats.shared.reader_options", "ReaderOptions"),
    "Span": ("formats.shared.numbered", "Span"),
    "installed_formats": ("formats.names", "installed_formats"),
    "recording_for": ("formats.shared.recordings", "recording_for"),
    "IndexDescription": ("index_facts", "IndexDescription"),
    "IndexReport": ("index_report", "IndexReport"),
    "InputOptions": ("input_options", "InputOptions"),
    "ListedRecording": ("listing", "ListedRecording"),
    "Preview": ("dry_run", "Preview"),
    "QueryReport": ("spoken_queries", "QueryReport"),
    "read_spoken_queries": ("spoken_queries", "read_spoken_queries"),
    "read_transcript": ("transcripts", "read_transcript"),
    "languages_line": ("languages.report", "in_words"),
    "pronouncer_hints": ("languages.report", "hints"),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'indexer' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOME.get(name, ("api", name))
    return getattr(import_module(f"indexer.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
