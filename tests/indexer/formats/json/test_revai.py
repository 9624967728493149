"""Rev.ai: streams, monologues, unknown elements."""

from tests.indexer.formats.json.conftest import PLAIN, read, said, words


def element(value, at, **more):
    return {"type": "text", "value": value, "ts": at, "end_ts": round(at + 0.2, 2), **more}


SPACE = {"type": "punct", "value": " "}
ELEMENTS = [element("das", 0.0, confidence=0.97), SPACE, element("haus", 0.2, confidence=0.8)]


def test_revai_stream():
    value = (
        {"type": "connected", "id": "0"},
        {"type": "partial", "ts": 0.0, "end_ts": 1.0, "elements": [{"type": "text", "value": "d"}]},
        {"type": "final", "ts": 0.0, "end_ts": 0.5, "elements": ELEMENTS},
    )
    (network,) = read("revai", value)
    assert said(network) == PLAIN
    assert (network.start_ms, network.end_ms) == (0, 500)


def test_revai_monologues_end_utterances_and_so_do_pauses():
    value = {"monologues": [{"speaker": 0, "elements": [*ELEMENTS, SPACE, element("ja", 3.0)]},
                            {"speaker": 1, "elements": [element("nein", 3.3)]}]}  # fmt: skip
    assert words(read("revai", value)) == ["das haus", "ja", "nein"]


def test_revai_unknown_elements_are_not_named():
    value = {
        "monologues": [
            {
                "speaker": 0,
                "elements": [
                    ELEMENTS[0],
                    element("<inaudible>", 0.2, type="unknown"),
                    element("haus", 0.4),
                ],
            }
        ]
    }
    (network,) = read("revai", value)
    assert said(network) == [{"das": (0.97, 0, 200)}, {}, {"haus": (1, 400, 600)}]
