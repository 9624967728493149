"""Words that may occur, from a file: one a line, or a lexicon of std-search --oov-lexicon.

read_hotwords    file -> words in order, each once
"""

from pathlib import Path

from std.errors import InputError
from std.files import read_text

COMMENTS = ("#", ";;;")


def read_hotwords(path: Path) -> tuple[str, ...]:
    """The words of a file; what stands behind a tabulator or two blanks is a pronunciation.

    Raises:
        InputError: it cannot be read, or holds no word.
    """
    words: dict[str, None] = {}
    for line in read_text(path).splitlines():
        if line.strip() and not line.startswith(COMMENTS):
            words[line.replace("  ", "\t").split("\t")[0].strip()] = None
    if not words:
        raise InputError(path, 0, "words, one a line", "none")
    return tuple(words)
