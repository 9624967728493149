"""A person's own file with what was corrected: every other byte stays."""

import io
import json
import re
import time
import zipfile

import pytest

from indexer import correct_recording, index_files, rewrite_transcript
from indexer.corrections.rewrite import Replacement, rewritten
from indexer.formats.registry import all_readers
from indexer.store_cli import main
from std.errors import StdError
from std.text import Normalisation

WORDS = ["gestern", "kam", "hand", "in", "vielen", "und", "bonifai", "nach", "berlin"]
SAID = [Replacement(2, 5, "Hahnenfedern"), Replacement(6, 7, "Bonify & Co")]
SRT = (
    "\ufeff1\r\n00:00:01,000 --> 00:00:04,000  X1:10\r\n<i>Gestern kam Hand in\r\nvielen</i>,"
    "\r\n\r\n2\r\n00:00:04,500 --> 00:00:06,000\r\n und  „Bonifai“ nach Berlin!\r\n"
)
SRT_AFTER = SRT.replace("Hand in\r\nvielen", "Hahnenfedern").replace("Bonifai", "Bonify & Co")


def of(content):
    new, done, _ = rewritten(content, WORDS, SAID, Normalisation())
    return new, done


def test_captions():
    assert of(SRT.encode()) == (SRT_AFTER.encode(), [1, 1])
    vtt = (
        "WEBVTT\n\nNOTE kam\n\n00:01.000 --> 00:04.000 line:0\n<v Hand>gestern kam hand in vielen\n"
    )
    new, done = of(vtt.encode())
    assert (new.decode(), done) == (vtt.replace("hand in vielen", "Hahnenfedern"), [1, 0])


def test_xml():
    ttml = '<?xml version="1.0"?>\n<tt kam="hand in vielen"><p>gestern kam hand in vielen und'
    new, done = of(f"{ttml} bonifai nach</p></tt>".encode())
    assert new.decode() == (
        f"{ttml} Bonify &amp; Co nach</p></tt>".replace(
            "kam hand in vielen und", "kam Hahnenfedern und"
        )
    )
    assert done == [1, 1]


NAMED = ["die", "firma", "bonifai", "hat", "heute", "größe", "gezeigt", "sagt", "anna"]
LINE_OF_NAMES = "Die Firma Bonifai hat heute Größe gezeigt, sagt Anna."
CORRECTED = "Die Firma Bonify hat heute Götz gezeigt, sagt Anna."
OF_WORDS = ", ".join(f'{{"w": "{word}"}}' for word in LINE_OF_NAMES.split())


@pytest.mark.parametrize(
    "around",
    [
        "WEBVTT Die Firma Bonifai hat heute\n\n00:01.000 --> 00:02.000\n{}\n",
        "WEBVTT\r\n\r\nNOTE\r\nDie Firma Bonifai hat\r\n\r\n00:01.000 --> 00:02.000\r\n{}\r\n",
        "WEBVTT\n\nSTYLE\n::cue(bonifai) {{}}\n\n00:01.000 --> 00:02.000\nNOTE {}\n",
        "WEBVTT\n\n00:01.000 --> 00:02.000\n{}\n\nNOTE Die Firma Bonifai zeigt Größe",
        "<tt><!-- <p>Die Firma Bonifai hat heute</p> --><p>{}</p></tt>",
        "<tt><head><title>Die Firma Bonifai</title></head><p>{}</p></tt>",
        '{{"file": "bonifai.mp3", "title": "Die Firma Bonifai", "text": "{}"}}',
        '{{"summary": "Bonifai zeigt Größe. Die Firma Bonifai hat", "text": "{}"}}',
        '{{"text": "{}", "summary": "Bonifai zeigt Größe", "bonifai": ["firma bonifai"]}}',
        "Title: Bonifai\nComment: 0,,,,,,Die Firma Bonifai\nDialogue: 0,0,0,,,Bonifai,0,,,{}\n",
        "{}\n\nZusammenfassung: Bonifai zeigt Größe.\n",
    ],
)
def test_only_what_was_spoken_changes(around):
    said = [Replacement(2, 3, "Bonify"), Replacement(5, 6, "Götz")]
    before, after = around.format(LINE_OF_NAMES), around.format(CORRECTED)
    new, done, _ = rewritten(before.encode(), NAMED, said, Normalisation())
    assert (new.decode(), done) == (after, [1, 1])


def test_each_copy_in_json_is_that_of_one_key():
    said = [Replacement(2, 3, "Bonify")]
    content = (
        f'{{"text": "{LINE_OF_NAMES}", "chapters": [{{"headline": "Die Firma Bonifai"}}],'
        f' "words": [{OF_WORDS}]}}'
    )
    new, done, _ = rewritten(content.encode(), NAMED, said, Normalisation())
    document = json.loads(new)
    assert document["text"] == LINE_OF_NAMES.replace("Bonifai", "Bonify")
    assert [one["w"] for one in document["words"]][:4] == ["Die", "Firma", "Bonify", "hat"]
    assert (document["chapters"], done) == ([{"headline": "Die Firma Bonifai"}], [2])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<tt>kam&nbsp;Gr&ouml;&#xDF;e&#160;vorbei", "<tt>kam&nbsp;Götz&#160;vorbei"),
        ("<tt>kam Gro\u0308\u00dfe vorbei", "<tt>kam Götz vorbei"),  # decomposed
        ('{"a": "kam\\u00a0Gr\\u00f6\\u00dfe vorbei"}', '{"a": "kam\\u00a0G\\u00f6tz vorbei"}'),
        ("kam 'Größe' vorbei", "kam 'Götz' vorbei"),
        ("<tt>kam &#39;Größe&#39; vorbei", "<tt>kam &#39;Götz&#39; vorbei"),
        ("kam Größe&nbsp;vorbei", "kam Götz&nbsp;vorbei"),  # of a text, no reference
    ],
)
def test_letters_in_other_forms(old, new):
    words = ["kam", "größe", "vorbei"]
    found, done, _ = rewritten(old.encode(), words, [Replacement(1, 2, "Götz")], Normalisation())
    assert (found.decode(), done) == (new, [1])


P = '<tt:p begin="1s">'
VTT = "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Max>gestern kam {} nach berlin\n"
SRT_LINE = "1\n00:00:01,000 --> 00:00:04,000\nund {} nach\n\n2\n00:00:04,000 --> 00:00:05,000"
ASS = "Dialogue: 0,0:00:01.00,0:00:04.00,,,0,0,0,,kam {}"
WORD_SPANS = f'<tt>{P}<s i:unit="word">kam</s><s i:unit="word">{{}}</s>'


@pytest.mark.parametrize(("around", "old", "new", "done"), [
    (f"<tt>{P}und {{}} nach", "<span>Boni</span>fai", "<span>Bonify &amp; Co</span>", [0, 1]),
    (f"<tt>{P}und {{}} nach", f"boni</tt:p>{P}fai", None, [0, 0]),
    (f"<tt>{P}und {{}} nach", "boni<tt:br/>fai", None, [0, 0]),
    (WORD_SPANS, "bonifai", "Bonify &amp; Co", [0, 1]),
    (VTT, "hand in vielen und <c.gelb>Boni</c>fai",
     "Hahnenfedern und <c.gelb>Bonify &amp; Co</c>", [1, 1]),
    (VTT, "hand<00:02.000><c> in</c><00:03.000><c> vielen</c>",
     "Hahnenfedern<00:02.000><c></c><00:03.000><c></c>", [1, 0]),
    (SRT_LINE, r"{\i1}boni{\i0}fai <3", r"{\i1}Bonify & Co{\i0} <3", [0, 1]),
    (ASS, r"hand in\Nvielen", "Hahnenfedern", [1, 0]),
    ("und {} nach", "<i>Boni</i>fai", None, [0, 0]),  # a text, not captions: no tags
])  # fmt: skip
def test_words_that_tags_divide(around, old, new, done):
    after = around.format(old if new is None else new)
    assert of(around.format(old).encode()) == (after.encode(), done)


@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_that_has_the_words_several_times(ascii_only):
    text = " Gestern kam hand in vielen und Bonifai nach Berlin."
    words = [{"word": word, "start": i, "end": i + 1} for i, word in enumerate(text.split())]
    document = {"text": text, "segments": [{"id": 0, "start": 0.0, "text": text, "words": words}]}
    content = json.dumps(document, ensure_ascii=ascii_only, indent=1).encode()
    new, done = of(content)
    after = json.loads(new)
    wanted = " Gestern kam Hahnenfedern und Bonify & Co nach Berlin."
    assert after["text"] == after["segments"][0]["text"] == wanted
    assert [one["word"] for one in after["segments"][0]["words"]] == [
        "Gestern", "kam", "hand", "in", "vielen", "und", "Bonify & Co", "nach", "Berlin.",
    ]  # fmt: skip
    assert done == [2, 3]
    assert {**after, "text": "", "segments": []} == {**document, "text": "", "segments": []}


TEXTS = [
    one for one in all_readers().values() if not one.sample.startswith(b"PK")
]  # no Word document


@pytest.mark.parametrize("reader", TEXTS, ids=lambda one: one.name)
def test_a_file_of_any_format_keeps_all_but_the_words(reader):
    words = [word.lower() for word in reader.words]
    one, done, _ = rewritten(reader.sample, words, [Replacement(1, 2, "zebra")], Normalisation())
    assert done[0] > 0
    assert re.sub(b"(?i)zebra", words[1].encode(), one).lower() == reader.sample.lower()
    two, _, _ = rewritten(reader.sample, words, [Replacement(0, 2, "zebra")], Normalisation())
    for kept in (rb"\d+", rb"\n", rb'"'):
        assert re.findall(kept, two) == re.findall(kept, reader.sample)


def test_words_that_stand_apart_are_told(tmp_path, capsys):
    """A list of words with times has one object a word, so two words cannot become one there."""
    spoken = ["wir", "fragten", "boni", "fei", "nach", "zahlen"]
    words = [{"word": f" {w}", "start": i, "end": i + 0.9} for i, w in enumerate(spoken)]
    text = " ".join(spoken)
    segment = {"id": 0, "start": 0.0, "end": 6.0, "text": text, "words": words}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"text": text, "segments": [segment], "language": "de"}))
    index_files(path, tmp_path / "i")
    correct_recording("a", tmp_path / "i", at_s=(2.0, 4.0), words="Bonify")
    report = rewrite_transcript(path, "a", tmp_path / "i", tmp_path / "b.json")
    assert report.made == report.partly
    assert len(report.made) == 1
    after = json.loads((tmp_path / "b.json").read_text())
    assert after["text"] == after["segments"][0]["text"] == "wir fragten Bonify nach zahlen"
    assert after["segments"][0]["words"] == words
    argv = ["rewrite", str(tmp_path / "i"), "a", str(path), "--output", str(tmp_path / "c.json")]
    assert main(argv) == 0
    assert (
        "'boni fei' is corrected, but stays where its words are separate" in capsys.readouterr().err
    )


def test_a_letter_that_is_escaped():
    content = json.dumps({"text": "gestern kam gr\u00f6\u00dfe vorbei"}).encode()
    words = ["gestern", "kam", "größe", "vorbei"]
    new, done, _ = rewritten(content, words, [Replacement(2, 3, "Götz")], Normalisation())
    assert new == content.replace(b"gr\\u00f6\\u00dfe", b"G\\u00f6tz")
    assert done == [1]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
def test_new_words_are_in_the_files_encoding(encoding):
    said = [Replacement(2, 5, "Größer’s"), Replacement(6, 7, "Bonify")]
    before = "Gestern kam über „Hand in vielen“ für und Bonifai schön nach Berlin.\r\n"
    words = before.translate({ord(sign): None for sign in "„“.\r\n"}).lower().split()
    said = [one._replace(first=words.index(first)) for one, first in zip(
        said, ("hand", "bonifai"), strict=True)]  # fmt: skip
    said = [one._replace(end=one.first + n) for one, n in zip(said, (3, 1), strict=True)]
    new, done, _ = rewritten(before.encode(encoding), words, said, Normalisation())
    after = before.replace("Hand in vielen", "Größer’s").replace("Bonifai", "Bonify")
    assert (new, done) == (after.encode(encoding), [1, 1])


def test_a_letter_that_the_encoding_lacks():
    text = "<p>gestern kam größe für über bonifai</p>"
    words, said = text[3:-4].split(), [Replacement(5, 6, "Łódź")]
    old = f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}'.encode("latin-1")
    new, *_ = rewritten(old, words, said, Normalisation())
    assert new == old.replace(b"bonifai", "&#321;ód&#378;".encode("latin-1"))
    for old, encoding in (
        (text[3:-4].encode("cp1252"), "cp1252"),
        (b"gr\xf6\xdfe kam x\xb3x \xe6bc bonifai", "ascii"),  # in doubt
    ):
        with pytest.raises(StdError, match=f"expected letters that {encoding} has, got 'Łódź'"):
            rewritten(old, ["kam", "bonifai"], [Replacement(1, 2, "Łódź")], Normalisation())


def test_bytes_that_are_no_text_stay():
    content = b"gestern kam hand in vielen \xff\xfe und\tbonifai nach berlin \x00"
    new, done = of(content)
    assert new == b"gestern kam Hahnenfedern \xff\xfe und\tBonify & Co nach berlin \x00"
    assert done == [1, 1]


def word_document(body):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", body)
    return content.getvalue()


RUN = '</w:t></w:r><w:proofErr w:type="spellEnd"/><w:r w:rsidR="7"><w:rPr><w:b/></w:rPr><w:t>'
LINE = "<w:document><w:p><w:pPr/><w:r><w:t>gestern kam {}</w:t></w:r></w:p></w:document>"


@pytest.mark.parametrize(("old", "new", "done"), [
    ("hand in vielen", "Hahnenfedern", [1, 0]),
    (f"ha{RUN}nd in{RUN} vie{RUN}len", f"Hahnenfedern{RUN * 3}", [1, 0]),  # as Word divides words
    (f"und Boni{RUN}fai{RUN} nach", f"und Bonify &amp; Co{RUN}{RUN} nach", [0, 1]),
    ("hand in</w:t><w:br/><w:t>vielen", None, [0, 0]),  # lines and paragraphs are not joined
    ("hand in</w:t></w:r></w:p><w:p><w:r><w:t>vielen", None, [0, 0]),
])  # fmt: skip
def test_a_word_document(old, new, done):
    rewritten_bytes, times = of(word_document(LINE.format(old)))
    with zipfile.ZipFile(io.BytesIO(rewritten_bytes)) as archive:
        assert archive.read("word/document.xml").decode() == LINE.format(new or old)
        assert archive.read("[Content_Types].xml") == b"<Types/>"
        assert archive.getinfo("word/document.xml").compress_type == zipfile.ZIP_DEFLATED
    assert times == done


def test_the_command(tmp_path, capsys):
    path, output = tmp_path / "talk.srt", tmp_path / "new.srt"
    path.write_bytes(SRT.encode())
    store = str(tmp_path / "index")
    index_files(path, store, language="de")
    correct_recording("talk", store, words="Bonify", at_s=5.2)
    assert main(["rewrite", store, "talk", str(path), "--output", str(output)]) == 0
    assert capsys.readouterr().err == f"1 correction -> {output}\n"
    assert output.read_bytes() == SRT.replace("Bonifai", "Bonify").encode()
    other = tmp_path / "other.txt"
    other.write_text("nothing of it")
    assert main(["rewrite", store, "talk", str(other), "--output", str(other), "--json"]) == 0
    out, err = capsys.readouterr()
    assert "'bonifai' is not there: 'bonify' left out" in err
    assert json.loads(out)["not_found"][0]["after"] == "bonify"
    assert other.read_text() == "nothing of it"
    report = rewrite_transcript(path, "talk", store, path)
    assert (len(report.made), report.not_found) == (1, ())
    assert path.read_bytes() == output.read_bytes()


def test_many_escapes_take_linear_time():
    """Each took twice as long as the one before; of a text without end, n squared."""
    text = '{"text": "gestern kam hand in%s vielen und bonifai nach berlin", "%s berlin'
    began_s = time.process_time()
    new, done = of((text % ("\\/" * 20_000 + "<", '\\"' * 40_000)).encode())
    assert (done, b"Bonify & Co" in new) == ([0, 1], True)
    assert time.process_time() - began_s < 2
