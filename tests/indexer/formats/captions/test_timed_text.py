"""Plain JSON of cues, and transcripts of meetings."""

from indexer.formats.readers import timed_text
from tests.indexer.formats.captions.conftest import parsed, read, said, times


def test_plain_json():
    assert said(read("rows.json"))[1] == (1000, 2500, "ist gut")
    assert read("captions.json")[0].language == "de"
    assert said(read("site.json"))[1] == (1000, 2500, "ist gut")
    (network,) = parsed(timed_text, '[{"word": "ja", "start": 1, "end": 2.5, "score": 0.5}]')
    assert (times(network), network.posteriors.tolist()) == ([(1000, 2500)], [0.5])


def test_transcripts_of_meetings():
    rows = '[{"start_ts": 1, "end_ts": 2, "transcript": "ja"}], "topics": [{"text": "nein"}]'
    otter = '{"summary": {"keywords": ["a"]}, "speech_segments": ' + rows + "}"
    assert timed_text.looks_like(otter.encode())
    assert said(parsed(timed_text, otter)) == [(1000, 2000, "ja")]
    sembly = '{"participants": [{"id": "p"}], "transcript": ' + rows + "}"
    sembly = sembly.replace("_ts", "_time").replace('"transcript": "ja', '"words_str": "ja')
    assert timed_text.looks_like(sembly.encode())
    assert said(parsed(timed_text, sembly)) == [(1000, 2000, "ja")]
