"""IBM Watson: slots that a threshold leaves out, jobs, streams, masked words."""

from tests.indexer.formats.json.conftest import DAS_HAUS, read, said, words


def watson_slot(start, end, **alternatives):
    listed = [{"word": word, "confidence": mass} for word, mass in alternatives.items()]
    return {"start_time": start, "end_time": end, "alternatives": listed}


def test_watson_words_without_a_slot_are_kept():
    """A threshold leaves whole slots out; the first alternative still has the word."""
    result = {
        "final": True,
        "word_alternatives": [watson_slot(0.65, 0.9, steht=0.95), watson_slot(0.0, 0.21, das=0.97)],
        "alternatives": [{"transcript": "das haus steht ", "confidence": 0.8, "timestamps": [
            ["das", 0.0, 0.21], ["haus", 0.21, 0.65], ["steht", 0.66, 0.9]]}],
    }  # fmt: skip
    (network,) = read("watson", {"result_index": 0, "results": [result]})
    assert said(network) == [*DAS_HAUS, {"steht": (0.95, 650, 900)}]
    assert list(network.epsilons) == [0, 0, 0]


def test_watson_jobs_and_streams():
    result = {"final": True, "word_alternatives": [watson_slot(0, 1, ja=0.9)]}
    job = {"status": "completed", "id": "7", "results": [{"result_index": 0, "results": [result]}]}
    stream = [{"state": "listening"}, {"results": [result]}, {"speaker_labels": []}]
    for value in (job, stream):
        assert words(read("watson", value)) == ["ja"]


def test_watson_masks_words():
    result = {"final": True, "alternatives": [{"timestamps": [["****", 0, 1], ["ja", 1, 2]]}]}
    (network,) = read("watson", {"results": [result]})
    assert network.words == ("ja",)


def test_watson_says_who_spoke_beside_results():
    result = {"final": True, "alternatives": [{"transcript": "das haus steht ", "timestamps": [
        ["das", 0.0, 0.21], ["haus", 0.21, 0.65], ["steht", 0.66, 0.9]]}]}  # fmt: skip
    labels = [{"from": 0.0, "to": 0.21, "speaker": 0}, {"from": 0.21, "to": 0.65, "speaker": 1},
              {"from": 0.66, "to": 0.9, "speaker": 1}]  # fmt: skip
    one = {"results": [result], "speaker_labels": labels}
    stream = [{"results": [result]}, {"speaker_labels": labels}]
    for value in (one, stream):
        found = read("watson", value)
        assert [(n.speaker, *n.words) for n in found] == [("0", "das"), ("1", "haus", "steht")]
    slots = {**result, "word_alternatives": [watson_slot(0.21, 0.65, haus=0.9, aus=0.1)]}
    (network,) = read("watson", {**one, "results": [slots]})
    assert network.speaker == "1"
