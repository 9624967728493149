"""DeepSpeech: the n best with times of words."""

from tests.indexer.formats.json.conftest import read, said


def test_deepspeech():
    def transcript(confidence, *rows):
        return {"confidence": confidence, "words": [
            {"word": word, "start_time": start, "duration": lasts} for word, start, lasts in rows
        ]}  # fmt: skip

    best = transcript(-140.0, ("das", 0, 0.21), ("haus", 0.21, 0.44))
    other = transcript(-140.0, ("dass", 0, 0.21), ("haus", 0.21, 0.44))
    (network,) = read("deepspeech", {"transcripts": [best, other]})
    assert said(network) == [
        {"das": (0.5, 0, 210), "dass": (0.5, 0, 210)}, {"haus": (1, 210, 650)},
    ]  # fmt: skip
