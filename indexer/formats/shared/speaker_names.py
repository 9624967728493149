"""Who speaks in captions: VTT's voices, and names before what is said ("Anna Smith: good morning").

    spoken_cues      cues as written -> what was said, with speakers
    with_speakers    names at the beginning of lines -> speakers, where they are names

``NATO: das Bündnis``, ``COVID-19: was wir wissen``, ``Remember: ...`` look the same and are speech:
`indexer.formats.shared.speaker_evidence` tells them apart.
"""

import html
import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import chain, pairwise

from indexer.formats.shared.caption_text import has_markup, spoken_part
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.opening_words import is_opening
from indexer.formats.shared.reader_options import SpeakerNames
from indexer.formats.shared.speaker_evidence import Prefix
from indexer.formats.shared.speaker_evidence import speakers as speakers_among
from indexer.formats.shared.speaker_shapes import is_label, is_name

_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]+([^<>\n]*)>|</v>")
_ONE_VOICE = re.compile(r"\s*<v(?:\.[^\s<>]*)?[ \t]+([^<>\n]*)>([^<]*)(?:</v>\s*)?")  # as mostly
_PREFIX = re.compile(
    r"(?m)^(?P<mark>[ \t>\u00bb\u2013\u2014-]*)"  # - or >> before a change of speakers
    r"(?P<name>[^\W\d_][^\n:\uff1a()\[\]{}<>!?,;\"]{0,40}?)"
    r"(?:[ \t]*[(\[][^()\[\]\n]{1,30}[)\]])?[ \t]*(?:\uff1a|:(?=\s|$))"
)
_BRACKETED = re.compile(  # [Anna]: or (Anna):, and [SPEAKER_00] without a colon
    r"(?P<mark>[ \t>\u00bb\u2013\u2014-]*)"
    r"[(\[](?P<name>[^\W\d_][^\n:\uff1a()\[\]{}<>!?,;\"]{0,40})[)\]]"
    r"[ \t]*(?P<colon>\uff1a|:(?=\s|$))?"
)
_BEGINS = re.compile("[:\uff1a(\\[]")  # what a prefix has one of
LEAST_NAMED = 4  # captions whose first lines tell that they are names
LETTER_S = 0.07  # of speech that a letter stands for, where an end is not known


def spoken_cues(cues: Iterable[Cue], names: SpeakerNames) -> list[Cue]:
    """Take markup, voices and names of speakers out of cues; a cue of several speakers is divided.

    Args:
        cues: of a whole file, as written; those with words have been read and lack names only.
        names: what becomes of names at the beginning of lines (`with_speakers`).
    """
    cues = list(cues)
    text = "\n".join([cue.text for cue in cues])
    if "<v" in text:
        cues = [*chain.from_iterable(map(_by_voice, cues))]
    if has_markup(text) or "&" in text:
        cues = [_without_markup(cue) for cue in cues]
    if names != "keep" and (named := _by_first_line(cues)):
        return named
    return with_speakers(cues, names)


def _by_first_line(cues: Sequence[Cue]) -> list[Cue]:
    """Make first lines speakers if each is a name, and few recur; none if not."""
    if len(cues) < LEAST_NAMED or any(cue.words or cue.speaker for cue in cues):
        return []
    if "\n" not in cues[0].text.strip() or "\n" not in cues[1].text.strip():
        return []  # as mostly
    parts = [cue.text.strip().partition("\n") for cue in cues]
    names = {" ".join(name.split()) for name, _, _ in parts}
    if len(names) > len(cues) / 2 or not all(said for _, _, said in parts):
        return []
    if not all((is_name(name) or is_label(name)) and not is_opening(name) for name in names):
        return []
    return [
        cue._replace(speaker=" ".join(name.split()), text=said)
        for cue, (name, _, said) in zip(cues, parts, strict=True)
    ]


def with_speakers(cues: Sequence[Cue], names: SpeakerNames = "auto") -> list[Cue]:
    """Make names that stand before what is said speakers, and take them out of the text.

    Args:
        cues: of a whole file, without markup.
        names: "auto" as the file tells; "drop" takes all for speakers that look like a name,
            "keep" none.
    """
    texts = [cue.text for cue in cues]
    rows = [row for row, text in enumerate(texts) if _BEGINS.search(text)]
    if names == "keep" or not rows:
        return list(cues)
    found = {row: own for row in rows if (own := _prefixes(texts[row]))}
    speakers: Set[str]
    if names == "drop":
        written = {(one.name, one.bare) for one in chain.from_iterable(found.values())}
        speakers = {
            name for name, bare in written if is_label(name) or (is_name(name) and not bare)
        }
    else:
        speakers = speakers_among(cues, [*found.items()])
    if not speakers:
        return list(cues)
    divided: list[Cue] = []
    for row, cue in enumerate(cues):
        own = [one for one in found.get(row, ()) if one.name in speakers]
        divided += _by_prefix(cue, own) if own else [cue]
    return divided


def _without_markup(cue: Cue) -> Cue:
    text = cue.text if cue.words else spoken_part(cue.text)
    return cue if text is cue.text else cue._replace(text=text)


def _prefixes(text: str) -> list[Prefix]:
    """The prefixes of a text's lines, in order."""
    prefixes, begin = [], 0
    each = "\uff1a" in text or "[" in text or "(" in text
    while (at := begin if each else text.find(":", begin)) >= 0:
        begin = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        head = text[begin : at + 1]
        if each or text[at + 1 : at + 2].strip():
            head = text[begin : end if end >= 0 else None]
        if one := _prefix_in(head):  # of few in a file: each is looked at once
            prefixes.append(one._replace(begin=begin + one.begin, end=begin + one.end))
        if end < 0:
            break
        begin = end + 1
    return prefixes


@lru_cache(maxsize=1 << 10)
def _prefix_in(line: str) -> Prefix | None:
    plain = _PREFIX.match(line)
    found = plain or _BRACKETED.match(line)
    if not found:
        return None
    bare = not plain and not found["colon"]
    mark = found["mark"]
    marked = not bare and (">>" in mark or "\u00bb" in mark)
    return Prefix(" ".join(found["name"].split()), *found.span(), marked, not plain, bare)


def _by_voice(cue: Cue) -> list[Cue]:
    if "<v" not in cue.text or cue.words:
        return [cue]
    at, speaker, pieces = 0, cue.speaker, []
    for tag in _VOICE.finditer(cue.text):
        pieces.append((speaker, cue.text[at : tag.start()]))
        at, speaker = tag.end(), voice(tag[1] or "")
    return _divided(cue, [*pieces, (speaker, cue.text[at:])])


def one_voice(text: str) -> tuple[str, str]:
    """The voice of a text that one voice says, as most captions with voices are, and the text.

    Without a voice, with several, or with further markup the text stays as it is.
    """
    one = _ONE_VOICE.fullmatch(text)
    return (voice(one[1]), one[2]) if one else ("", text)


@lru_cache(maxsize=1 << 10)
def voice(name: str) -> str:
    """The name in a voice's tag, as text of one line."""
    return " ".join(html.unescape(name).split())


def voices(text: str) -> list[tuple[int, str]]:
    """Where in a text which voice begins; that of nobody where one ends."""
    return [(tag.end(), voice(tag[1] or "")) for tag in _VOICE.finditer(text)]


def _by_prefix(cue: Cue, prefixes: Sequence[Prefix]) -> list[Cue]:
    if cue.words:  # with times of their own, joined by blanks: one line
        n_words = len(cue.text[: prefixes[0].end].split())
        words, speaker = cue.words[n_words:], prefixes[0].name
        words = [word._replace(speaker=speaker) for word in words]
        text = cue.text[prefixes[0].end :].strip()
        return [cue._replace(text=text, words=words, speaker=speaker)]
    if len(prefixes) == 1 and not cue.text[: prefixes[0].begin].strip():  # as mostly
        name, _, end, *_ = prefixes[0]
        line, start_s, end_s, text, words, recording, language, speaker = cue
        said = text[end:]
        speaker = name if said.strip() else speaker
        return [Cue(line, start_s, end_s, said, words, recording, language, speaker)]
    ends = [*(one.begin for one in prefixes[1:]), len(cue.text)]
    named = [(one.name, cue.text[one.end : end]) for one, end in zip(prefixes, ends, strict=True)]
    return _divided(cue, [(cue.speaker, cue.text[: prefixes[0].begin]), *named])


def _divided(cue: Cue, pieces: Sequence[tuple[str, str]]) -> list[Cue]:
    """One cue for each piece that says something; their times are shares by letters."""
    said = [(speaker, text) for speaker, text in pieces if text.strip()]
    if len(said) < 2:
        speaker, text = said[0] if said else (cue.speaker, "")
        return [cue._replace(speaker=speaker, text=text)]
    letters = sum(len(text) for _, text in said)
    known = cue.end_s == cue.end_s
    letter_s = (cue.end_s - cue.start_s) / letters if known else LETTER_S
    borders_s = [cue.start_s]
    for _, text in said[:-1]:
        borders_s.append(borders_s[-1] + letter_s * len(text))
    return [
        cue._replace(start_s=start_s, end_s=end_s, speaker=speaker, text=text)
        for (start_s, end_s), (speaker, text) in zip(
            pairwise([*borders_s, cue.end_s]), said, strict=True
        )
    ]
