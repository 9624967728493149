"""Queries on an index: captions with speakers and dates, in which every word is certain."""

import json
import re

import numpy as np
import pytest

from indexer import index_files
from searcher import open_fused, open_index
from searcher.commands.search import main
from searcher.search import search
from std.errors import StdError

CAPTIONS = {
    "one": [("Anna", "guten tag"), ("Bob", "die polizei sagt"), ("Anna", "keine gewalt hier")],
    "two": [("Bob", "guten morgen"), ("Cem", "die polizei war da"), ("Bob", "rock and roll")],
    "three": [("Anna", "nichts davon"), ("Cem", "viel gewalt"), ("Anna", "die polizei")],
}
DATES = {"one": "2013-05-01", "two": "2014", "three": "2016-01"}


def captions(lines):
    """A caption of three seconds every ten seconds."""
    return "".join(
        f"00:00:{10 * i:02}.000 --> 00:00:{10 * i + 3:02}.000\n<v {who}>{text}\n\n"
        for i, (who, text) in enumerate(lines)
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("queries")
    for name, lines in CAPTIONS.items():
        (folder / f"{name}.vtt").write_text(f"WEBVTT\n\n{captions(lines)}")
    rows = "".join(f"{name},{date},News of {name}\n" for name, date in DATES.items())
    (folder / "metadata.csv").write_text(f"recording,date,title\n{rows}")
    index_files(
        [folder / f"{name}.vtt" for name in CAPTIONS],
        folder / "index",
        metadata=folder / "metadata.csv",
    )
    return folder / "index"


@pytest.fixture(scope="module")
def index(store):
    with open_index(store) as opened:
        yield opened


def files(index, query):
    return sorted({hit.file for hit in index.search(query)})


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("polizei AND gewalt", ["one", "three"]),
        ("polizei -gewalt", ["two"]),
        ("morgen OR nichts", ["three", "two"]),
        ("polizei WITHIN 10s gewalt", ["one", "three"]),
        ("polizei NEAR/5s gewalt", []),
        ("(morgen OR nichts) polizei", ["three", "two"]),
        ("polizei date:2013..2014", ["one", "two"]),
        ("polizei date:2013", ["one"]),
        ("polizei -date:2013", ["three", "two"]),
        ('polizei title:"news of t*"', ["three", "two"]),
        ("polizei title:three", ["three"]),
        ("polizei recording:t*", ["three", "two"]),
        ("polizei speaker:cem", ["two"]),
        ("polizei -speaker:cem", ["one", "three"]),
        ("polizei (speaker:anna OR speaker:bob)", ["one", "three"]),
        ("polizei first:15s", ["one", "two"]),
        ("polizei last:5s", ["three"]),
        ('polizei AND "guten tag"', ["one"]),
        ("(polizei speaker:bob first:15s) AND (gewalt speaker:anna)", ["one"]),
        ("gewalt AND (tag first:5s)", ["one"]),
        ("gewalt AND tag AND (polizei last:5s)", []),
    ],
)
def test_queries_find(index, query, found):
    assert files(index, query) == found


@pytest.mark.parametrize(
    ("query", "where", "told"),
    [
        ("polizei speaker:ana", None, ["no recording has speaker ana; is 'Anna' meant?"]),
        ("polizei date:2012", None, ["no recording has date 2012"]),
        ("polizei title:tree", None, ["no recording has title tree"]),
        ("polizei", "speaker = Anni", ["no recording has speaker Anni; is 'Anna' meant?"]),
        ("polizei speaker:anna date:2013", "date > 2012", []),
        ("polizei", "date >= 31.1.2012", ["no recording has date >= 31.1.2012"]),
        ("polizei date:>=2040", None, ["no recording has date >= 2040"]),
        ("polizei -speaker:anna", None, []),
    ],
)
def test_values_that_no_recording_has_are_told(index, query, where, told):
    result = index.find(query, where=where)
    assert [line for line in result.understood if line.startswith("no recording")] == told


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("NOT gewalt", ["two"]),
        ("polizei -speaker:anna", ["one", "two"]),  # by somebody else, and in the others by Anna
        ('NOT "guten tag" first:5s', ["three", "two"]),
        ("NOT polizei speaker:anna", ["one"]),  # where Anna speaks, and does not say it
        ("gewalt date:>=2016", ["three"]),
        ("date:2013..2014", ["one", "two"]),
    ],
)
def test_queries_hold_in_recordings(index, query, found):
    assert sorted(hit.file for hit in index.find_units(query)) == found


def test_turns_of_speakers(index):
    turns = index.find_units("polizei OR gewalt", "turn")
    assert sorted((one.file, one.speaker, one.start_s // 10) for one in turns) == [
        ("one", "Anna", 2), ("one", "Bob", 1), ("three", "Anna", 2), ("three", "Cem", 1),
        ("two", "Cem", 1),
    ]  # fmt: skip
    assert [one.file for one in index.find_units("polizei AND gewalt", "turn")] == []
    (said,) = index.find_units("polizei speaker:bob", "turn")
    assert (said.file, said.speaker, said.places[0][0]) == ("one", "Bob", "polizei")
    unsaid = index.find_units("NOT polizei speaker:cem", "turn")
    assert [(one.file, one.speaker) for one in unsaid] == [("three", "Cem")]


def test_conditions_on_units_add_up_to_all_units(index):
    said, unsaid = index.find_units("gewalt", min_probability=0), index.find_units("NOT gewalt")
    assert len(said) + len(unsaid) == 3
    assert said.expected.right + said.expected.right_below == pytest.approx(2, abs=0.1)
    assert repr(said) == "<2 recordings>"


@pytest.mark.parametrize("term", ["polizei", "rock and roll", "gewaltig", "poli*", '"guten tag"'])
def test_a_plain_term_is_searched_as_it_was_before_there_were_queries(index, term):
    wanted = index.adhoc_terms([term])
    before = search(wanted, index._prepared, index.searched_speech(None, None, ()), mode="adhoc")
    found = index.find(term, min_probability=0)
    for column, other in zip(found.candidates, before.candidates, strict=True):
        np.testing.assert_array_equal(column, other)
    np.testing.assert_array_equal(found.probability, before.probability)
    np.testing.assert_array_equal(found.decision_score, before.decision_score)


def test_places_of_terms_beside_a_query_are_as_without(index):
    alone = index.find("polizei", min_probability=0)
    both = index.find("gewalt AND hier", "polizei", min_probability=0)
    assert both.probability[both.candidates.term == 2].tolist() == alone.probability.tolist()


def test_a_term_that_is_given_twice_is_searched_once(index):
    assert [*index.search("polizei", "polizei")] == [*index.search("polizei")]


def test_one_place_of_two_words(index):
    hits = index.search("polizei AND gewalt", min_probability=0)
    assert {hit.term for hit in hits} == {"polizei", "gewalt"}
    of_one = {hit.term: hit.probability for hit in hits if hit.file == "one"}
    singles = {
        term: next(hit.probability for hit in index.search(term) if hit.file == "one")
        for term in of_one
    }
    product = singles["polizei"] * singles["gewalt"]
    assert of_one == pytest.approx(dict.fromkeys(of_one, product))


def test_what_was_understood_is_said(index):
    assert list(index.remarks(index.find("polizei -gewalt"))) == [
        "understood: “polizei” without “gewalt”; within a recording"
    ]
    assert list(index.remarks(index.find("rock and roll"))) == [
        "rock and roll: searched as a phrase; AND in capitals is an operator"
    ]
    for text in ("morgn~2", '"guten morgen"~5'):
        (told,) = index.find(text).understood
        assert told.startswith(f"{text}: ~ is no operator")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("polizei datum:2013", "is 'date' meant?"),
        ("polizei recording:radio", "expected the name of one of 3 recordings"),
        ("NOT polizei", "expected words that are said"),
        ("speaker:anna date:2013", "expected words that are said"),
        (" OR ".join(f"wort{i}" for i in range(30)), "at most 20 words and phrases, got 30"),
        ("polizei AND ...", "TERM: expected a word or a phrase"),
    ],
)
def test_what_is_no_query_is_refused(index, query, message):
    with pytest.raises(StdError, match=message.replace("?", "\\?")):
        index.search(query)


def test_several_recognisers(store, tmp_path):
    index_files([store.parent / "one.vtt", store.parent / "two.vtt"], tmp_path / "other")
    with open_fused(store, tmp_path / "other") as fused:
        assert files(fused, "polizei AND gewalt") == ["one", "three"]
        assert files(fused, "polizei date:2013") == ["one"]
        assert files(fused, "polizei last:5s") == ["three"]


@pytest.mark.parametrize("is_named", [True, False])
def test_several_recognisers_of_which_one_names_speakers(store, tmp_path, is_named):
    for name in ("one", "two"):
        without = re.sub("<v [^>]*>", "", (store.parent / f"{name}.vtt").read_text())
        (tmp_path / f"{name}.vtt").write_text(without)
    index_files([tmp_path / "one.vtt", tmp_path / "two.vtt"], tmp_path / "other")
    index_files([tmp_path / "one.vtt"], tmp_path / "third")
    first = store if is_named else tmp_path / "third"
    with open_fused(tmp_path / "other", first) as fused:
        if not is_named:
            with pytest.raises(StdError, match="speaker"):
                fused.search("polizei speaker:cem")
            with pytest.raises(StdError, match="expected an index that names speakers"):
                fused.find_units("polizei", "turn")
            return
        assert files(fused, "polizei speaker:cem") == ["two"]
        assert files(fused, "polizei -speaker:cem") == ["one", "three"]
        turns = {(one.file, one.speaker) for one in fused.find_units("polizei", "turn")}
        assert turns == {("one", "Bob"), ("two", "Cem"), ("three", "Anna")}


def test_where_has_the_same_operators(index):
    def chosen(where):
        return [one.recording.file for one in index.recordings(where=where)]

    assert chosen("date:2013 or title:three") == ["one", "three"]
    assert chosen("not date:2013") == ["three", "two"]
    assert chosen("(date:2013..2014) and not recording:two") == ["one"]
    assert chosen("speaker:cem or speaker:bob") == ["one", "three", "two"]
    hits = index.search("polizei", where="speaker:cem or speaker:bob")
    assert sorted(hit.file for hit in hits) == ["one", "two"]
    with pytest.raises(StdError, match="expected speaker beside other columns with and"):
        chosen("speaker:cem or date:2013")


def test_the_command_prints_units(store, capsys):
    arguments = ["--store", str(store), "--unit", "recording"]
    assert main([*arguments, "polizei -gewalt"]) == 0
    out, err = capsys.readouterr()
    assert out.split("\t")[:2] == ["two", "0:00.0"]
    assert "understood: “polizei” without “gewalt”; within a recording" in err
    assert "1 recording may fit; about 1 do" in err
    assert main([*arguments, "--json", "NOT polizei"]) == 1
    assert capsys.readouterr().out == "[]\n"
    assert main([*arguments, "--unit", "turn", "--csv", "speaker:cem polizei"]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header.startswith("file,channel,start_s,end_s,speaker,probability,places,date,title")
    assert row.startswith("two,1,")
    assert ",Cem," in row


@pytest.mark.parametrize("arguments", [["polizei", "gewalt"], ["polizei", "--decide"]])
def test_units_are_for_one_query(store, capsys, arguments):
    with pytest.raises(SystemExit):
        main(["--store", str(store), "--unit", "recording", *arguments])
    assert "--unit finds recordings or turns for one TERM" in capsys.readouterr().err


def test_lists_of_terms_hold_no_queries(store, tmp_path, capsys):
    terms = tmp_path / "terms.txt"
    terms.write_text("polizei AND gewalt\npolizei\n")
    assert main(["--store", str(store), "--terms", str(terms), "--nl"]) == 0
    found = {json.loads(line)["term"] for line in capsys.readouterr().out.splitlines()}
    assert "polizei" in found
    assert found <= {"polizei", "polizei AND gewalt"}


def test_the_words_of_a_query_are_explained(store, capsys):
    assert main(["--store", str(store), "--explain-query", "--nl", "polizei -speaker:bob"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert "understood: “polizei”, not said by bob" in err


def test_words_name_their_speakers(index):
    said = [(one.word, one.speaker) for one in index.words("two")]
    assert said[:4] == [("guten", "Bob"), ("morgen", "Bob"), ("die", "Cem"), ("polizei", "Cem")]
    assert said[-1] == ("roll", "Bob")
    assert [one.speaker for one in index.words("two", alternatives=True)] == [
        who for _, who in said
    ]
