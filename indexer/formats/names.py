"""The names of the formats, for a command line that loads no reader."""

FORMAT_NAMES = (
    "mesh", "slf", "pocketsphinx", "sausage", "kaldi-lattice", "plf", "ctm", "docx", "vtt", "srt",
    "ass", "ttml", "eaf", "tei", "timeline-xml", "fcpxml", "youtube", "chat", "textgrid", "table",
    "stm", "lines", "jsonl", "otranscribe", "dstc", "deepspeech", "video-indexer", "gentle",
    "sherpa-onnx", "transformers", "nemo", "assemblyai", "elevenlabs", "revai", "speechmatics",
    "deepgram", "watson", "aws-streaming", "aws", "azure", "riva", "google", "whisper", "vosk",
    "pocketsphinx-json", "timed-text",
)  # fmt: skip
