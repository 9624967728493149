"""Terms of standing searches; what they find is tested on the page (`test_page.py`)."""

import pytest

from service.alerts import read_terms
from std.errors import InputError

XML = '<term termid="{0}"><termtext>{1}</termtext></term>'
TERM_LIST = (
    '<termlist ecf_filename="e" version="1" language="german" encoding="UTF-8" '
    f'compareNormalize="">{XML.format(1, "spreewald")}{XML.format(2, "rathaus")}</termlist>'
)


@pytest.mark.parametrize(
    "text",
    ["spreewald\n# not a term\n\nrathaus\n", "id,text\n1,spreewald\n2,rathaus\n", TERM_LIST],
    ids=["lines", "csv", "xml"],
)
def test_term_lists_of_any_form_are_read(tmp_path, text):
    (tmp_path / "terms").write_text(text)
    assert read_terms(tmp_path / "terms") == ("spreewald", "rathaus")


def test_what_is_no_term_is_named(tmp_path):
    (tmp_path / "terms").write_text("spreewald\n...\n")
    with pytest.raises(InputError, match="terms:2: expected a term with a letter or a digit"):
        read_terms(tmp_path / "terms")
