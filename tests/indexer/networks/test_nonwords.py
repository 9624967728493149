"""What is written where no word was spoken: dropped, counted, or kept if the user wants it."""

import json

import pytest

import indexer.cli
from indexer.formats.shared.reader import ReaderOptions
from indexer.networks.hypotheses import untimed
from indexer.networks.nonwords import Nonwords, remarks, replacements, spoken
from indexer.shards import audio_files
from std.numbers import counted
from std.store import open_store, vocabulary_counts
from tests.networks import networks_of

NOISES = [
    "[noise]",
    "[Music]",
    "[BLANK_AUDIO]",
    "[laughter]",
    "<laugh>",
    "<v-noise>",
    "<SPOKEN_NOISE>",
    "<hes>",
    "{breath}",
    "++UM++",
    "++NOISE++",
    "%HESITATION",
    "%hes",
    "-hes-",
    "(laughs)",
    "(APPLAUSE)",
    "(Lachen)",
    "*sighs*",
    "♪",
    "♪♫",
]
SILENCES = [
    "<eps>",
    "*DELETE*",
    "*EPS*",
    "!NULL",
    "<s>",
    "</s>",
    "!SENT_END",
    "sil",
    "SIL",
    "<sil>",
    "-pause-",
    "@",
    "#0",
]
WORDS = [
    "und",
    "[th]is",
    "(WHO)",
    "(2012)",
    "(a)",
    "50%",
    "%",
    "+",
    "(",
    "[",
    "-x-",
    "f*ck",
    "*really*",
    "a<b>",
    "x(2)y",
    "file(s)",
]


@pytest.mark.parametrize("token", NOISES)
def test_noises_are_no_words_unless_they_are_kept(token):
    assert spoken(token) == ""
    assert spoken(token, keep_noises=True) == token


@pytest.mark.parametrize("token", SILENCES)
def test_silences_are_never_words(token):
    assert spoken(token) == spoken(token, keep_noises=True) == ""


@pytest.mark.parametrize("token", ["<unk>", "<UNK>", "[UNK]", "<oov>"])
def test_unknown_words_are_words_that_nobody_names(token):
    assert spoken(token) is spoken(token, keep_noises=True) is None


@pytest.mark.parametrize("token", WORDS)
def test_words_stay(token):
    assert spoken(token) == token
    assert replacements([token]) == {}


def test_a_word_said_laughing_is_a_word():
    assert spoken("[laughter-yeah]") == "yeah"


REMARKS = [
    ("(laughs) Yes, I know.", ["(laughs)"]),
    ("Yes (speaking German) I know [laughter].", ["(speaking German)", "[laughter]"]),
    ("(Speaking in a foreign language.)", ["(Speaking in a foreign language.)"]),
    ("[leise Musik] Das Haus", ["[leise Musik]"]),
    ("\u266a Das Haus \u266a", ["\u266a", "\u266a"]),
    ("Das (Applaus) Haus", ["(Applaus)"]),
    ("\uff08\u7b11\uff09\u306f\u3044", ["\uff08\u7b11\uff09"]),
    ("*sighs* No. *really* no", ["*sighs*"]),
    ("*Tür knallt*", ["*Tür knallt*"]),
    ("<|de|> ja <laugh>", ["<|de|>", "<laugh>"]),
    ("so %HESITATION ja", ["%HESITATION"]),
    ("the World Health Organization (WHO) says", []),
    ("der Mann (der das Haus gekauft hat) ging", []),
    ("file(s), 2 * 3 * 4, a < b and c > d, 100 % [ offen, (offen", []),
    ("he said <unk> [unk]", []),
]


@pytest.mark.parametrize(("text", "expected"), REMARKS)
def test_remarks_of_a_text(text, expected):
    assert [text[a:b] for a, b in remarks(text)] == expected


def test_remarks_may_go_over_several_words():
    nonwords = Nonwords()
    words = untimed("Das [leise Musik] gute(lacht) Haus (speaking German).", nonwords=nonwords)
    assert [word.token for word in words] == ["Das", "gute(lacht", "Haus"]
    assert nonwords.dropped == {"[leise musik]": 1, "(speaking german)": 1}
    kept = untimed("Das [leise Musik] Haus (lacht)", nonwords=Nonwords(keep=True))
    assert [word.token for word in kept] == ["Das", "leise", "Musik", "Haus", "lacht"]


WHISPER = {"language": "de", "segments": [
    {"start": 0.0, "end": 1.0, "text": " [Musik]"},
    {"start": 1.0, "end": 2.0, "text": " Das (lacht) Haus.", "words": [
        {"word": " Das", "start": 1.0, "end": 1.2, "probability": 0.9},
        {"word": " (lacht)", "start": 1.2, "end": 1.5, "probability": 0.9},
        {"word": " Haus.", "start": 1.5, "end": 2.0, "probability": 0.9}]},
]}  # fmt: skip
WATSON = {
    "results": [
        {
            "final": True,
            "alternatives": [
                {
                    "transcript": "das %HESITATION haus ",
                    "confidence": 0.9,
                    "timestamps": [
                        ["das", 0.0, 0.2],
                        ["%HESITATION", 0.2, 0.5],
                        ["haus", 0.5, 0.9],
                    ],
                }
            ],
        }
    ]
}
VOSK = {
    "result": [
        {"conf": 1.0, "start": 0.0, "end": 0.2, "word": "das"},
        {"conf": 1.0, "start": 0.2, "end": 0.4, "word": "[noise]"},
        {"conf": 1.0, "start": 0.4, "end": 0.9, "word": "haus"},
    ],
    "text": "das [noise] haus",
}
MESH = """name u
numaligns 3
posterior 1
align 0 das 0.75 [laughter] 0.25
align 1 [noise] 0.5 <unk> 0.25 *DELETE* 0.25
align 2 haus 1
info 0 das 0 0.2 0 0 : :
info 0 [laughter] 0 0.2 0 0 : :
info 1 [noise] 0.2 0.2 0 0 : :
info 2 haus 0.4 0.5 0 0 : :
"""
CTM = "news 1 0.0 0.2 das\nnews 1 0.2 0.2 <laugh>\nnews 1 0.4 0.5 haus\n"
SLF = """VERSION=1.0
N=4 L=4
I=0 t=0.0
I=1 t=0.2
I=2 t=0.4
I=3 t=0.9
J=0 S=0 E=1 W=das a=-1
J=1 S=1 E=2 W=[breath] a=-1
J=2 S=1 E=2 W=!NULL a=-1
J=3 S=2 E=3 W=haus a=-1
"""
GOOGLE = {"results": [{"alternatives": [{"transcript": "das [Musik] haus", "confidence": 0.9,
    "words": [{"word": "das", "startTime": "0s", "endTime": "0.2s"},
              {"word": "[Musik]", "startTime": "0.2s", "endTime": "0.4s"},
              {"word": "haus", "startTime": "0.4s", "endTime": "0.9s"}]}]}]}  # fmt: skip
AZURE = {"RecognitionStatus": "Success", "Offset": 0, "Duration": 9000000,
         "DisplayText": "Das (lacht) Haus."}  # fmt: skip
INPUTS = [
    ("whisper.json", WHISPER, {"[musik]": 1, "(lacht)": 1}, {"musik", "lacht"}),
    ("watson.json", WATSON, {"%hesitation": 1}, {"%hesitation"}),
    ("vosk.json", VOSK, {"[noise]": 1}, {"[noise]"}),
    ("google.json", GOOGLE, {"[musik]": 1}, {"musik"}),
    ("azure.json", AZURE, {"(lacht)": 1}, {"lacht"}),
    ("x.mesh", MESH, {"[noise]": 1, "[laughter]": 1}, {"[noise]", "[laughter]"}),
    ("x.ctm", CTM, {"<laugh>": 1}, {"<laugh>"}),
    ("x.slf", SLF, {"[breath]": 1}, {"[breath]"}),
]


@pytest.fixture
def written(tmp_path):
    def write(name, value):
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    return write


@pytest.mark.parametrize(("name", "value", "dropped", "kept"), INPUTS, ids=[i[0] for i in INPUTS])
def test_every_format_drops_counts_and_keeps(written, tmp_path, capsys, name, value, dropped, kept):
    path, urls = written(name, value), [str(tmp_path / "a"), str(tmp_path / "b")]
    total = sum(dropped.values())
    assert indexer.cli.main([str(path), "--store", urls[0], "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["nonwords"] == dropped
    assert f" words, {counted(total, 'non-word')} dropped; " in printed.err
    assert {*vocabulary_counts(open_store(urls[0]).segments())} == {"das", "haus"}
    assert indexer.cli.main([str(path), "--store", urls[1], "--json", "--keep-nonwords"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["nonwords"] == {}
    assert "non-words" not in printed.err
    assert {*vocabulary_counts(open_store(urls[1]).segments())} == {"das", "haus"} | kept
    assert audio_files(open_store(urls[0])) == audio_files(open_store(urls[1]))


def test_a_noise_leaves_its_mass_to_no_word(written):
    path = written("x.mesh", MESH)
    (network,) = networks_of(path)
    assert network.epsilons.tolist() == [0.25, 0.75, 0.0]
    (network,) = networks_of(path, options=ReaderOptions(nonwords=Nonwords(keep=True)))
    assert network.words == ("das", "[laughter]", "[noise]", "haus")
    assert network.posteriors.tolist() == [0.75, 0.25, 0.5, 1.0]
    assert network.epsilons.tolist() == [0.0, 0.25, 0.0]


def test_counts_are_of_one_reading(written):
    path = written("x.mesh", MESH)
    for _ in range(2):
        options = ReaderOptions()
        list(networks_of(path, options=options))
        assert options.nonwords.dropped.total() == 2


def test_phrases_go_on_over_a_noise(written, tmp_path, capsys):
    import searcher.commands.search

    url = str(tmp_path / "i")
    assert indexer.cli.main([str(written("watson.json", WATSON)), "--store", url, "--quiet"]) == 0
    assert searcher.commands.search.main(["--store", url, "das haus", "--json"]) == 0
    (hit, *_) = json.loads(capsys.readouterr().out)
    assert hit["file"] == "watson"


@pytest.mark.parametrize("name", ["mesh", "slf"])
def test_what_has_no_times_needs_segments(written, tmp_path, capsys, name):
    timeless = "\n".join(line for line in MESH.splitlines() if not line.startswith("info")) + "\n"
    lattice = SLF.replace("t=0.0", "").replace("t=0.2", "").replace("t=0.4", "")
    path = written(f"u.{name}", timeless if name == "mesh" else lattice.replace("t=0.9", ""))
    assert indexer.cli.main([str(path), "--store", str(tmp_path / "i")]) == 2
    line = capsys.readouterr().err
    assert "; --segments FILE says where in their recordings the utterances lie" in line


def test_many_recordings_of_one_utterance_are_doubtful(tmp_path, capsys):
    folder = tmp_path / "in"
    folder.mkdir()
    for i in range(20):
        (folder / f"utt{i}.slf").write_text(SLF)
    assert indexer.cli.main([str(folder), "--store", str(tmp_path / "i")]) == 0
    assert "warning: 20 recordings of one utterance each; if" in capsys.readouterr().err
    segments = tmp_path / "segments"
    segments.write_text("".join(f"utt{i} news {i} {i + 1}\n" for i in range(20)))
    argv = [str(folder), "--store", str(tmp_path / "j"), "--segments", str(segments)]
    assert indexer.cli.main(argv) == 0
    assert "of one utterance each" not in capsys.readouterr().err
