"""Who spoke, from a file over the index to hits, conditions and lists."""

import json

import pytest

import indexer.cli
import searcher.commands.search
from indexer import index_files
from indexer.store_cli import main as std_store
from searcher import open_index
from std.errors import StdError

TEAMS = """WEBVTT

00:00:00.500 --> 00:00:01.500
<v Anna Smith>Purple carrots.</v>

00:00:01.600 --> 00:00:02.800
<v Bob Jones>Green beans and purple onions.</v>
"""
NOBODY = "1\n00:00:01,000 --> 00:00:02,000\npurple prose\n"


@pytest.fixture
def store(tmp_path):
    """Two recordings: one of Anna and Bob, one of nobody named."""
    store = str(tmp_path / "index")
    (tmp_path / "teams.vtt").write_text(TEAMS)
    (tmp_path / "nobody.srt").write_text(NOBODY)
    index_files([tmp_path / "teams.vtt"], [store])
    index_files([tmp_path / "nobody.srt"], [store])
    return store


def found(store, term, where=None, **more):
    with open_index(store) as index:
        hits = index.search(term, where=where, **more)
    return sorted((hit.file, hit.speaker) for hit in hits if hit.probability > 0.4)


def test_a_hit_names_its_speaker(store):
    assert found(store, "purple") == [
        ("nobody", ""),
        ("teams", "Anna Smith"),
        ("teams", "Bob Jones"),
    ]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ('speaker = "Bob Jones"', [("teams", "Bob Jones")]),
        ("speaker ~ A*", [("teams", "Anna Smith")]),
        ('speaker = "Bob Jones" and recording = nobody', []),
        ('speaker != "Anna Smith"', [("nobody", ""), ("teams", "Bob Jones")]),
        ('speaker != "Anna Smith" and speaker != "Bob Jones"', [("nobody", "")]),
        ("speaker = Nobody", []),
    ],
)
def test_a_condition_chooses_speakers(store, where, expected):
    assert found(store, "purple", where) == expected


def test_speech_of_a_speaker_is_a_share(store):
    with open_index(store) as index:
        every = index.searched_speech(None, "recording = teams", ()).seconds
        shares = [
            index.searched_speech(None, f'speaker = "{name}"', ()).seconds / every
            for name in ("Anna Smith", "Bob Jones")
        ]
    assert shares == pytest.approx([2 / 7, 5 / 7])


def test_a_term_heard_by_its_phones_has_a_speaker(store):
    assert {speaker for _, speaker in found(store, "purpel", "speaker ~ Bob*")} <= {"Bob Jones"}


def test_metadata_name_the_speaker_of_a_whole_recording(store, tmp_path):
    table = tmp_path / "meta.csv"
    table.write_text("recording,speaker\nnobody,Ada\n")
    assert indexer.cli.main(["--store", store, "--metadata", str(table)]) == 0
    assert found(store, "purple", "speaker = Ada") == [("nobody", "")]
    assert ("nobody", "") not in found(store, "purple", "speaker != Ada")


def test_speakers_stay_when_segments_are_merged_and_recordings_deleted(store):
    assert std_store(["merge", store]) == 0
    assert ("teams", "Bob Jones") in found(store, "purple")
    assert std_store(["delete", store, "nobody"]) == 0
    assert found(store, "purple") == [("teams", "Anna Smith"), ("teams", "Bob Jones")]
    assert std_store(["verify", store]) == 0


def test_an_index_without_speakers_knows_no_such_column(tmp_path):
    (tmp_path / "nobody.srt").write_text(NOBODY)
    index_files([tmp_path / "nobody.srt"], [str(tmp_path / "index")])
    with (
        open_index(tmp_path / "index") as index,
        pytest.raises(StdError, match="one of the columns"),
    ):
        index.search("purple", where="speaker = Bob")


def test_lists_and_files_name_speakers(store, capsys, tmp_path):
    assert std_store(["list", store, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["speakers"] for one in listed] == [[], ["Bob Jones", "Anna Smith"]]
    assert searcher.commands.search.main(["--store", store, "onions", "--json"]) == 0
    (hit,) = json.loads(capsys.readouterr().out)
    assert hit["speaker"] == "Bob Jones"
    srt = tmp_path / "hits.srt"
    assert searcher.commands.search.main(["--store", store, "onions", "--srt", str(srt)]) == 0
    assert "): Bob Jones: " in srt.read_text()


def test_a_couchdb_store_keeps_speakers(couchdb_url, tmp_path):
    (tmp_path / "teams.vtt").write_text(TEAMS)
    index_files([tmp_path / "teams.vtt"], [couchdb_url])
    expected = [("teams", "Anna Smith"), ("teams", "Bob Jones")]
    assert found(couchdb_url, "purple") == expected
    assert found(couchdb_url, "purple", "speaker ~ Bob*") == expected[1:]


CALL = """WEBVTT

00:00:01.000 --> 00:00:02.000
<v Bob>any green beans</v>

00:00:02.100 --> 00:00:03.000
<v Anna>purple onions</v>

00:00:03.100 --> 00:00:04.000
<v Bob>fine thanks</v>

00:00:04.100 --> 00:00:05.000
see you
"""


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("purple", ("Bob: any green beans – Anna:", "purple", "onions – Bob: fine thanks – see")),
        (
            "onions",
            ("Bob: any green beans – Anna: purple", "onions", "– Bob: fine thanks – see you"),
        ),
        ("any", ("", "any", "green beans – Anna: purple onions")),
        ("fine", ("Bob: green beans – Anna: purple onions – Bob:", "fine", "thanks – see you")),
    ],
)
def test_context_shows_changes_of_speakers(tmp_path, term, expected):
    (tmp_path / "call.vtt").write_text(CALL)
    index_files([tmp_path / "call.vtt"], [str(tmp_path / "index")])
    with open_index(tmp_path / "index") as index:
        hits = [hit for hit in index.search(term) if hit.probability > 0.4]
    assert [hit.context for hit in hits] == [expected]


def test_metadata_name_the_speakers_of_channels(tmp_path):
    ctm = "".join(f"call {one} {one} 0.5 purple 1.0\ncall {one} 3 0.5 rain 1.0\n" for one in (1, 2))
    (tmp_path / "call.ctm").write_text(ctm)
    index = str(tmp_path / "index")
    index_files([tmp_path / "call.ctm"], [index])
    table = tmp_path / "meta.csv"
    table.write_text("recording,speaker_1,speaker_2\ncall,Agent,Caller\n")
    assert indexer.cli.main(["--store", index, "--metadata", str(table)]) == 0
    with open_index(index) as opened:
        hits = {hit.channel: hit.said_by for hit in opened.search("purple")}
        assert hits == {1: "Agent", 2: "Caller"}
        (hit,) = opened.search("purple", where="speaker = Caller")
        assert hit.channel == 2
        assert [one.channel for one in opened.search("purple", where="speaker != Caller")] == [1]
        assert [one.channel for one in opened.search("purple", where="speaker_2 = Caller")] == [
            1,
            2,
        ]


def test_turns_of_a_diarisation_name_speakers(tmp_path):
    words = ["purple", "carrots", "green", "beans", "purple", "onions", "purple", "rain"]
    ctm = "".join(f"call 1 {1 + 0.5 * i} 0.4 {word} 1.0\n" for i, word in enumerate(words))
    (tmp_path / "call.ctm").write_text(ctm)
    (tmp_path / "who.rttm").write_text(
        "SPEAKER call 1 0.9 2.0 <NA> <NA> Anna <NA>\nSPEAKER call 1 2.8 1.15 <NA> <NA> Bob <NA>\n"
    )
    given = [str(tmp_path / "call.ctm"), "--speakers", str(tmp_path / "who.rttm")]
    store = str(tmp_path / "index")
    assert indexer.cli.main([*given, "--store", store]) == 0
    with open_index(store) as index:
        hits = sorted((hit.start_s, hit.speaker) for hit in index.search("purple"))
        (phrase,) = [hit for hit in index.search("beans purple") if hit.probability > 0.4]
    assert hits == [(1.0, "Anna"), (3.0, "Bob"), (4.0, "Bob")]
    assert phrase.speaker == "Anna, Bob"


@pytest.mark.parametrize("turns", ["", "SPEAKER other 1 0 9 <NA> <NA> Anna <NA>\n"])
def test_recordings_that_a_diarisation_lacks_are_named(turns, tmp_path, capsys):
    (tmp_path / "call.ctm").write_text("call 1 1.0 0.4 purple 1.0\ncall 2 1.0 0.4 green 1.0\n")
    (tmp_path / "who.rttm").write_text(turns)
    given = [str(tmp_path / "call.ctm"), "--speakers", str(tmp_path / "who.rttm")]
    assert indexer.cli.main([*given, "--store", str(tmp_path / "index")]) == 0
    expected = f"warning: 2 recordings not in {tmp_path / 'who.rttm'}: call/1 ...\n"
    assert expected in capsys.readouterr().err
