"""Blocks of pages: what is found, what is run, what the site's readers see of the markers."""

from tools.site.blocks import Block, blocks, commands, session
from tools.site.markdown import without_markers

PAGE = """# Title

Some words:

    std-index networks --store INDEX
    std-search --store INDEX rathaus

* a list whose

  lines are no code

<!-- file: a.json -->
```json
{"a": 1}
```

<!-- not run: needs a cluster -->
    dask scheduler &

```console
$ std-query --store INDEX \\
      burganlagen
burganlagen: ...
$ true
```

    from searcher import open_index

    open_index("INDEX")
"""


def test_blocks_of_a_page():
    assert list(blocks(PAGE)) == [
        Block(5, "bash", "std-index networks --store INDEX\nstd-search --store INDEX rathaus"),
        Block(14, "json", '{"a": 1}', "file", "a.json"),
        Block(18, "bash", "dask scheduler &", "not run", "needs a cluster"),
        Block(
            21,
            "console",
            "$ std-query --store INDEX \\\n      burganlagen\nburganlagen: ...\n$ true",
        ),
        Block(27, "python", 'from searcher import open_index\n\nopen_index("INDEX")'),
    ]


def test_a_session_has_commands_and_what_they_print():
    code = "$ std-query \\\n      a\nprinted\ntwice\n$ true"
    assert list(session(code)) == [("std-query \\\n      a", "printed\ntwice"), ("true", "")]


def test_commands_without_redirections_comments_and_brackets():
    code = "std-score A.xml... [--json] > out  # why\nexport X=1\nzcat a | std-index - --store I &"
    assert list(commands(code)) == [
        ["std-score", "A.xml", "--json"],
        ["std-index", "-", "--store", "I"],
    ]


def test_readers_do_not_see_the_markers():
    assert "<!--" not in without_markers(PAGE)
    assert without_markers("<!-- other -->\n") == "<!-- other -->\n"
