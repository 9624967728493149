"""ELAN annotations (.eaf).

    <ANNOTATION_DOCUMENT>
      <HEADER TIME_UNITS="milliseconds"> <MEDIA_DESCRIPTOR MEDIA_URL="file:///x.wav"/>
      <TIME_ORDER> <TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="0"/> ...        no value: not aligned
      <TIER TIER_ID="A" LINGUISTIC_TYPE_REF="default-lt" [PARENT_REF] [LANG_REF]>
        <ANNOTATION> <ALIGNABLE_ANNOTATION TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
          <ANNOTATION_VALUE>text</ANNOTATION_VALUE>
        <ANNOTATION> <REF_ANNOTATION ANNOTATION_REF="a1"> ...       no times of its own
      <LANGUAGE LANG_ID="deu" .../>

Each annotation of a tier of speech is a cue, whose words share its time. Tiers with alignable
annotations are speech if their name says so, or, if no name does, if they depend on no other tier
and have no name of something else (`indexer.formats.shared.tiers`). In tiers of words each
annotation is a word with its times. Annotations whose borders are not aligned share the time up to
the next aligned border.

Source: H. Sloetjes, "ELAN Annotation Format EAF, schema version 3.0"; files of ELAN and aeneas.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.cues import Cue, timed_cues
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, has_root
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.formats.shared.tiers import Tier, chosen, speaker_of_tier
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import NONE, InputError
from std.files import content_of
from std.nist.xml import Attributes, Reader, feed
from std.ranges import MAX_TIME_S, MAX_UTTERANCE_BYTES, Range

_UNITS_S = {"milliseconds": 0.001, "ntsc-frames": 1001 / 30_000, "pal-frames": 1 / 25}
_ANNOTATIONS = ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION")
_TIME = Range(0, 2**62, whole=True)


_OF_NUMBERS = re.compile(r"(?i)ref(?![a-z])")
_OF_TEXTS = re.compile(r"(?i)(?:tx|te?xt|utt(?:erance)?s?|transcr\w*|orth\w*)(?![a-z])")


class _Annotation(NamedTuple):
    line: int
    first: str  # ids of time slots
    last: str
    text: str
    name: str = ""
    refers_to: str = ""  # another annotation, whose times are its own


@dataclass(slots=True)
class _Tier:
    name: str
    parent: str
    language: str
    participant: str = ""
    annotations: list[_Annotation] = field(default_factory=list)
    references: list[_Annotation] = field(default_factory=list)  # without times


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the annotations of the tiers that are speech as utterances.

    Raises:
        InputError: the file is not well formed, an annotation names a time slot that does not
            exist, or no tier is speech.
    """
    reader = _Annotations(path)
    feed(BytesIO(content_of(stream, path, MAX_UTTERANCE_BYTES)), reader)
    tiers = reader.tiers
    _place_texts(tiers)
    names = [Tier(one.name, bool(one.annotations) and _is_free(one)) for one in tiers]
    cues: list[Cue] = []
    for row in chosen(names, options.tiers, path):
        own = _cues(tiers[row], reader, path)
        speaker = tiers[row].participant or speaker_of_tier(tiers[row].name)
        if names[row].of_words:
            own = _words(own)
        cues += (
            one._replace(
                language=reader.languages.get(tiers[row].language, tiers[row].language),
                speaker=speaker,
            )
            for one in own
        )
    yield from utterances_of_captions(cues, path, options, reader.media)


def _place_texts(tiers: Sequence[_Tier]) -> None:
    """Give texts (tier ``tx``) the times of the sentence numbers (``ref``) that they refer to."""
    numbers = {one.name: one for one in tiers if not one.parent and _OF_NUMBERS.match(one.name)}
    for tier in tiers:
        if tier.parent in numbers and tier.references and _OF_TEXTS.match(tier.name):
            spans = {one.name: one for one in numbers[tier.parent].annotations}
            placed = [(one, spans.get(one.refers_to)) for one in tier.references]
            tier.annotations += [
                one._replace(first=span.first, last=span.last) for one, span in placed if span
            ]
            tier.parent = ""  # its times are its own now


def _is_free(tier: _Tier) -> bool:
    """Whether a tier depends on no other, or holds words."""
    return not tier.parent or Tier(tier.name).of_words


def _words(cues: Sequence[Cue]) -> list[Cue]:
    single = [cue for cue in cues if len(cue.text.split()) == 1]
    words = ((cue.line, HypothesisWord(cue.text, 1.0, cue.start_s, cue.end_s)) for cue in single)
    return [*timed_cues(words), *(cue for cue in cues if len(cue.text.split()) > 1)]


def _cues(tier: _Tier, reader: "_Annotations", path: Path | str) -> list[Cue]:
    """Return the annotations with their times; those with no time between them are joined."""
    cues: list[Cue] = []
    open_at: str | None = None  # the unaligned slot in which the last cue ends
    for one in tier.annotations:
        for slot in (one.first, one.last):
            if slot not in reader.times_s:
                raise InputError(path, one.line, "a time slot that exists", slot or NONE)
        start_s, end_s = reader.times_s[one.first], reader.times_s[one.last]
        joined = cues and one.first == open_at
        if start_s is None and not joined:
            start_s = reader.aligned_s(one.first, before=True)
        if end_s is None:
            end_s = reader.aligned_s(one.last, before=False)
        if joined:
            before = cues.pop()
            cues.append(before._replace(end_s=end_s, text=f"{before.text} {one.text}"))
        else:
            cues.append(Cue(one.line, start_s or 0.0, end_s, one.text))
        open_at = one.last if reader.times_s[one.last] is None else None
    return cues


class _Annotations(Reader):
    """Collects tiers and time slots."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.tiers: list[_Tier] = []
        self.times_s: dict[str, float | None] = {}  # by slot; None: not aligned
        self.languages: dict[str, str] = {}
        self.media = ""
        self._unit_s = _UNITS_S["milliseconds"]
        self._annotation: _Annotation | None = None
        self._text: list[str] | None = None
        self._seen = False
        self._neighbours: dict[str, tuple[float, float]] | None = None

    def start(self, tag: str, attributes: Attributes) -> None:
        if not self._seen and tag != "ANNOTATION_DOCUMENT":
            self.fail("a document <ANNOTATION_DOCUMENT>", f"<{tag}>")
        self._seen = True
        if tag == "HEADER":
            self._header(attributes)
        elif tag == "MEDIA_DESCRIPTOR":
            self.media = self.media or (attributes.get("MEDIA_URL") or "")
        elif tag == "TIME_SLOT":
            self._slot(attributes)
        elif tag == "LANGUAGE":
            name = self.required(attributes, "LANG_ID")
            self.languages[name] = name
        elif tag == "TIER":
            name = self.required(attributes, "TIER_ID")
            said = attributes.get("LANG_REF") or ""
            who = (attributes.get("PARTICIPANT") or "").strip()
            self.tiers.append(_Tier(name, attributes.get("PARENT_REF") or "", said, who))
        elif tag == "ALIGNABLE_ANNOTATION":
            first = self.required(attributes, "TIME_SLOT_REF1")
            last = self.required(attributes, "TIME_SLOT_REF2")
            name = attributes.get("ANNOTATION_ID") or ""
            self._annotation = _Annotation(self.line, first, last, "", name)
        elif tag == "REF_ANNOTATION":
            refers_to = attributes.get("ANNOTATION_REF") or ""
            self._annotation = _Annotation(self.line, "", "", "", refers_to=refers_to)
        elif tag == "ANNOTATION_VALUE" and self._annotation is not None:
            self._text = []

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, tag: str) -> None:
        if tag == "ANNOTATION_VALUE" and self._annotation and self._text is not None:
            self._annotation = self._annotation._replace(text="".join(self._text))
            self._text = None
        elif tag in _ANNOTATIONS and self._annotation is not None:
            if not self.tiers:
                self.fail("an annotation inside a tier", NONE)
            tier = self.tiers[-1]
            own = tier.references if self._annotation.refers_to else tier.annotations
            own.append(self._annotation)
            self._annotation = None

    def aligned_s(self, slot: str, *, before: bool) -> float:
        """Return the time of the next slot that is aligned before or after one that is not."""
        if self._neighbours is None:
            self._neighbours = self._aligned()
        return self._neighbours[slot][0 if before else 1]

    def _aligned(self) -> dict[str, tuple[float, float]]:
        """Return the times of the aligned slots before and after each slot, in the file's order."""
        known = [0.0]
        for time_s in self.times_s.values():
            known.append(known[-1] if time_s is None else time_s)
        following = [known[-1]]
        for time_s in reversed(self.times_s.values()):
            following.append(following[-1] if time_s is None else time_s)
        after = following[:0:-1]
        return {
            slot: (earlier, max(earlier, later))
            for slot, earlier, later in zip(self.times_s, known[1:], after, strict=True)
        }

    def _header(self, attributes: Attributes) -> None:
        unit = attributes.get("TIME_UNITS") or "milliseconds"
        if unit.lower() not in _UNITS_S:
            self.fail(f"TIME_UNITS as {' or '.join(_UNITS_S)}", unit)
        self._unit_s = _UNITS_S[unit.lower()]
        self.media = attributes.get("MEDIA_FILE") or ""

    def _slot(self, attributes: Attributes) -> None:
        name, value = self.required(attributes, "TIME_SLOT_ID"), attributes.get("TIME_VALUE")
        if name in self.times_s:
            self.fail("each TIME_SLOT_ID once", name)
        time_s = None
        if value is not None:
            time_s = self._unit_s * self.whole_number(value, "TIME_VALUE", _TIME)
            if time_s > MAX_TIME_S:
                self.fail(f"times up to {MAX_TIME_S} s", value)
        self.times_s[name] = time_s


READER = FormatReader(
    name="eaf",
    title="ELAN EAF",
    section="annotations",
    content="annotations",
    needs="`--tier`, if the default chooses other tiers than you want",
    kinds=("text",),
    looks_like=has_root("ANNOTATION_DOCUMENT"),
    parse=parse,
    sample=(
        b'<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER><TIME_SLOT '
        b'TIME_SLOT_ID="a" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="650"/>'
        b'</TIME_ORDER><TIER TIER_ID="Anna" LINGUISTIC_TYPE_REF="x"><ANNOTATION>'
        b'<ALIGNABLE_ANNOTATION ANNOTATION_ID="c" TIME_SLOT_REF1="a" TIME_SLOT_REF2="b">'
        b"<ANNOTATION_VALUE>das haus</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
        b"</TIER></ANNOTATION_DOCUMENT>\n"
    ),
    words=("das", "haus"),
    extensions=("eaf",),
)
