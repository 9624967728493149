"""Write how often words are said, from a public list.

The list is CC BY-SA and not included. This script needs a separate environment, which may be
deleted afterwards:

    python3 -m venv /tmp/lists && /tmp/lists/bin/pip install wordfreq==3.1.1
    /tmp/lists/bin/python benchmarks/archives/frequencies.py de /tmp/de.tsv

It writes lines of ``word<TAB>count``, most frequent first: occurrences in 1e9 words, rounded up.
"""

import sys
from pathlib import Path

import wordfreq  # type: ignore[import-not-found]  # not a dependency: see above


def main() -> None:
    """Write the words of the language named on the command line into the file named there."""
    language, path = sys.argv[1:]
    lists = wordfreq.get_frequency_dict(language, "best")
    words = sorted((-share, word) for word, share in lists.items() if word.isalpha())
    lines = [f"{word}\t{max(1, round(-1e9 * share))}\n" for share, word in words]
    Path(path).write_text("".join(lines), encoding="utf-8")
    print(f"{path}: {len(lines)} words")


if __name__ == "__main__":
    main()
