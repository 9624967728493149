"""Phase one: recogniser output into a store. Knows no terms.

    file --formats--> Utterances, or Lattice --lattices--> Utterances
    Utterances --segments.separate, segments.invert--> SegmentColumns
    SegmentColumns of many files --segments.merge--> one --languages--> with phones --> std.store

Read `indexer.build` first: the pipeline on one screen. From Python:

    >>> from indexer import index_files
    >>> report = index_files("examples/german/mesh", "memory:", language="German")
    >>> len(report.recordings), report.postings
    (15, 8822)
"""

from typing import TYPE_CHECKING

from std.imports import lazy_names

if TYPE_CHECKING:
    from indexer.api.corrections import (
        RewriteReport,
        correct_by_table,
        correct_recording,
        list_corrections,
        rewrite_transcript,
        undo_corrections,
    )
    from indexer.api.folders import (
        AudioMove,
        SyncReport,
        move_audio,
        relink_inputs,
        sync_folder,
        watch_folder,
    )
    from indexer.api.indexing import (
        clean_up,
        delete_recordings,
        index_files,
        merge_segments,
        preview_files,
        rename_recording,
    )
    from indexer.contents import (
        IndexCheck,
        IndexDescription,
        ListedRecording,
        describe_index,
        list_recordings,
        verify_index,
    )
    from indexer.correct import RecordingCorrection
    from indexer.dry_run import Preview
    from indexer.export import ExportReport, export_index
    from indexer.formats import FORMAT_NAMES, installed_formats
    from indexer.formats.shared.reader import FormatReader, ReaderOptions
    from indexer.formats.shared.recordings import NumberedUtterances, Span, recording_for
    from indexer.index_report import IndexReport
    from indexer.index_report import hints as pronouncer_hints
    from indexer.index_report import in_words as languages_line
    from indexer.inputs import InputOptions
    from indexer.networks.hypotheses import HypothesisWord
    from indexer.origins import RelinkReport
    from indexer.spoken_queries import QueryReport, read_spoken_queries
    from indexer.sync import Changes
    from indexer.transcripts import export_transcripts, read_transcript, recording_transcript
    from std.corrections import Correction

__all__ = [
    "FORMAT_NAMES",
    "AudioMove",
    "Changes",
    "Correction",
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
    "RecordingCorrection",
    "RelinkReport",
    "RewriteReport",
    "Span",
    "SyncReport",
    "clean_up",
    "correct_by_table",
    "correct_recording",
    "delete_recordings",
    "describe_index",
    "export_index",
    "export_transcripts",
    "index_files",
    "installed_formats",
    "languages_line",
    "list_corrections",
    "list_recordings",
    "merge_segments",
    "move_audio",
    "preview_files",
    "pronouncer_hints",
    "read_spoken_queries",
    "read_transcript",
    "recording_for",
    "recording_transcript",
    "relink_inputs",
    "rename_recording",
    "rewrite_transcript",
    "sync_folder",
    "undo_corrections",
    "verify_index",
    "watch_folder",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "api.corrections": (
            "RewriteReport correct_by_table correct_recording list_corrections rewrite_transcript "
            "undo_corrections"
        ),
        "api.folders": "AudioMove SyncReport move_audio relink_inputs sync_folder watch_folder",
        "api.indexing": (
            "clean_up delete_recordings index_files merge_segments preview_files rename_recording"
        ),
        "contents": (
            "IndexCheck IndexDescription ListedRecording describe_index list_recordings "
            "verify_index"
        ),
        "correct": "Correction RecordingCorrection",
        "dry_run": "Preview",
        "export": "ExportReport export_index",
        "formats": "FORMAT_NAMES installed_formats",
        "formats.shared.reader": "FormatReader ReaderOptions",
        "formats.shared.recordings": "NumberedUtterances Span recording_for",
        "index_report": "IndexReport pronouncer_hints=hints languages_line=in_words",
        "inputs": "InputOptions",
        "networks.hypotheses": "HypothesisWord",
        "spoken_queries": "QueryReport read_spoken_queries",
        "origins": "RelinkReport",
        "sync": "Changes",
        "transcripts": "export_transcripts read_transcript recording_transcript",
    },
)
