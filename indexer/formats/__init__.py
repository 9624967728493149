"""From a recogniser's file to utterances or lattices.

detect      which reader a file needs, and its utterances or lattices
looks       the kind of a file that no reader knows, for messages
registry    the table of all readers
readers     one module for each format
shared      common code of readers; the declaration of a reader

`std.files` opens files and gzip. The only list of formats is here: command lines use it and load
no reader.

    FORMAT_NAMES         the formats of this package, in the order in which their readers are asked
    module_of            the module of `indexer.formats.readers` whose ``READER`` reads one
    installed_formats    those of other packages
"""

GROUP = "spoken_terms.readers"  # of entry points of other packages

FORMAT_NAMES = (
    # The first line identifies captions and annotations, so their readers are asked first.
    "jsonl", "docx", "vtt", "srt", "ass", "sami", "ttml", "eaf", "tei", "timeline-xml", "fcpxml",
    "youtube", "chat", "textgrid", "table", "mesh", "slf", "pocketsphinx", "sausage",
    "kaldi-lattice", "plf", "ctm", "stm", "lines", "otranscribe", "dstc", "deepspeech",
    "video-indexer", "gentle", "sherpa-onnx", "transformers", "nemo", "assemblyai", "elevenlabs",
    "revai", "speechmatics", "deepgram", "watson", "aws-streaming", "aws", "azure", "riva",
    "google", "whisper", "vosk", "pocketsphinx-json", "timed-text",
)  # fmt: skip


def module_of(name: str) -> str:
    """The module of `indexer.formats.readers` that reads a format.

    >>> module_of("aws-streaming")
    'aws_streaming'
    """
    return name.replace("-", "_")


def installed_formats() -> tuple[str, ...]:
    """The names of the formats that other packages read, in order; no package is loaded."""
    from importlib.metadata import entry_points  # takes 15 ms, and most commands do not need it

    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))
