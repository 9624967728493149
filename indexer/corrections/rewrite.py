"""A person's own transcript with other words, and nothing else changed.

A transcript is not parsed: its words are found in its bytes, ignoring times, numbers, keys of JSON,
tags and comments, and are aligned with the recogniser's words. So all other bytes of captions (SRT,
WebVTT, TTML), texts and the JSON of any service stay the same. A file may have several copies of
the words, as Whisper's JSON does. So after an alignment, the other words are aligned again; they
are a copy if they have at least half of the recogniser's words. Words are replaced if only spaces
and punctuation are between them. New words are written in the file's encoding. Tags within a line
may divide words (``<i>Hahnen</i>federn``), as the runs of a Word document do: the new word replaces
the first part, and the tags follow it. Of a Word document, only the main part is rewritten.
"""

import html
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise
from typing import NamedTuple
from xml.sax.saxutils import escape

from rapidfuzz.distance import Levenshtein

from std.encodings import encoding_of
from std.errors import InputError, StdError, quoted
from std.text import Normalisation

APOSTROPHES = "'’"
COPIES = 4  # copies of the words in a file: text, segments, words, alternatives
DOCUMENT = "word/document.xml"
_ZIP = b"PK\x03\x04"
_IS_MARKUP = re.compile(r"\ufeff?\s*<|\ufeff?WEBVTT")
_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?\s*<\?xml[^>]*encoding=["']([\w.:-]+)""")
_IS_CAPTIONS = re.compile(r" --> |^Dialogue:", re.MULTILINE)
# A tag, an escape of JSON or captions that is not a letter, or a word; letters may be escaped as in
# JSON.
_TAG = r"(?:<(?:[A-Za-z/?!]|\d+:)[^<>]*>|\{\\[^{}]*\})"
_ENDS_WORD = r"</?(?:\w+:)?(?:p|br|div|li|v|ruby|rt|rp|cr|tab|tbl|tr|tc)\b|<[^<>]*:unit=.word"
_JOINT = f"(?!{_ENDS_WORD}){_TAG}"  # within a line
_LETTER = r"(?:\\u[dD][89abAB]\w\w\\u\w{4}|\\u[0-9a-fA-F]{4}|[^\W_]|['’\u0300-\u036f])"
_REFERENCE = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{2,30});"  # of markup: &uuml; and &#252; are ü
_LETTERS = f"(?:{_REFERENCE}|{_LETTER})+"
_ESCAPE = r"\\[nrtbfNh\"/\\]"
_TEXT = re.compile(f"{_ESCAPE}|({_LETTER}+)")
_TAGGED = re.compile(f"{_TAG}|{_ESCAPE}|({_LETTERS}(?:(?:{_JOINT})+{_LETTERS})*)")
_IS_LETTERS = re.compile(r"(?:[^\W_]|['’\u0300-\u036f])+")
_UNIT = re.compile(f"{_TAG}|{_REFERENCE}|{_LETTER}|.", re.DOTALL)
_UNSPOKEN = re.compile(  # comments of XML; of WebVTT the header, notes and styles
    r"<!--.*?(?:-->|\Z)|\A\ufeff?WEBVTT.*?(?:\n\s*\n|\Z)"
    r"|(?:(?<=\n\n)|(?<=\n\r\n))(?:NOTE|STYLE|REGION)(?:\s.*?)?(?:\n\s*\n|\Z)",
    re.DOTALL,
)
_EMPTY_LINE = re.compile(r"\n\s*\n")
_STRING = re.compile(  # of JSON, or what is left of one; 2: it is a key
    r'"((?:[^"\\]|\\.)*)(?:"(\s*:)?|\\?\Z)', re.DOTALL
)
# Between words of one text: no other words, tags, keys or rows; in JSON no end of a text, either.
_SIGNS = rf"{_ESCAPE}|\\u\w{{4}}|{_REFERENCE}|[^\w<>{{}}\[\]:"
_BETWEEN, _BETWEEN_IN_JSON = (re.compile(f"(?>{_SIGNS}{more}])*") for more in ("", '"'))


class Replacement(NamedTuple):
    """Recogniser's words and their replacement."""

    first: int  # of the words
    end: int
    said: str  # in a person's spelling


class _Token(NamedTuple):
    word: str
    start: int  # in the text
    end: int


def rewritten(
    content: bytes, written: Sequence[str], replacements: Sequence[Replacement], text: Normalisation
) -> tuple[bytes, list[int], list[int]]:
    """A file with replaced words.

    Args:
        written: the recogniser's words from an index.
        replacements: the replacements of some of them, which do not overlap.

    Returns:
        the file; (n,) the number of times each replacement was made; and (n,) the number of copies
        that keep the words, because they stand apart there, as in a list of words with times.

    Raises:
        StdError: the file's encoding lacks a letter of the new words.
    """
    if not content.startswith(_ZIP):
        return _rewritten(content, written, replacements, text)
    target = io.BytesIO()
    done, kept = [0] * len(replacements), [0] * len(replacements)
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(target, "w") as sink:
        for member in source.infolist():
            part = source.read(member)
            if member.filename == DOCUMENT:
                part, done, kept = _rewritten(part, written, replacements, text)
            sink.writestr(member, part)
    return target.getvalue(), done, kept


def _rewritten(
    content: bytes, written: Sequence[str], replacements: Sequence[Replacement], text: Normalisation
) -> tuple[bytes, list[int], list[int]]:
    letters, encoding = _letters(content)
    is_markup = bool(_IS_MARKUP.match(letters))
    has_tags = is_markup or bool(_IS_CAPTIONS.search(letters))
    searched = _UNSPOKEN.sub(lambda found: " " * len(found[0]), letters) if is_markup else letters
    tokens = [*_tokens(searched, _TAGGED if has_tags else _TEXT, text)]
    words_of = Counter((token.start, token.end) for token in tokens)
    edits: dict[tuple[int, int], str] = {}
    done, kept = [0] * len(replacements), [0] * len(replacements)
    is_json = _is_json(letters)
    for place in _copies(written, tokens, letters if is_json else None):
        for row, (first, end, said) in enumerate(replacements):
            there = [place[i] for i in range(first, end) if i in place]
            if not there or len(there) < end - first:
                continue
            spans = Counter((token.start, token.end) for token in there)
            if any(n < words_of[span] for span, n in spans.items()):  # a part of what stands there
                continue
            start, stop = there[0].start, there[-1].end
            between = (letters[a.end : b.start] for a, b in pairwise(there))
            if not _are_of_one_text(between, has_tags=has_tags, is_json=is_json):
                kept[row] += 1
                continue
            new = _as_there(letters[start:stop], said, letters, is_markup)
            tags = "".join(re.findall(_TAG, letters[start:stop])) if has_tags else ""
            edits[start, stop] = _encodable(new, encoding, is_markup) + tags
            done[row] += 1
    for (start, stop), said in sorted(edits.items(), reverse=True):
        letters = letters[:start] + said + letters[stop:]
    return letters.encode(encoding, "surrogateescape"), done, kept


def _letters(content: bytes) -> tuple[str, str]:
    """A file as text, and the encoding by which the same bytes come back."""
    declared = _DECLARED.match(content)
    try:
        encoding = declared[1].decode() if declared else encoding_of(content, "transcript")
        letters = content.decode(encoding)
        if letters.encode(encoding) == content:
            return letters, encoding
    except InputError:  # in doubt: only letters that all encodings have in common are certain
        return content.decode("ascii", "surrogateescape"), "ascii"
    except (UnicodeError, LookupError):
        pass
    return content.decode("utf-8", "surrogateescape"), "utf-8"  # other bytes stay as they are


def _encodable(said: str, encoding: str, is_markup: bool) -> str:
    """New words as the encoding of a file can have them."""
    try:
        return said.encode(encoding, "xmlcharrefreplace" if is_markup else "strict").decode(
            encoding
        )
    except UnicodeEncodeError as error:
        problem = f"expected letters that {encoding} has, got {quoted(said)}"
        raise StdError(f"{problem}; convert the file to UTF-8 first") from error


def _copies(
    written: Sequence[str], tokens: Sequence[_Token], document: str | None
) -> list[dict[int, _Token]]:
    """Each copy of the recogniser's words that a file has: by word, its token.

    In JSON, the members with one key are a copy. If no copy has half of the words, the best
    alignment is used.
    """
    groups = [tokens] if document is None else _by_key(tokens, document)
    whole = [
        copy
        for group in groups
        if 2 * len(group) >= len(written)
        for copy in _alignments(written, group)
        if 2 * len(copy) >= len(written)
    ]
    return whole or [*islice(_alignments(written, tokens), 1)]


def _by_key(tokens: Sequence[_Token], document: str) -> list[list[_Token]]:
    """The words of the texts of a JSON document, by the last key before them."""
    groups: dict[str, list[_Token]] = {}
    texts, key = _STRING.finditer(document), ""
    found = next(texts, None)
    for token in tokens:
        while found and found.end() <= token.start:
            key = found[1] if found[2] else key
            found = next(texts, None)
        if found and found.start() < token.start and not found[2]:
            groups.setdefault(key, []).append(token)
    return [*groups.values()]


def _alignments(written: Sequence[str], tokens: Sequence[_Token]) -> Iterator[dict[int, _Token]]:
    """The alignment of words with tokens; then that with the other tokens."""
    left = [*tokens]
    for _ in range(COPIES):
        if 2 * len(left) < len(written) and len(left) < len(tokens):
            return
        place = _places(written, [token.word for token in left])
        yield {i: left[at] for i, at in place.items()}
        gone = {*place.values()}
        left = [token for at, token in enumerate(left) if at not in gone]


def _places(written: Sequence[str], there: Sequence[str]) -> dict[int, int]:
    """The recogniser's words that are there, and where.

    A run of words that stands there twice is placed beside the words that follow it, or else beside
    those before it: the name in ``{"file": "bonifai.mp3", "text": "Bonifai kam"}`` is not spoken.
    """
    runs = [
        (one.src_start, one.dest_start, one.src_end - one.src_start)
        for one in Levenshtein.opcodes([*written], [*there])
        if one.tag == "equal"
    ]
    for at in range(len(runs) - 2, -1, -1):
        (first, before, n), (following, after, _) = runs[at], runs[at + 1]
        if first + n == following and [*there[after - n : after]] == [*written[first:following]]:
            runs[at] = first, after - n, n
    for at in range(1, len(runs)):
        (first, before, n), (following, after, m) = runs[at - 1], runs[at]
        is_beside = at + 1 < len(runs) and runs[at + 1][:2] == (following + m, after + m)
        end = before + n
        same = [*there[end : end + m]] == [*written[following : following + m]]
        if first + n == following and same and not is_beside:
            runs[at] = following, end, m
    return {first + i: at + i for first, at, n in runs for i in range(n)}


def _tokens(letters: str, pattern: re.Pattern[str], text: Normalisation) -> Iterator[_Token]:
    for match in pattern.finditer(letters):
        if match[1]:
            for word, start, end in _stretches(match[1]):
                for one in text.phrase(word):
                    yield _Token(one, match.start(1) + start, match.start(1) + end)


def _stretches(written: str) -> Iterator[tuple[str, int, int]]:
    """The words of a stretch that has tags and escapes in it, and where each stands.

    >>> [*_stretches("na<i>me</i>&#39;s&nbsp;'x'")]
    [("name's", 0, 17), ('x', 24, 25)]
    """
    if written.isalnum():  # as most are
        yield written, 0, len(written)
        return
    for is_word, units in groupby(_units(written), lambda one: bool(_IS_LETTERS.fullmatch(one[0]))):
        letters = [*units] if is_word else []
        if len(letters) > 2 and letters[0][0] in APOSTROPHES and letters[-1][0] in APOSTROPHES:
            letters = letters[1:-1]  # quotation marks
        if letters:
            yield "".join(one for one, *_ in letters), letters[0][1], letters[-1][2]


def _units(written: str) -> Iterator[tuple[str, int, int]]:
    """The letters of a stretch, as they are said, and where each stands; tags are left out."""
    for unit in _UNIT.finditer(written):
        if letter := _said_by(unit[0]):
            yield letter, *unit.span()


def _said_by(unit: str) -> str:
    """The letters of a tag (none), a reference, an escape or a letter."""
    if unit.startswith("\\"):
        return str(json.loads(f'"{unit}"'))
    if unit.startswith("&"):
        return html.unescape(unit)
    return unit if len(unit) == 1 else ""


def _are_of_one_text(between: Iterable[str], *, has_tags: bool, is_json: bool) -> bool:
    """Whether only spaces, punctuation and tags within a line are between words."""
    signs = _BETWEEN_IN_JSON if is_json else _BETWEEN
    texts = (re.sub(_JOINT, "", one) if has_tags else one for one in between)
    return all(signs.fullmatch(one) and not _EMPTY_LINE.search(one) for one in texts)


def _as_there(there: str, said: str, letters: str, is_markup: bool) -> str:
    """The new words, with a capital where there was one, and with the file's escapes."""
    if there[:1].isupper():
        said = said[:1].upper() + said[1:]
    if is_markup:
        return escape(said)
    return json.dumps(said, ensure_ascii="\\u" in letters)[1:-1] if _is_json(letters) else said


def _is_json(letters: str) -> bool:
    return letters.lstrip("\ufeff \t\r\n").startswith(("{", "["))
