"""Final Cut's captions, at their place of the timeline. Texts are invented, shapes documented."""

import pytest

from indexer.formats.detect import parse_file
from indexer.formats.shared.reader import ReaderOptions
from std.errors import ForeignFileError, InputError
from std.repairs import Repairs


def caption(text, offset, duration="1s", role="iTT?captionFormat=ITT.en", more=""):
    return (
        f'<caption lane="1" offset="{offset}" name="x" start="3600s" duration="{duration}" '
        f'role="{role}" {more}><text placement="bottom">\n  <text-style ref="ts1">{text}'
        '</text-style>\n</text><text-style-def id="ts1"><text-style font="Helvetica"/>'
        "</text-style-def></caption>"
    )


def title(text, offset, duration="4s", role=""):
    return (
        f'<title ref="r9" lane="1" offset="{offset}" name="Basic Title" start="3600s" '
        f'duration="{duration}" role="{role}"><param name="Position" value="0 -440"/><text>'
        f'<text-style ref="ts2">{text}</text-style></text></title>'
    )


def document(spine, resources="", start="0s", name="talk", more=""):
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n<fcpxml version="1.11">'
        f'<resources><format id="r1" frameDuration="1001/30000s"/>{resources}</resources><library>'
        f'<event name="e"><project name="{name}"><sequence format="r1" duration="60s" tcStart='
        f'"{start}" tcFormat="NDF"><spine>{spine}</spine></sequence></project>{more}</event>'
        "</library></fcpxml>"
    )


def read(tmp_path, text):
    (tmp_path / "a.fcpxml").write_text(text)
    blocks = parse_file(tmp_path / "a.fcpxml", options=ReaderOptions(repairs=Repairs()))
    return [utterance for block in blocks for utterance in block]


def said(utterances):
    return [(" ".join(one.words), one.start_ms, one.end_ms) for one in utterances]


def test_a_caption_is_where_its_clip_puts_it(tmp_path):
    """The timeline begins at 01:00:00:00; a clip of second 5 on hangs on second 10 of a gap."""
    spine = (
        '<gap offset="3600s" start="1000s" duration="60s"><asset-clip ref="a" lane="1" '
        f'offset="1010s" start="5s" duration="20s">{caption("purple carrots", "7s", "3003/1500s")}'
        f"</asset-clip>{caption('grow', '1030s')}</gap>"
        f'<asset-clip ref="a" start="2s" duration="9s">{caption("in winter", "3s")}</asset-clip>'
    )
    found = read(tmp_path, document(spine, start="3600s"))
    assert said(found) == [
        ("purple carrots", 12_000, 14_002),
        ("grow", 30_000, 31_000),
        ("in winter", 61_000, 62_000),
    ]
    assert {(one.recording.file, one.language, one.speaker) for one in found} == {
        ("talk", "en", "")
    }


def test_a_storyline_that_hangs_on_a_clip_has_a_clock_of_its_own(tmp_path):
    inner = f'<gap offset="1s" start="0s" duration="9s">{caption("purple", "2s")}</gap>'
    spine = (
        '<clip offset="4s" start="100s" duration="20s"><spine lane="1" offset="107s">'
        f"{inner}</spine></clip>"
    )
    assert said(read(tmp_path, document(spine))) == [("purple", 14_000, 15_000)]


def test_a_compound_clip_shows_its_part_of_a_sequence(tmp_path):
    inner = "".join(caption(word, f"{at}s") for word, at in [("no", 1), ("purple", 6), ("not", 20)])
    media = (
        '<media id="r2" name="part"><sequence duration="30s" tcStart="0s"><spine><gap offset="0s" '
        f'start="0s" duration="30s">{inner}</gap></spine></sequence></media>'
    )
    spine = '<ref-clip ref="r2" offset="10s" start="5s" duration="5s"/>'
    assert said(read(tmp_path, document(spine, media))) == [("purple", 11_000, 12_000)]


def test_a_clip_that_shows_itself_is_refused(tmp_path):
    media = (
        '<media id="r2"><sequence><spine><ref-clip ref="r2" offset="0s" duration="5s"/><ref-clip '
        'ref="r2" offset="0s" duration="5s"/></spine></sequence></media>'
    )
    with pytest.raises(InputError, match="clips in at most"):
        read(tmp_path, document('<ref-clip ref="r2" offset="0s" duration="5s"/>', media))


@pytest.mark.parametrize(
    ("role", "speaker", "language"),
    [
        ("iTT?captionFormat=ITT.en", "", "en"),
        ("SRT?captionFormat=SRT.de-DE", "", "de-DE"),
        ("CEA608?captionFormat=CEA608.en", "", "en"),
        ("ITT Subtitles?captionFormat=ITT.fr", "", "fr"),
        ("German?captionFormat=ITT.de", "", "de"),
        ("Anna?captionFormat=ITT.en", "Anna", "en"),
        ("iTT.Anna Smith?captionFormat=ITT.en", "Anna Smith", "en"),
        ("Carlo Citti?captionFormat=ITT.it", "Carlo Citti", "it"),
    ],
)
def test_a_role_that_is_a_name_is_the_speaker(tmp_path, role, speaker, language):
    gap = '<gap offset="0s" start="0s" duration="9s">{}</gap>'
    found = read(tmp_path, document(gap.format(caption("purple", "2s", role=role))))
    assert [(one.speaker, one.language) for one in found] == [(speaker, language)]


def test_titles_are_read_where_they_are_subtitles(tmp_path):
    gap = '<gap offset="0s" start="0s" duration="60s">{}</gap>'
    titles = "".join(
        title("purple carrots", f"{at}s", role=role)
        for at, role in [(0, "dialogue.Anna"), (8, "titles.titles-1"), (16, ""), (24, ""), (40, "")]
    )
    found = read(tmp_path, document(gap.format(titles)))
    assert [(one.start_ms, one.speaker) for one in found] == [
        (0, "Anna"), (8_000, ""), (16_000, ""), (24_000, ""), (40_000, "")
    ]  # fmt: skip
    both = titles + caption("grow", "2s")
    assert said(read(tmp_path, document(gap.format(both)))) == [("grow", 2_000, 3_000)]


def test_names_below_pictures_are_no_speech(tmp_path):
    gap = f'<gap offset="0s" start="0s" duration="60s">{title("Anna Smith, chair", "3s")}</gap>'
    with pytest.raises(ForeignFileError, match=r"titles that are subtitles.*Export Captions"):
        read(tmp_path, document(gap))


def test_disabled_captions_and_auditions_that_are_not_seen_are_left_out(tmp_path):
    disabled = caption("nor", "2s", more='enabled="0"')
    spine = (
        '<audition offset="2s">'
        f'<clip start="0s" duration="5s">{caption("purple", "1s")}</clip>'
        f'<clip start="0s" duration="5s">{caption("no", "1s")}</clip></audition>'
        f'<gap offset="9s" start="0s" duration="9s">{disabled}</gap>'
    )
    assert said(read(tmp_path, document(spine))) == [("purple", 3_000, 4_000)]


def test_projects_of_a_file_are_recordings(tmp_path):
    gap = '<gap offset="0s" start="0s" duration="9s">{}</gap>'
    other = f'<project name="news"><sequence><spine>{gap.format(caption("grow", "1s"))}</spine>'
    text = document(gap.format(caption("purple", "2s")), more=f"{other}</sequence></project>")
    found = read(tmp_path, text)
    assert [(one.recording.file, *one.words) for one in found] == [
        ("talk", "purple"),
        ("news", "grow"),
    ]


def test_a_clip_without_a_timeline_begins_at_0(tmp_path):
    clip = f'<asset-clip offset="50s" start="5s" duration="9s">{caption("purple", "7s")}'
    text = f'<fcpxml version="1.9"><event>{clip}</asset-clip></event></fcpxml>'
    assert said(read(tmp_path, text)) == [("purple", 2_000, 3_000)]


@pytest.mark.parametrize("time", ["7", "7/0s", "1:00", "x"])
def test_a_time_that_is_none_is_refused(tmp_path, time):
    gap = f'<gap offset="0s" start="0s" duration="9s">{caption("purple", time)}</gap>'
    with pytest.raises(InputError, match="3003/30000s"):
        read(tmp_path, document(gap))


def test_titles_that_nobody_has_written_are_no_speech(tmp_path):
    titles = [title(text, f"{4 * at}s") for at, text in enumerate(["Title", "Title", "Titel 3"])]
    clips = f'<gap offset="0s" duration="12s">{"".join(titles)}</gap>'
    with pytest.raises(ForeignFileError, match="titles that are subtitles"):
        read(tmp_path, document(clips))


def test_a_clip_that_lasts_less_than_nothing_is_refused(tmp_path):
    spine = '<gap offset="0s" start="0s" duration="{}">' + caption("purple", "2s") + "</gap>"
    assert said(read(tmp_path, document(spine.format("9s")))) == [("purple", 2000, 3000)]
    with pytest.raises(InputError, match="a duration of 0 s or more, got '-9s'"):
        read(tmp_path, document(spine.format("-9s")))
