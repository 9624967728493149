"""The facet of speakers: counted and chosen by hit, not by recording."""

from dataclasses import replace

from indexer import index_files

MEETING = """WEBVTT

00:00:01.000 --> 00:00:02.000
<v Anna Smith>purple carrots</v>

00:00:02.100 --> 00:00:03.000
<v Bob>purple onions and purple beans</v>
"""


def facet(answer):
    return {one["value"]: (one["count"], one["selected"]) for one in answer["facets"]["speaker"]}


def test_hits_are_counted_and_chosen_by_speaker(serve, german_settings, tmp_path):
    (tmp_path / "meeting.vtt").write_text(MEETING)
    (tmp_path / "alone.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\npurple prose\n")
    (tmp_path / "nobody.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\npurple rain\n")
    index_files(sorted(tmp_path.glob("*.*")), [str(tmp_path / "index")])
    metadata = tmp_path / "metadata.csv"
    metadata.write_text("recording,speaker\nalone,Cleo\n")
    settings = replace(german_settings, stores=(str(tmp_path / "index"),), audio=None)
    with serve(settings) as client:
        every = client("/api/search", term="purple").json
        assert facet(every) == {"Anna Smith": (1, False), "Bob": (2, False), "": (2, False)}
        chosen = client("/api/search", term="purple", where="speaker:Bob").json
        assert [hit["speaker"] for hit in chosen["hits"]] == ["Bob", "Bob"]
        assert facet(chosen) == {"Bob": (2, True), "Anna Smith": (1, False), "": (2, False)}
    with serve(replace(settings, metadata=metadata)) as client:
        found = client("/api/search", term="purple", where=["speaker:Cleo", "speaker:Bob"]).json
        assert facet(found) == {
            "Bob": (2, True), "Cleo": (1, True), "Anna Smith": (1, False), "": (1, False),
        }  # fmt: skip
        assert found["total"] == 3
