"""A vocabulary for std-search --explain-query."""

import pytest

WORDS = "Burg\t7\nanlagen\t3\nanlage\t5\ndie\t90\nvon\t80\nburgen\t1\nstartmenge\nbürg\n"


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text(WORDS, "utf-8")
    return path
