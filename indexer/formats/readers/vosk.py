"""Vosk's results: JSON objects one per line, in a list, or printed one after the other.

    {"result": [{"conf": 0.97, "start": 0.0, "end": 0.21, "word": "das"}, ...], "text": "..."}
    {"alternatives": [{"confidence": 214.7, "text": "...",
                       "result": [{"start": 0.0, "end": 0.21, "word": "das"}, ...]}, ...]}

    {"monologues": [{"terms": [{"confidence": 0.97, "start": 0.0, "end": 0.21, "text": "das",
                                "type": "WORD"}, ...]}, ...]}               vosk-transcriber -t json
                                                  Gecko: ... "speaker": {"name", "id"}

Each object, or monologue, is an utterance. ``conf`` is a posterior, ``confidence`` of alternatives
a log score: their weights are its softmax, scaled by ``acoustic_scale`` if given. Partial and
empty results are skipped; results without word times (no ``SetWords(True)``) are refused.

Source: alphacep/vosk-api ``recognizer.cc`` (MbrResult, NbestResult), ``transcriber.py``.
"""

from indexer.formats.shared.json_paths import Shape, Words, declared, has_keys
from indexer.formats.shared.reader import FormatReader

WORDS = Words(at="result", empty="text", confidence="conf")
TERMS = Words(at="terms", empty="text", text="text", only=("type", (None, "WORD")))

READER = FormatReader(
    name="vosk",
    title="Vosk",
    section="vosk",
    content="words, or n best",
    kinds=("json",),
    looks_like=has_keys("conf word result", "alternatives result confidence", "monologues terms"),
    parse=declared(
        Shape(when=lambda one: one.has("monologues"), at="monologues", words=TERMS, speakers=True),
        Shape(
            when=lambda one: one.has("alternatives"),
            words=WORDS,
            alternatives="alternatives",
            score="confidence",
        ),
        Shape(when=lambda one: one.has("partial"), words=None),
        Shape(words=WORDS),
    ),
    sample=(
        b'{"result": [{"conf": 0.97, "start": 0.0, "end": 0.21, "word": "das"}, {"conf": 0.8, '
        b'"start": 0.21, "end": 0.65, "word": "haus"}], "text": "das haus"}'
    ),
    words=("das", "haus"),
    keys=("result text conf word", "monologues terms text", "result word start end"),
)
