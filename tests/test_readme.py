"""The README's commands print what it says; seconds, speeds and memory are a machine's own."""

from importlib.util import find_spec

import pytest

from tools import readme

pytestmark = pytest.mark.slow


@pytest.mark.skipif(find_spec("espeakng_loader") is None, reason="espeakng-loader is not installed")
def test_the_readme_says_what_its_commands_print():
    page = readme.PAGE.read_text("utf-8")
    assert readme.refreshed(page) == page, "run python tools/readme.py --write"
    assert page.count(f"\n{readme.INDENT}$ ") >= 4


PAGE = """\
Text.

    $ printf 'a b, 2.17 s -> x\\n\\n  c\\n'
    a b, 9.99 s -> x
    stale
    $ echo \\
          two
    one

More.

    make demo

End.
"""


def test_only_what_differs_is_written():
    assert readme.refreshed(PAGE) == PAGE.replace("    stale\n", "\n      c\n").replace(
        "one", "two"
    )


def test_a_command_that_fails_is_no_figure():
    with pytest.raises(SystemExit, match="exit status 1 of: false"):
        readme.refreshed("    $ false\n    true\n")
