# ruff: noqa: RUF001  # letters of other alphabets are meant
"""Names before what captions say are speakers, by what the whole file is like."""

import io
import random
import re

import pytest

from indexer.formats.readers import srt, vtt
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import ReaderOptions
from indexer.formats.shared.speaker_names import spoken_cues
from indexer.formats.shared.speaker_shapes import LONGEST_PREFIX, MARKS, prefix_in, prefixes_of


def read(texts, names="auto"):
    """(speaker, words) of captions of four seconds."""
    cues = [Cue(i, 5.0 * i, 5.0 * i + 4, text) for i, text in enumerate(texts)]
    return [(cue.speaker, " ".join(cue.text.split())) for cue in spoken_cues(cues, names)]


ZOOM = [
    "Anna Smith: good morning everyone",
    "Bob Jones: morning anna can you share the budget",
    "Anna Smith: yes the budget is here",
    "Bob Jones: great",
    "Anna Smith: note: this is important",
]


def test_names_that_begin_most_captions():
    assert read(ZOOM) == [
        ("Anna Smith", "good morning everyone"),
        ("Bob Jones", "morning anna can you share the budget"),
        ("Anna Smith", "yes the budget is here"),
        ("Bob Jones", "great"),
        ("Anna Smith", "note: this is important"),
    ]


def test_names_in_capitals_of_any_alphabet_and_no_abbreviations():
    texts = [
        "FRAU MÜLLER: guten Abend",
        "NATO: das Bündnis wächst",
        "COVID-19: was wir wissen",
        "АННА: добрый вечер",
        "Frage 5: was nun",
        "Die EZB sagt nichts",
        "EZB: Zinsen bleiben",
    ]
    assert [speaker for speaker, _ in read(texts)] == ["FRAU MÜLLER", "", "", "АННА", "", "", ""]
    assert read(texts)[1:3] == [("", texts[1]), ("", texts[2])]


@pytest.mark.parametrize(
    "texts",
    [
        ["Remember: the deadline is Friday", "One thing: be careful"],
        ["it is late: go home", "at 12:30 we leave", "http://a.example is the address"],
        [*["we speak of many things"] * 60, *["Remember: this"] * 2, "please remember that"],
        [*["und so weiter"] * 99, *["Wichtig: das hier"] * 4],
        ["THE NEWS: ALL IS WELL", "AND NOW THE WEATHER", "REMEMBER: IT RAINS"],
        ["NATO: Bericht", "NATO: Bündnis", "und mehr", "noch mehr"],
        ["Remember: go", "Note: stay", "Remember: leave", "Note: come"],
        ["Remember: go", "Note: stay", "so on", "Remember: leave", "Note: come", "so on"],
        ["Hinweis: Bitte", "Und so", "Hinweis: Danke", "Achtung: Stufe", "Ja", "Achtung: Zug"],
        ["Budget: ten", "so on", "Budget: nine", "Costs: one", "Costs: two", "so on"],
        [
            *["Und so weiter"] * 40,
            *["Kurze Frage: wer", "Kleine Bitte: geh"] * 3,
            "eine kurze Rede",
        ],
        [*["And so on"] * 9, *["Timeline: we go on", "Costs: we pay"] * 5],
        ["NOTE: this is new", "So we go on", "BREAKING: it is late"],
        ["Schritt 1: so", "Schritt 2: so", "Schritt 1: nein", "Schritt 3: ja"],
        ["Вопрос: кто", "Ответ: я", "Вопрос: где", "Ответ: тут"],
        ["注意\uff1a这个", "例如\uff1a那个", "注意\uff1a他", "例如\uff1a她"],
        [">> Note: we go", "NATO: yes"],
        ["RAIN: IT FALLS", "RAIN: IT FELL", "AND SO ON", "AND ON"],
        ["[Music] so on", "[Applause] thanks", "[Music] so", "[Applause] and", "[Music] yes"],
        ["[Musik] ja", "[Gelächter] und", "[Musik] nein", "[Gelächter] so", "[unverständlich] so"],
        ["[Anna]", "so on", "[Ben]", "and on", "[Anna]", "and", "[Ben]", "yes"],
        ["[inaudible] so", "[laughs] so", "[inaudible] and", "[laughs] on"],
    ],
)
def test_speech(texts):
    assert read(texts) == [("", text) for text in texts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Speaker 1: hi", [("Speaker 1", "hi")]),
        ("speaker_02: hi", [("speaker_02", "hi")]),
        ("Sprecherin 2: ja", [("Sprecherin 2", "ja")]),
        (">> JOHN: hi there", [("JOHN", "hi there")]),
        (">> John: hi there", [("John", "hi there")]),
        ("- MRS. HUDSON: Come in!", [("MRS. HUDSON", "Come in!")]),
        ("TOM (laughing): oh no", [("TOM", "oh no")]),
        ("- ANNA: hello\n- BEN: good day", [("ANNA", "hello"), ("BEN", "good day")]),
        ("so what\nANNA: hello", [("", "so what"), ("ANNA", "hello")]),
        ("ANNA:", [("", "")]),
        ("<v Anna Smith>Purple</v>", [("Anna Smith", "Purple")]),
        ("<v.loud Jo &amp; Al>a <b>b</b>\n<v Bo>c", [("Jo & Al", "a b"), ("Bo", "c")]),
        ("<vocal>a", [("", "a")]),
    ],
)
def test_of_one_caption(text, expected):
    assert read([text]) == expected


def test_names_of_a_dialogue_that_are_written_where_the_speaker_changes():
    texts = ["and so on and so on", "it goes on like this"] * 3
    dialogue = [text for _ in range(4) for text in ("Anna: hello", *texts, "Ben: yes", *texts)]
    assert {speaker for speaker, _ in read(dialogue)} == {"Anna", "Ben", ""}


def test_names_of_other_scripts_and_in_small_letters():
    assert {speaker for speaker, _ in read(["主持人\uff1a你好", "嘉宾\uff1a谢谢"] * 3)} == {
        "主持人",
        "嘉宾",
    }
    assert {speaker for speaker, _ in read(["anna: hello", "ben_92: yes"] * 3)} == {
        "anna",
        "ben_92",
    }


@pytest.mark.parametrize(
    "written", ["Anna: {}", "[Anna]: {}", "(Anna): {}", "[Anna] {}", "- Anna: {}"]
)
def test_first_names_that_alternate_in_a_few_captions(written):
    said = ["are you here", "yes", "and Note: it is late", "so what", "we go", "good"]
    expected = list(zip(["Anna", "Ben"] * 3, said, strict=True))
    assert read([written.replace("Anna", who).format(it) for who, it in expected]) == expected


def test_sentences_of_a_speaker_begin_with_capitals_where_sentences_do():
    texts = ["Budget: we have ten", "Costs: we pay nine", "Budget: and so on", "Costs: it ends"]
    others = ["That is all.", "It is late.", "We go.", "So it is."]
    named = ["Anna: We have ten", "Ben: We pay nine"] * 5
    assert {who for who, _ in read([*texts * 4, *others])} == {""}
    assert {who for who, _ in read([*named, *others])} == {"Anna", "Ben", ""}


def test_what_a_dialogue_says_once_is_speech_if_it_begins_with_a_word():
    said = ["Anna Bach: Wir fragen die Leute", "Ben Koch: Ja", "Die Regierung: sie schweigt"]
    found = read([*said[:2] * 3, said[2], "Carla Diaz: So ist es"])
    assert {who for who, _ in found} == {"Anna Bach", "Ben Koch", "Carla Diaz", ""}


def test_what_voices_say_comes_first():
    texts = ["<v Anna>Remember: go", "<v Ben>NOTE: stay", "Anna: and now", "<v Ben>Ben: yes"]
    assert read(texts) == [
        ("Anna", "Remember: go"),
        ("Ben", "NOTE: stay"),
        ("Anna", "and now"),
        ("Ben", "yes"),
    ]


def test_the_user_says_what_becomes_of_names():
    assert read(ZOOM, "keep") == [("", text) for text in ZOOM]
    assert read(["Remember: go", "at noon: stay"], "drop") == [
        ("Remember", "go"),
        ("", "at noon: stay"),
    ]


def test_speakers_of_one_caption_share_its_time():
    one, two = spoken_cues([Cue(1, 10.0, 20.0, "ANNA: abcd\nBEN: abc")], "auto")
    assert one.start_s == 10.0
    assert one.end_s == two.start_s
    assert two.end_s == 20.0
    assert 15.0 < one.end_s < 17.0


def test_words_with_times_have_the_voice_in_which_they_stand():
    text = b"WEBVTT\n\n00:00.000 --> 00:04.000\n<v Anna>so <00:01.000>we </v><00:02.000><v Ben>go"
    utterances = [one for block in vtt.parse(io.BytesIO(text), "x.vtt") for one in block]
    said = [(one.speaker, [slot.alternatives[0].word for slot in one]) for one in utterances]
    assert said == [("Anna", ["so", "we"]), ("Ben", ["go"])]


def test_captions_of_many_hours_are_read_in_linear_time():
    text = "\n".join(
        f"{i}\n00:{i // 60 % 60:02}:{i % 60:02},000 --> 00:{i // 60 % 60:02}:{i % 60:02},900\n"
        f"{'-' * 2000}{'A' * 2000}\n"
        for i in range(300)
    )
    options = ReaderOptions(file="x")
    assert sum(map(len, srt.parse(io.BytesIO(text.encode()), "x.srt", options))) == 300


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ["[SPEAKER_00]: Good morning.", "[SPEAKER_01]: Yes (and) no."],
            [("SPEAKER_00", "Good morning."), ("SPEAKER_01", "Yes (and) no.")],
        ),
        (
            ["[SPEAKER_00] Good morning.", "[Music] so on"],
            [("SPEAKER_00", "Good morning."), ("", "[Music] so on")],
        ),
        (
            ["(Anna): Good.", "(Ben): Hello.", "(Anna): Bye."],
            [("Anna", "Good."), ("Ben", "Hello."), ("Anna", "Bye.")],
        ),
        (["(laughs): so", "[Remark]: one"], [("", "(laughs): so"), ("", "[Remark]: one")]),
    ],
)
def test_names_in_brackets(texts, expected):
    cues = [Cue(row, row, row + 1, text) for row, text in enumerate(texts)]
    found = spoken_cues(cues, "auto")
    assert [(cue.speaker, cue.text.strip()) for cue in found] == expected


def test_names_that_take_turns_may_begin_in_small_letters():
    """Podcasts whose sentences go on where the speaker changes."""
    captions = []
    for who in ("Anna: Yes", "Joan: so I said", "Ben: And then", "Joan: um maybe") * 3:
        captions += [who, "The show goes on", "It is late", "We talk", "And talk"]
    text = "".join(
        f"{at}\n00:{at // 60:02}:{at % 60:02},000 --> 00:{at // 60:02}:{at % 60:02},900\n{one}\n\n"
        for at, one in enumerate(captions)
    )
    options = ReaderOptions(file="x")
    blocks = srt.parse(io.BytesIO(text.encode()), "x.srt", options)
    speakers = {speaker for block in blocks for speaker in block.speakers}
    assert speakers == {"", "Anna", "Joan", "Ben"}


def test_names_before_all_captions_need_no_capital_behind_them():
    text = "".join(
        f"{at}\n00:00:{at:02},000 --> 00:00:{at:02},900\n{who}\n\n"
        for at, who in enumerate(
            ["Dora Smith: by and by", "Dora Smith: well", "Ann Lee (SL): Yes"] * 4
        )
    )
    (block,) = srt.parse(io.BytesIO(text.encode()), "x.srt", ReaderOptions(file="x"))
    assert {*block.speakers} == {"Dora Smith", "Ann Lee"}


@pytest.mark.parametrize("names", [("Speaker 1", "SPEAKER_02"), ("Anna Smith", "Bob Jones")])
def test_names_above_the_text_of_few_captions(names):
    first, second = names
    cues = [f"{first}\npurple carrots", f"{second}\ngood morning", f"{first}\nbeans"]
    said = [(first, "purple carrots"), (second, "good morning"), (first, "beans")]
    assert read(cues) == said
    assert read([cue.replace("\n", "\n\n") for cue in cues]) == said


@pytest.mark.parametrize(
    "cues",
    [
        ["Purple Rain\nis a song", "Blue Suede\nis a shoe"],  # none recurs
        ["Guten Morgen\nGood morning", "Danke\nThank you", "Guten Morgen\nGood morning"],
        ["Bob\nJones", "Anna\nSmith", "Bob\nJones"],
    ],
)
def test_first_lines_of_few_captions_that_may_be_speech_stay(cues):
    assert read(cues) == [("", " ".join(cue.split())) for cue in cues]


PIECES = ["Anna", "Ben Bach", ":", ": ", "\uff1a", "\n", "[", "]", "(", ")", ">> ", "- ", "hello",
          " ", "10:30", "ÄÖ", "主持人", "\t", "x" * 60]  # fmt: skip


def one_by_one(texts):
    found = []
    for row, text in enumerate(texts):
        begin = 0
        for line in text.split("\n"):
            opening = re.search(r"[\[(]", line[: MARKS + 1])
            colon = re.search(r":(?=\s|$)|\uff1a", line)
            head = line[:LONGEST_PREFIX] if opening else line[: colon.end()] if colon else ""
            one = prefix_in(head) if len(head) <= LONGEST_PREFIX and head else None
            if one:
                found.append((row, one.name, begin + one.begin, begin + one.end, one.bare))
            begin += len(line) + 1
    return found


def at_once(texts):
    found = prefixes_of(texts, "\n".join(texts))
    columns = zip(found.row, found.name, found.begin, found.end, found.kind, strict=True)
    return [
        (row, found.names[name], begin, end, found.kinds[kind].bare)
        for row, name, begin, end, kind in columns
    ]


@pytest.mark.parametrize("seed", range(40))
def test_at_once_as_one_by_one(seed):
    chance = random.Random(seed)
    texts = ["".join(chance.choices(PIECES, k=chance.randrange(12))) for _ in range(60)]
    if seed % 2:
        texts = [text.translate(dict.fromkeys(map(ord, "[]()ÄÖ主持人\uff1a"))) for text in texts]
    assert at_once(texts) == one_by_one(texts)


def test_places_are_where_speech_begins():
    texts = ["Anna: yes", "so\nBen: no", ""]
    found = prefixes_of(texts, "\n".join(texts))
    assert ["\n".join(texts)[at:][:4].strip() for at in found.place.tolist()] == ["yes", "no"]
