"""Azure Video Indexer: lines of videos, playlists, API 1."""

from tests.indexer.formats.json.conftest import read, refusal, said, words


def of_line(text, start, end, **more):
    when = {"start": start, "end": end, "adjustedStart": "0:09:00", "adjustedEnd": "0:09:01"}
    return {"text": text, "confidence": 0.9, "instances": [when], **more}


def of_index(*videos):
    return {"name": "monday.mp4", "state": "Processed", "summarizedInsights": None,
            "videos": [*videos]}  # fmt: skip


def of_video(*lines, number=1, state="Processed"):
    insights = {"version": "1", "language": "de-DE"} | ({"transcript": [*lines]} if lines else {})
    return {"id": f"v{number}", "accountId": "0", "state": state, "insights": insights}


def test_video_indexer_words_share_their_line():
    value = of_index(of_video(of_line("Das Haus.", "1:00:01", "1:00:01.7")))
    (network,) = read("video-indexer", value)
    assert (network.start_ms, network.end_ms) == (3601_000, 3601_700)
    assert [[(w, p) for w, (p, _, _) in slot.items()] for slot in said(network)] == [
        [("das", 0.9)], [("haus", 0.9)],
    ]  # fmt: skip
    assert network.times_estimated
    assert (network.recording.file, network.language) == ("monday", "de-DE")


def test_video_indexer_videos_of_a_playlist_are_recordings():
    value = of_index(
        of_video(of_line("Das", "0:00:00", "0:00:01")),
        of_video(of_line("Haus", "0:00:00", "0:00:01", language="nl"), number=2),
    )
    found = read("video-indexer", value)
    assert [(one.recording.file, one.language) for one in found] == [("v1", "de-DE"), ("v2", "nl")]


def test_video_indexer_api_1():
    when = {"start": "00:00:00", "end": "00:00:00.7000000"}
    line = {"id": 0, "text": "Das Haus.", "confidence": 0.9, "timeRange": when}
    blocks = [{"lines": [{**line, "text": ""}]}, {"lines": [line]}]
    value = {"name": "x", "breakdowns": [{"id": "b", "language": "German",
                                          "insights": {"transcriptBlocks": blocks}}]}  # fmt: skip
    (network,) = read("video-indexer", value)
    assert (words([network]), network.language) == (["Das Haus"], "German")


def test_video_indexer_of_a_silent_film_and_of_one_that_is_not_done():
    assert read("video-indexer", of_index(of_video())) == []
    error = refusal("video-indexer", of_index(of_video(state="Processing")))
    assert "a job that is Processing" in str(error)
    value = of_index(of_video(of_line("Das", "0:00:00", "0:61")))
    assert "a time such as 0:01:02.5" in refusal("video-indexer", value).expected
