"""The n best of transformers' CTC decoders with a language model (Wav2Vec2ProcessorWithLM).

    {"text": ["das haus", "dass haus"], "logit_score": [-12.1, -13.0], "lm_score": [-4.2, -5.1],
        "word_offsets": [[{"word": "das", "start_offset": 0, "end_offset": 10}, ...], ...]}
    {"text": "das haus", "logit_score": -12.1, "lm_score": -4.2, "word_offsets": [...]}   the best

Each object is an utterance. Offsets are frames of `FRAME_S`. The n best are laid side by side,
weighted by the softmax of their ``lm_score``, which the decoder ranks them by (it holds the
acoustic score, too), else of ``logit_score``, scaled by ``acoustic_scale`` if given. Where words
carry ``start_time`` and ``end_time`` in seconds, as the library's example adds them, these count.
``chunks`` with a ``timestamp``, which pipelines give, are read with Whisper's family.

Source: huggingface/transformers ``processing_wav2vec2_with_lm.py`` (Wav2Vec2DecoderWithLMOutput).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.numbered import NumberedUtterances
from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.networks.hypotheses import Hypothesis, HypothesisWord, spoken, weighted
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

FRAME_S = 0.02  # of wav2vec 2.0, HuBERT, WavLM and MMS: 320 samples of 16,000 in a second
SCORES = ("lm_score", "logit_score")


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is of such a decoder."""
    return b'"word_offsets"' in head and b'"text"' in head


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not of such a decoder.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    for document in documents(stream, path, repairs=options.repairs):
        if not isinstance(document["text"].value, list):
            words = _words(document["word_offsets"], options.nonwords)
            utterances.add_n_best(document.line, recording, [Hypothesis(1.0, words)])
            continue
        word_lists = [_words(words, options.nonwords) for words in document["word_offsets"]]
        scores = [
            options.scale * score.number()
            for score in document.first(SCORES) or document[SCORES[0]]
        ]
        if len(scores) != len(word_lists):
            raise document["word_offsets"].error(f"words of each of {len(scores)} texts")
        utterances.add_n_best(document.line, recording, weighted(scores, word_lists))
    yield utterances.collected()


def _words(offsets: Part, nonwords: Nonwords) -> list[HypothesisWord]:
    return spoken(map(_word, offsets), nonwords)


def _word(word: Part) -> HypothesisWord:
    if word.has("start_time") and word.has("end_time"):
        times = word["start_time"].seconds(), word["end_time"].seconds()
    else:
        times = word["start_offset"].seconds(1 / FRAME_S), word["end_offset"].seconds(1 / FRAME_S)
    return HypothesisWord(word["word"].text(), 1.0, *times)


READER = FormatReader(
    name="transformers",
    title="Hugging Face transformers, n best",
    section="whisper-and-its-family",
    content="words, or n best",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"text": ["das haus"], "lm_score": [-3.0], "word_offsets": [[{"word": "das", '
        b'"start_offset": 0, "end_offset": 10}, {"word": "haus", "start_offset": 10, '
        b'"end_offset": 32}]]}'
    ),
    words=("das", "haus"),
    keys=("text word_offsets lm_score",),
)
