"""A language for each recording: who says it, what is in doubt, and segments of one language."""

import json
from contextlib import ExitStack

import numpy as np
import pytest

from indexer import index_files, list_recordings, maintain, merge_segments
from indexer.build import build
from indexer.cli import main
from indexer.formats.readers import jsonl
from indexer.languages.precedence import ECF, INPUT, OPTION, Told, recording_shares, spoken
from indexer.languages.pronounce import Pronouncer
from indexer.maintain import delete, upkeep
from indexer.segments.invert import invert
from indexer.segments.phone_columns import PhoneColumnBuilder
from indexer.store_cli import main as std_store
from searcher import open_index
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.search import search
from std.config import Config, IndexConfig
from std.languages.detection import guess, of_segment, shares
from std.store import open_store
from std.values import Recording, Term

pytestmark = pytest.mark.slow

TEXTS = {
    "de": "ich weiß nicht ob wir das noch schaffen aber wenn die anderen auch kommen dann ist es "
    "vielleicht besser mit dem auto zu fahren als auf den bus zu warten",
    "nl": "ik weet niet of we het nog halen maar als de anderen ook komen dan is het misschien "
    "beter om met de auto te gaan dan op de bus te wachten",
    "en": "i don't know if we will make it but if the others are coming as well then it is perhaps "
    "better to go by car than to wait for the bus",
    "names": "obama merkel macron trudeau putin obama",
}


class Letters:
    """Pronounces a word by its letters, in a language."""

    def __init__(self, language):
        self.name = f"letters:{language}"

    def pronounce(self, words):
        return [tuple(word.replace("'", "")) for word in words]


@pytest.fixture(autouse=True)
def letters(monkeypatch):
    monkeypatch.setattr("std.phonetics.lexicon.converter", Letters)
    monkeypatch.setattr("std.phonetics.g2p.converter", Letters)


@pytest.fixture
def speech(network):
    def made(kind, file, language=""):
        one = network(*([(word, 0.9)] for word in TEXTS[kind].split()), file=file, utterance=file)
        object.__setattr__(one, "language", language)
        return one

    return made


def write(path, *networks):
    with path.open("wb") as stream:
        jsonl.dump(networks, stream)
    return path


@pytest.fixture
def inputs(speech, tmp_path):
    """Twelve recordings, three in each language and three that tell none."""
    folder = tmp_path / "in"
    folder.mkdir()
    return [
        write(folder / f"{kind}{i}.jsonl", speech(kind, f"{kind}{i}"))
        for i in range(3)
        for kind in ("de", "nl", "en", "names")
    ]


def indexed(inputs, urls, told=None, config=None):
    config = config or Config()
    stores = [open_store(str(url), create=True) for url in urls]
    pronouncer = Pronouncer(PhoneColumnBuilder(config), told or Told())
    with ExitStack() as locks:
        for store in stores:
            locks.enter_context(store.writing())
        build(inputs, stores, config, pronouncer=pronouncer)
    return stores, pronouncer


def languages(stores):
    """The language of each live recording as the index has it."""
    return {
        one.recording.file: of_segment(segment)
        for store in stores
        for segment in store.segments()
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted
    }


def hits(stores, texts=("auto", "obama", "scheffen")):
    found = search(
        [Term(text, text) for text in texts],
        prepare([segment for store in stores for segment in store.segments()], Config()),
        SearchedSpeech(None, 100.0),
    )
    return [
        (
            texts[term],
            found.recordings[recording].file,
            found.languages[recording],
            start,
            round(score, 6),
        )
        for term, recording, start, score in zip(
            *(found.candidates[i].tolist() for i in (0, 2, 3, 5)), strict=True
        )
    ]


def test_shares_of_recordings_against_counting(speech):
    columns = invert([speech(kind, kind) for kind in TEXTS])
    words, found = recording_shares(columns)
    for row, one in enumerate(columns.recordings):
        text = TEXTS[one.recording.file].split()
        counts = {word: 0.9 * text.count(word) for word in text}
        assert words[row] == pytest.approx(0.9 * len(text))
        np.testing.assert_allclose(found[row], shares(counts), atol=1e-6)
        assert spoken(columns, Told())[row].guess.language == guess(found[row], 20).language


def test_who_says_a_language_goes_before_whom(speech):
    columns = invert([speech("de", "a")])
    a = Recording("a", 1)
    told = Told("", {a: "Dutch"}, {a: "en"})
    assert spoken(columns, Told("sv", {a: "nl"}))[0][:2] == ("sv", OPTION)
    assert spoken(columns, told)[0][:2] == ("nl", ECF)
    assert spoken(columns, told)[0].contradicted
    assert spoken(columns, Told("", {}, {a: "en-GB"}))[0][:2] == ("en", INPUT)
    assert spoken(columns, Told())[0][:2] == ("de", "words")
    assert spoken(columns, Told("", {a: "klingon"}, {a: "und"}))[0][:2] == ("de", "words")
    assert Told("", {a: "klingon"}).not_understood() == ["klingon"]


def test_each_recording_is_pronounced_in_its_language(inputs):
    stores, pronouncer = indexed(inputs, ["memory:"])
    found = languages(stores)
    assert all(found[file] == file[:2] for file in found if not file.startswith("names"))
    assert len(stores[0].segments()) == 3
    assert {one.source for one in pronouncer.found.values()} == {"words", "other recordings"}
    for segment in stores[0].segments():
        assert bytes(segment.extra("phone_maker")).decode() == f"letters:{of_segment(segment)}"


def test_an_index_of_one_language_is_the_same_as_ever(speech):
    said = [speech("de", f"de{i}") for i in range(3)] + [speech("names", "names")]
    columns = invert(said)
    (part,) = Pronouncer(PhoneColumnBuilder(Config())).last_segments([columns])[0]
    expected = PhoneColumnBuilder(Config()).of(columns, "de")
    assert part.arrays().keys() == (columns.arrays() | expected).keys()
    for name, column in (columns.arrays() | expected).items():
        assert (part.arrays()[name] == column).all()


CUTS = [
    {},
    {"segment_postings": 1},  # a commit for each file
    {"segment_postings": 60},
    {"shards": 3},
    {"shards": 2, "segment_postings": 40},
]


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_nothing_depends_on_the_cut(inputs, cut, merge):
    cut = dict(cut)
    urls = ["memory:" for _ in range(cut.pop("shards", 1))]
    whole, _ = indexed(inputs, ["memory:"])
    stores, pronouncer = indexed(inputs, urls, config=Config(index=IndexConfig(**cut)))
    upkeep(stores, everything=merge, phone_builder=pronouncer.phone_builder)
    assert languages(stores) == languages(whole)
    assert hits(stores) == hits(whole)
    assert {one[2] for one in hits(whole)} == {"de", "nl", "en"}
    if merge:
        assert all(len({*map(of_segment, s.segments())}) == len(s.segments()) for s in stores)


def test_many_short_recordings_tell_it_together(network, tmp_path):
    words = TEXTS["nl"].split()
    paths = [
        write(
            tmp_path / f"{i}.jsonl",
            network(*([(word, 1.0)] for word in words[i : i + 3]), file=f"u{i}", utterance="u"),
        )
        for i in range(len(words) - 3)
    ]
    config = Config(index=IndexConfig(segment_postings=10))
    stores, pronouncer = indexed(paths, ["memory:"], config=config)
    assert set(languages(stores).values()) == {"nl"}
    assert "other recordings" in {one.source for one in pronouncer.found.values()}


def test_a_recording_in_two_files_is_one_recording(network, tmp_path):
    halves = TEXTS["de"].split()[:14], TEXTS["de"].split()[14:]
    paths = [
        write(
            tmp_path / f"{i}.jsonl",
            network(
                *([(word, 1.0)] for word in half),
                file="de",
                utterance=f"u{i}",
                start_ms=10_000 * i,
            ),
        )
        for i, half in enumerate(halves)
    ]
    config = Config(index=IndexConfig(segment_postings=1))
    stores, pronouncer = indexed(paths, ["memory:"], config=config)
    assert len(stores[0].segments()) == 1
    assert languages(stores) == {"de": "de"}
    assert pronouncer.found[Recording("de", 1)].source == "words"


def test_names_join_the_language_of_the_index(inputs, speech, tmp_path):
    stores, _ = indexed(inputs[::4], ["memory:"])  # German
    later = write(tmp_path / "later.jsonl", speech("names", "later"))
    config = Config()
    pronouncer = Pronouncer(PhoneColumnBuilder(config))
    with stores[0].writing():
        build([later], stores, config, pronouncer=pronouncer)
    assert languages(stores)["later"] == "de"


def test_an_index_without_any_language_finds_one_when_it_is_merged(inputs):
    stores, pronouncer = indexed(inputs[3::4], ["memory:"])  # names only
    assert set(languages(stores).values()) == {""}
    assert "" in pronouncer.phone_builder.problems
    with stores[0].writing():
        build(inputs[:1], stores, Config(), pronouncer=Pronouncer(PhoneColumnBuilder(Config())))
    upkeep(stores, everything=True, phone_builder=PhoneColumnBuilder(Config()))
    assert set(languages(stores).values()) == {"de"}
    assert len(stores[0].segments()) == 1


def test_a_language_without_a_converter_is_remembered(inputs, monkeypatch):
    from std.errors import ConfigError

    def none(language):
        raise ConfigError(f"nobody speaks {language}")

    monkeypatch.setattr("std.phonetics.lexicon.converter", none)
    stores, pronouncer = indexed(inputs[1::4], ["memory:"])
    assert set(languages(stores).values()) == {"nl"}
    assert pronouncer.phone_builder.problems == {"nl": "nobody speaks nl"}
    monkeypatch.setattr("std.phonetics.lexicon.converter", Letters)
    with stores[0].writing():  # a second commit, so that there is something to merge
        build(
            inputs[2::4][:1], stores, Config(), pronouncer=Pronouncer(PhoneColumnBuilder(Config()))
        )
        delete(["nl0"], stores)
    upkeep(stores, everything=True, phone_builder=PhoneColumnBuilder(Config()))
    assert languages(stores) == {"nl1": "nl", "nl2": "nl", "en0": "en"}
    assert all(one.extra("phone_maker") is not None for one in stores[0].segments())


def test_deleting_and_replacing_in_any_language(inputs, speech):
    stores, _ = indexed(inputs, ["memory:"])
    (path,) = (one for one in inputs if one.stem == "de0")
    again = write(path, speech("en", "de0"))  # was German
    with stores[0].writing():
        build([again], stores, Config(), pronouncer=Pronouncer(PhoneColumnBuilder(Config())))
        delete(["nl1"], stores)
    found = languages(stores)
    assert found["de0"] == "en"
    assert "nl1" not in found
    upkeep(stores, everything=True, phone_builder=PhoneColumnBuilder(Config()))
    assert languages(stores) == found
    assert len(stores[0].segments()) == 3


ECF_TEXT = """<ecf source_signal_duration="9" language="{whole}" version="1">
<excerpt audio_filename="a" channel="1" tbeg="0" dur="5" {one} source_type="bnews"/></ecf>"""


@pytest.mark.parametrize(
    ("options", "ecf", "stated", "language", "said"),
    [
        ([], None, "", "de", ""),
        (["--language", "Dutch"], ("english", 'language="en"'), "fr", "nl", ""),
        ([], ("english", 'language="Dutch"'), "fr", "nl", "words like 'de'"),
        ([], ("english", ""), "fr", "en", "words like 'de'"),
        ([], None, "fr-FR", "fr", "words like 'de'"),
        ([], ("", ""), "de", "de", ""),
        ([], ("x", ""), "", "de", "no language 'x'"),
    ],
)
def test_std_index_says_what_it_found(
    options, ecf, stated, language, said, speech, tmp_path, capsys
):
    path = write(tmp_path / "in.jsonl", speech("de", "a", stated))
    store = str(tmp_path / "index")
    if ecf:
        (tmp_path / "ecf.xml").write_text(ECF_TEXT.format(whole=ecf[0], one=ecf[1]))
        options = [*options, "--ecf", str(tmp_path / "ecf.xml")]
    assert main([str(path), "--store", store, "--json", *options]) == 0
    out, err = capsys.readouterr()
    (found,) = json.loads(out)["languages"]
    assert (found["language"], found["pronouncer"]) == (language, f"letters:{language}")
    assert f"language {language} (letters:{language}): 1 recording" in err
    assert (said in err) if said else ("warning" not in err)
    assert std_store(["verify", store, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["languages"][store] == [
        {"language": language, "pronouncer": f"letters:{language}", "recordings": 1}
    ]
    assert ("indexed as" in err) == (language != "de")


def test_doubt_is_a_warning_that_names_the_option(inputs, tmp_path, capsys):
    assert main([*map(str, inputs), "--store", str(tmp_path / "index")]) == 0
    err = capsys.readouterr().err
    assert "3 recordings (names0/1 ...) with too few words that tell a language" in err
    assert "give the language with --language" in err
    assert main([str(inputs[3]), "--store", str(tmp_path / "names")]) == 0
    assert "no recognisable language" in capsys.readouterr().err


def test_a_misspelt_language_is_refused_before_any_work(inputs, tmp_path, capsys, monkeypatch):
    monkeypatch.undo()
    pytest.importorskip("espeakng_loader")
    store = tmp_path / "index"
    assert main([str(inputs[0]), "--store", str(store), "--language", "zzyzx"]) == 2
    assert "zzyzx" in capsys.readouterr().err
    assert not list(store.glob("segments/*"))


SAID = {
    "japanese": ("これは日本語のテキストです。私は学生です", "ja"),
    "more": ("東京で天気がいいです。それでは", "ja"),
    "arabic": ("سلام دنيا جديدة", ""),
    "hebrew": ("ספר חדש מאוד", ""),
    "names": ("Ana Hoya Zeta", ""),
    "hindi": ("नमस्ते दुनिया", ""),
}


@pytest.mark.parametrize("others", [{}, {"english": ("the dog is in the garden with you", "en")}])
def test_a_recording_takes_the_language_of_its_script_only(others, tmp_path):
    expected = SAID | others
    if others:
        expected["names"] = ("Ana Hoya Zeta", "en")
    for name, (text, _) in expected.items():
        path = tmp_path / f"{name}.srt"
        path.write_text(f"1\n00:00:00,000 --> 00:00:09,000\n{text}\n", "utf-8")
    index_files(sorted(tmp_path.glob("*.srt")), tmp_path / "index")
    with open_index(tmp_path / "index") as index:
        found = {one.recording.file: one.language for one in index.recordings()}
    assert found == {name: language for name, (_, language) in expected.items()}


def test_letters_that_arabic_has_not_exclude_arabic(tmp_path):
    said = {
        "news": ("من في على هذا أن إلى التي كان وقال إن هذا هو الطريق إلى السلام في العالم", "ar"),
        "arabic": ("سلام دنيا جديدة", "ar"),
        "persian": ("سلام دنیا", ""),
    }
    for name, (text, _) in said.items():
        path = tmp_path / f"{name}.srt"
        path.write_text(f"1\n00:00:00,000 --> 00:00:09,000\n{text}\n", "utf-8")
    index_files(sorted(tmp_path.glob("*.srt")), tmp_path / "index")
    with open_index(tmp_path / "index") as index:
        found = {one.recording.file: one.language for one in index.recordings()}
    assert found == {name: language for name, (_, language) in said.items()}


def test_merging_ends_where_recordings_without_words_have_no_language(tmp_path, monkeypatch):
    silence = {"utt": "u", "start": 0, "end": 5, "slots": []}
    (tmp_path / "silence.jsonl").write_text(json.dumps(silence) + "\n")
    (tmp_path / "talk.ctm").write_text("talk 1 0 0.5 haus\n")
    index_files(tmp_path / "silence.jsonl", tmp_path / "index")
    index_files(tmp_path / "talk.ctm", tmp_path / "index", language="de")
    rounds, due = [], maintain._due

    def counted(*given, **more):
        assert len(rounds) < 5, "it never ends"
        rounds.append(1)
        return due(*given, **more)

    monkeypatch.setattr(maintain, "_due", counted)
    merge_segments(tmp_path / "index")
    assert [one.about.language for one in list_recordings(tmp_path / "index")] == ["", "de"]
