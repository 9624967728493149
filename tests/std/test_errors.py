"""Messages show what the user wrote as the user wrote it."""

import pytest

from std.errors import InputError, quoted


@pytest.mark.parametrize(("value", "shown"), [
    ("C:\\talks\\a", r"'C:\talks\a'"),
    ("a\tb\n", r"'a\tb\n'"),
    ("it's", '"it\'s"'),
    ("\udcff", r"'\udcff'"),
    (["a\\b", 1], r"['a\b', 1]"),
    (KeyError("a\\b"), r"KeyError('a\b')"),
])  # fmt: skip
def test_a_backslash_is_shown_once(value, shown):
    assert quoted(value) == shown
    if isinstance(value, str):
        assert str(InputError("x", 3, "a word", value)) == f"x:3: expected a word, got {shown}"
