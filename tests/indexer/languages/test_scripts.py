"""A script excludes languages: no recording decides the language of another script."""

import pytest

from indexer import index_files
from searcher import open_index

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
