"""The n best of transformers' CTC decoders with a language model (Wav2Vec2ProcessorWithLM).

    {"text": ["das haus", "dass haus"], "logit_score": [-12.1, -13.0], "lm_score": [-4.2, -5.1],
        "word_offsets": [[{"word": "das", "start_offset": 0, "end_offset": 10}, ...], ...]}
    {"text": "das haus", "logit_score": -12.1, "lm_score": -4.2, "word_offsets": [...]}   the best

Each object is an utterance. Offsets are frames, `FRAMES_PER_S`. The n best are aligned, weighted by
the softmax of their ``lm_score``, by which the decoder ranks them (it includes the acoustic score),
else of ``logit_score``, scaled by ``acoustic_scale`` if given. ``start_time`` and ``end_time`` of
words in seconds, as in the library's example, are used if present. ``chunks`` with a ``timestamp``,
which pipelines give, are read with Whisper's family.

Source: huggingface/transformers ``processing_wav2vec2_with_lm.py`` (Wav2Vec2DecoderWithLMOutput).
"""

from indexer.formats.shared.json_paths import Words, has_keys, reading
from indexer.formats.shared.reader import FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances
from indexer.networks.hypotheses import HypothesisWord, spoken, weighted
from std.json_fields import Part
from std.values import Recording

FRAMES_PER_S = 50.0  # of wav2vec 2.0, HuBERT, WavLM and MMS: 320 samples of 16,000 in each
SCORES = ("lm_score", "logit_score")
TIMED = Words(start="start_time", end="end_time", confidence="")
FRAMES = Words(start="start_offset", end="end_offset", per_second=FRAMES_PER_S, confidence="")


def _add(
    utterances: NumberedUtterances, document: Part, recording: Recording, options: ReaderOptions
) -> None:
    best = document["word_offsets"]
    if not isinstance(document["text"].value, list):
        utterances.add(document.line, recording, spoken(_words(best), options.nonwords))
        return
    word_lists = [spoken(_words(words), options.nonwords) for words in best]
    written = document.first(SCORES) or document[SCORES[0]]
    scores = [options.scale * score.number() for score in written]
    if len(scores) != len(word_lists):
        raise best.error(f"words of each of {len(scores)} texts")
    utterances.add_n_best(document.line, recording, weighted(scores, word_lists))


def _words(rows: Part) -> list[HypothesisWord]:
    return [
        (TIMED if row.has(TIMED.start) and row.has(TIMED.end) else FRAMES).word(row) for row in rows
    ]


READER = FormatReader(
    name="transformers",
    title="Hugging Face transformers, n best",
    section="whisper-and-its-family",
    content="words, or n best",
    kinds=("json",),
    looks_like=has_keys("word_offsets text"),
    parse=reading(_add),
    sample=(
        b'{"text": ["das haus"], "lm_score": [-3.0], "word_offsets": [[{"word": "das", '
        b'"start_offset": 0, "end_offset": 10}, {"word": "haus", "start_offset": 10, '
        b'"end_offset": 32}]]}'
    ),
    words=("das", "haus"),
    keys=("text word_offsets lm_score",),
)
