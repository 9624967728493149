"""Prefixes of a whole file, found at once, are those of its lines, one by one."""

import random
import re

import pytest

from indexer.formats.shared.speaker_shapes import LONGEST, MARKS, prefix_in, prefixes_of

PIECES = ["Anna", "Ben Bach", ":", ": ", "\uff1a", "\n", "[", "]", "(", ")", ">> ", "- ", "hello",
          " ", "10:30", "ÄÖ", "主持人", "\t", "x" * 60]  # fmt: skip


def one_by_one(texts):
    found = []
    for row, text in enumerate(texts):
        begin = 0
        for line in text.split("\n"):
            opening = re.search(r"[\[(]", line[: MARKS + 1])
            colon = re.search(r":(?=\s|$)|\uff1a", line)
            head = line[:LONGEST] if opening else line[: colon.end()] if colon else ""
            one = prefix_in(head) if len(head) <= LONGEST and head else None
            if one:
                found.append((row, one.name, begin + one.begin, begin + one.end, one.bare))
            begin += len(line) + 1
    return found


def at_once(texts):
    found = prefixes_of(texts, "\n".join(texts))
    columns = zip(found.row, found.name, found.begin, found.end, found.kind, strict=True)
    return [
        (row, found.names[name], begin, end, found.kinds[kind].bare)
        for row, name, begin, end, kind in columns
    ]


@pytest.mark.parametrize("seed", range(40))
def test_at_once_as_one_by_one(seed):
    chance = random.Random(seed)
    texts = ["".join(chance.choices(PIECES, k=chance.randrange(12))) for _ in range(60)]
    if seed % 2:
        texts = [text.translate(dict.fromkeys(map(ord, "[]()ÄÖ主持人\uff1a"))) for text in texts]
    assert at_once(texts) == one_by_one(texts)


def test_places_are_where_speech_begins():
    texts = ["Anna: yes", "so\nBen: no", ""]
    found = prefixes_of(texts, "\n".join(texts))
    assert ["\n".join(texts)[at:][:4].strip() for at in found.place.tolist()] == ["yes", "no"]
