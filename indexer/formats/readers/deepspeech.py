"""DeepSpeech's and Coqui STT's JSON (``--json``): the n best, words with times.

    {"transcripts": [{"confidence": -141.8, "words":
        [{"word": "das", "start_time": 0.0, "duration": 0.21}, ...]}, ...]}

Each object is an utterance. ``confidence`` is a log score: weights of the transcripts are its
softmax, scaled by ``acoustic_scale`` if given.

Source: mozilla/DeepSpeech ``native_client/client.cc`` (MetadataToJSON); an output in
diamandis-lab/HEROIC ``text_files_storage``.
"""

from indexer.formats.shared.json_paths import Shape, Words, declared, has_keys
from indexer.formats.shared.reader import FormatReader

WORDS = Words(start="start_time", duration="duration")

READER = FormatReader(
    name="deepspeech",
    title="DeepSpeech, Coqui STT",
    section="deepspeech",
    content="n best",
    kinds=("json",),
    looks_like=has_keys("transcripts confidence duration"),
    parse=declared(Shape(words=WORDS, alternatives="transcripts", score="confidence")),
    sample=(
        b'{"transcripts": [{"confidence": -141.8, "words": [{"word": "das", "start_time": 0.0, '
        b'"duration": 0.21}, {"word": "haus", "start_time": 0.21, "duration": 0.44}]}]}'
    ),
    words=("das", "haus"),
    keys=("transcripts confidence words start_time",),
)
