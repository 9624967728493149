"""The formats that we read, in the order in which their readers are asked whether a file is theirs.

This is all that says which there are: `indexer.formats.registry` loads ``READER`` of the module of
each name in `indexer.formats.readers`. A command line that loads no reader has the names from here.
"""

FORMAT_NAMES = (
    # The first line of captions and annotations tells, so they are asked first.
    "jsonl", "docx", "vtt", "srt", "ass", "ttml", "eaf", "tei", "timeline-xml", "fcpxml", "youtube",
    "chat", "textgrid", "table", "mesh", "slf", "pocketsphinx", "sausage", "kaldi-lattice", "plf",
    "ctm", "stm", "lines", "otranscribe", "dstc", "deepspeech", "video-indexer", "gentle",
    "sherpa-onnx", "transformers", "nemo", "assemblyai", "elevenlabs", "revai", "speechmatics",
    "deepgram", "watson", "aws-streaming", "aws", "azure", "riva", "google", "whisper", "vosk",
    "pocketsphinx-json", "timed-text",
)  # fmt: skip


def module_of(name: str) -> str:
    """The module of `indexer.formats.readers` that reads a format.

    >>> module_of("aws-streaming")
    'aws_streaming'
    """
    return name.replace("-", "_")
