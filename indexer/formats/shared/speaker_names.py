"""Speakers of captions: VTT's voices, and names before speech ("Anna Smith: good morning").

    spoken_cues               cues as written -> speech with speakers
    utterances_of_captions    the same -> utterances

``NATO: das Bündnis``, ``COVID-19: was wir wissen``, ``Remember: ...`` look the same and are speech:
`indexer.formats.shared.speaker_evidence` tells them apart.
"""

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain, pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np

from indexer.formats.shared.caption_text import has_markup, spoken_part
from indexer.formats.shared.cues import Cue, utterances_of_cues
from indexer.formats.shared.opening_words import is_opening
from indexer.formats.shared.reader import ReaderOptions, SpeakerNames
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.speaker_evidence import speakers as speakers_among
from indexer.formats.shared.speaker_shapes import Prefixes, is_label, is_name, prefixes_of
from indexer.networks.raw import SECONDS_PER_LETTER
from indexer.networks.utterances import Utterances

_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]++([^<>\n]*)>|</v>")
_ONE_VOICE = re.compile(r"\s*<v(?:\.[^\s<>]*)?[ \t]++([^<>\n]*)>([^<]*)(?:</v>\s*)?")  # as mostly
_TEXT, _WORDS = (itemgetter(Cue._fields.index(name)) for name in ("text", "words"))  # fast
LEAST_NAMED = 4  # captions whose first lines show that they are names


def utterances_of_captions(
    cues: Iterable[Cue], path: Path | str, options: ReaderOptions, source: str = ""
) -> Iterator[Utterances]:
    """Yield the utterances of a file's captions, with their speakers.

    Args:
        cues: as `spoken_cues` takes them.
        source: the recording according to the file's content, for captions that name none.

    Raises:
        InputError: there is no cue, or a time is impossible and repairs are not allowed.
    """
    spoken = spoken_cues(cues, options.speaker_names)
    yield from utterances_of_cues(spoken, path, recording_for(path, options, source), options)


def spoken_cues(cues: Iterable[Cue], names: SpeakerNames) -> list[Cue]:
    """Remove markup, voices and names of speakers from cues; divide cues of several speakers.

    Args:
        cues: the cues of a whole file, as written; those with words have been read and lack names
            only.
        names: how names at the beginning of lines are treated: "auto" decides by the file; with
            "drop" all that look like a name are speakers, with "keep" none.
    """
    cues = list(cues)
    texts = [*map(_TEXT, cues)]
    joined = "\n".join(texts)
    if "<v" in joined:
        cues = [*chain.from_iterable(map(_by_voice, cues))]
    if has_markup(joined) or "&" in joined:
        cues = [_without_markup(cue) for cue in cues]
        texts = [cue.text for cue in cues]
        joined = "\n".join(texts)
    if names == "keep":
        return cues
    if named := _by_first_line(cues):
        return named
    if not any(mark in joined for mark in ":\uff1a[("):
        return cues
    prefixes = prefixes_of(texts, joined)
    if not prefixes.names:
        return cues
    if names == "drop":
        kinds = {(one.name, one.bare) for one in prefixes.kinds}
        speakers: Set[str] = {
            name for name, bare in kinds if is_label(name) or (is_name(name) and not bare)
        }
    else:
        speakers = speakers_among(cues, prefixes, joined)
    if not speakers:
        return cues
    is_speaker = np.array([name in speakers for name in prefixes.names])
    return _divided_at(cues, prefixes.some(is_speaker[prefixes.name]))


def _by_first_line(cues: Sequence[Cue]) -> list[Cue]:
    """Make first lines speakers if each is a label, or a name and few recur; none if not."""
    if any("\n" not in cue.text.strip() for cue in cues[:2]):
        return []  # as mostly
    if any(cue.words or cue.speaker for cue in cues):
        return []
    if not _are_names({cue.text.strip().partition("\n")[0] for cue in cues[:LEAST_NAMED]}):
        return []  # fast
    parts = [cue.text.strip().partition("\n") for cue in cues]
    names = {" ".join(name.split()) for name, _, _ in parts}
    if not names or not all(said for _, _, said in parts):
        return []
    if not all(map(is_label, names)) and not (_recur(names, len(cues)) and _are_names(names)):
        return []
    return [
        cue._replace(speaker=" ".join(name.split()), text=said)
        for cue, (name, _, said) in zip(cues, parts, strict=True)
    ]


def _recur(names: Set[str], n_cues: int) -> bool:
    """Whether names recur; those of few captions need a first name and a last one, too."""
    if n_cues >= LEAST_NAMED:
        return len(names) <= n_cues / 2
    return len(names) < n_cues and all(" " in name for name in names)


def _are_names(texts: Iterable[str]) -> bool:
    names = (" ".join(text.split()) for text in texts)
    return all((is_name(name) or is_label(name)) and not is_opening(name) for name in names)


def _divided_at(cues: list[Cue], prefixes: Prefixes) -> list[Cue]:
    """Give cues the speakers of prefixes, and divide those that have several."""
    rows, names = prefixes.row, [prefixes.names[name] for name in prefixes.name.tolist()]
    begins, ends = prefixes.begin.tolist(), prefixes.end.tolist()
    first = np.diff(rows, prepend=-1) > 0
    alone = first & np.append(first[1:], True)  # the only one of its cue, and at its beginning
    is_all = len(rows) == len(cues) and bool(alone.all())  # as mostly
    own = cues if is_all else list(map(cues.__getitem__, rows.tolist()))
    make = tuple.__new__  # fast
    new: list[Cue] = [
        make(Cue, (line, start_s, end_s, text[end:], words, recording, language, name, error_s))
        for (line, start_s, end_s, text, words, recording, language, _, error_s), end, name in zip(
            own, ends, names, strict=True
        )
    ]
    is_slow = ~alone | (prefixes.begin > 1)
    if any(map(_WORDS, own)) or not all(map(_TEXT, new)):
        is_slow |= [bool(cue.words) or not cue.text for cue in new]
    slow = np.flatnonzero(is_slow).tolist()
    if is_all and not slow:
        return new
    divided: list[Sequence[Cue]] = [[cue] for cue in cues]
    for row, cue in zip(rows.tolist(), new, strict=True):
        divided[row] = [cue]
    at_row: defaultdict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for at in slow:
        at_row[int(rows[at])].append((names[at], begins[at], ends[at]))
    for row, several in at_row.items():
        divided[row] = _by_prefix(cues[row], several)
    return [*chain.from_iterable(divided)]


def _without_markup(cue: Cue) -> Cue:
    text = cue.text if cue.words else spoken_part(cue.text)
    return cue if text is cue.text else cue._replace(text=text)


def _by_voice(cue: Cue) -> list[Cue]:
    if "<v" not in cue.text or cue.words:
        return [cue]
    at, speaker, pieces = 0, cue.speaker, []
    for tag in _VOICE.finditer(cue.text):
        pieces.append((speaker, cue.text[at : tag.start()]))
        at, speaker = tag.end(), voice(tag[1] or "")
    return _divided(cue, [*pieces, (speaker, cue.text[at:])])


def one_voice(text: str) -> tuple[str, str]:
    """The voice of a text with one voice, as most captions with voices are, and the text.

    Without a voice, with several, or with further markup the text stays as it is.
    """
    tag, _, said = text.partition(">")
    if tag.startswith("<v ") and "<" not in (said := said.removesuffix("</v>")):  # fast
        return voice(tag[3:]), said
    one = _ONE_VOICE.fullmatch(text)
    return (voice(one[1]), one[2]) if one else ("", text)


@lru_cache(maxsize=1 << 10)
def voice(name: str) -> str:
    """The name in a voice's tag, as text of one line."""
    return " ".join(html.unescape(name).split())


def voices(text: str) -> list[tuple[int, str]]:
    """The places in a text where voices begin; an empty voice where one ends."""
    return [(tag.end(), voice(tag[1] or "")) for tag in _VOICE.finditer(text)]


def _by_prefix(cue: Cue, prefixes: Sequence[tuple[str, int, int]]) -> list[Cue]:
    """Divide a cue at prefixes, given as names with their begins and ends."""
    if cue.words:  # words with times, joined by blanks: one line
        speaker, _, end = prefixes[0]
        words = [
            word._replace(speaker=speaker) for word in cue.words[len(cue.text[:end].split()) :]
        ]
        return [cue._replace(text=cue.text[end:].strip(), words=words, speaker=speaker)]
    ends = [*(begin for _, begin, _ in prefixes[1:]), len(cue.text)]
    named = [(name, cue.text[at:end]) for (name, _, at), end in zip(prefixes, ends, strict=True)]
    return _divided(cue, [(cue.speaker, cue.text[: prefixes[0][1]]), *named])


def _divided(cue: Cue, pieces: Sequence[tuple[str, str]]) -> list[Cue]:
    """One cue for each piece with words; they share the time by letters."""
    said = [(speaker, text) for speaker, text in pieces if text.strip()]
    if len(said) < 2:
        speaker, text = said[0] if said else (cue.speaker, "")
        return [cue._replace(speaker=speaker, text=text)]
    letters = sum(len(text) for _, text in said)
    known = cue.end_s == cue.end_s
    letter_s = (cue.end_s - cue.start_s) / letters if known else SECONDS_PER_LETTER
    borders_s = [cue.start_s]
    for _, text in said[:-1]:
        borders_s.append(borders_s[-1] + letter_s * len(text))
    return [
        cue._replace(start_s=start_s, end_s=end_s, speaker=speaker, text=text)
        for (start_s, end_s), (speaker, text) in zip(
            pairwise([*borders_s, cue.end_s]), said, strict=True
        )
    ]
