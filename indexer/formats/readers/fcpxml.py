"""Captions in Final Cut's XML (.fcpxml): texts attached to the clips of a timeline.

    <fcpxml version="1.11"> <project name="talk"> <sequence tcStart="3600s"> <spine>
      <asset-clip offset="3600s" start="5s" duration="20s">
        <caption lane="1" offset="7s" duration="3003/1500s" role="iTT?captionFormat=ITT.en">
          <text placement="bottom"> <text-style ref="ts1">hello there</text-style> </text>

Times are rational seconds. An ``offset`` is a time on the clock of the enclosing element. Where the
enclosing element begins, its clock shows ``start`` (a sequence and its spine: ``tcStart``, any
other spine: 0). In a spine, an element without ``offset`` follows the element before it. A
caption's own ``start`` does not change when it is shown. A ``ref-clip`` shows the named part of a
sequence within its time.

Without captions, titles (``<title>``) are read if texts are shown for a good part of the timeline,
as subtitles are, but not names of people below their pictures. Disabled texts and unedited titles
("Title") are left out. A subrole of a title (``dialogue.Anna``) and the role of a caption are a
speaker unless they name a kind, a language or a number.

Source: Apple, FCPXML reference: story elements, timing attributes, roles.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, has_root
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.networks.utterances import Utterances
from std.errors import NONE, ForeignFileError, InputError, Unquoted
from std.files import content_of
from std.languages.detection import NAMES
from std.nist.audio_names import recording_name
from std.nist.xml import Attributes, Reader, feed, refuse_entities
from std.ranges import MAX_UTTERANCE_BYTES
from std.values import Recording

TEXTS = ("caption", "title")
TIMED = frozenset(("asset-clip", "audio", "clip", "gap", "mc-clip", "ref-clip", "spine",
                   "sync-clip", "transition", "video", *TEXTS))  # fmt: skip
HELD = TIMED | {"audition", "project", "sequence"}
LEAST_SEEN = 0.3  # of a timeline, by titles that are subtitles
DEEPEST = 100  # elements around a text, compound clips included
MOST_PLACED = 2_000_000  # elements: clips that show the same may be many more than a file has
_TIME = re.compile(r"([+-]?\d{1,19})(?:\.(\d{1,12}))?(?:/(\d{1,10}))?s")

_KIND = re.compile(
    r"(?i)\b(itt|srt|cea|vtt|subs?)|608|caption|subtitle|title|titel|titre|t\u00edtulo|titulo|dialog"
    r"|video|audio|music|effect|default|primary|\u5b57\u5e55|\u6807\u9898"
)
_UNWRITTEN = re.compile(
    r"(?i)\s*(?:basic title|title|titel|titre|t\u00edtulo|titolo|text|\u6807\u9898"
    r"|\u30bf\u30a4\u30c8\u30eb)[\s\d]*"
)


class _Text(NamedTuple):
    """A text at its place of a timeline, in seconds from the timeline's beginning."""

    node: "_Node"
    start_s: float


@dataclass
class _Node:
    """An element with a place in a timeline, or one that contains such elements."""

    tag: str
    line: int
    attributes: Mapping[str, str]
    inside: "list[_Node]" = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # of a caption or a title, one a line
    shown_by_clip: bool = False  # a sequence of a compound clip

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the captions of each timeline as utterances, in order.

    Raises:
        InputError: the file is not well formed, declares entities, has an invalid time, or no
            captions (`ForeignFileError`).
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    refuse_entities(content, path)
    document = _Document(path)
    feed(BytesIO(content), document)
    timelines = document.timelines()
    cues = []
    for name, top in timelines:
        texts = _shown(top, document, path)
        recording = None
        if len(timelines) > 1 and name and options.names != "file":
            recording = Recording(recording_name(name), options.channel)
        cues += _cues(texts, _length_s(top, texts, path), path, recording)
    if not cues:
        expected, hint = "captions, or titles that are subtitles", "Final Cut: Export Captions"
        raise ForeignFileError(path, 0, expected, NONE, hint)
    name = timelines[0][0] if len(timelines) == 1 else ""
    yield from utterances_of_captions(cues, path, options, name)


def _cues(
    texts: Sequence[_Text], length_s: float, path: Path | str, recording: Recording | None
) -> list[Cue]:
    """Make cues of a timeline's captions, or of its titles if those are subtitles."""
    captions = [one for one in texts if one.node.tag == "caption"]
    if not captions:
        said = [one for one in texts if not is_unwritten(" ".join(one.node.texts))]
        seen_s = sum((max(0.0, _duration_s(one.node, path)) for one in said), 0.0)
        captions = said if seen_s >= LEAST_SEEN * length_s else []
    roles = [
        named_by_role(one.node.get("role"), of_title=one.node.tag == "title") for one in captions
    ]
    cues = []
    for one, (speaker, language) in zip(captions, roles, strict=True):
        start_s, end_s = one.start_s, one.start_s + _duration_s(one.node, path)
        text = "\n".join(one.node.texts)
        cue = Cue(one.node.line, float(start_s), float(end_s), text)
        cues.append(cue._replace(speaker=speaker, language=language, recording=recording))
    return sorted(cues, key=lambda cue: cue.start_s)


def _shown(top: _Node, document: "_Document", path: Path | str) -> list[_Text]:
    """Place the texts of a timeline."""
    found: list[_Text] = []
    placed = 0

    def place(node: _Node, at_s: float, depth: int) -> None:
        """Place the contents of an element that begins at this time."""
        nonlocal placed
        placed += 1
        if depth > DEEPEST or placed > MOST_PLACED:
            raise InputError(
                path, node.line, f"clips in at most {DEEPEST} others", Unquoted("more")
            )
        clock_s = _clock_s(node, path)
        following_s = clock_s
        for one in node.inside:
            if one.tag not in TIMED:
                place(one, at_s, depth + 1)
                continue
            offset = one.get("offset")
            default_s = following_s if node.tag == "spine" else clock_s
            offset_s = _seconds(offset, one, path) if offset else default_s
            if one.tag != "transition":
                following_s = offset_s + _duration_s(one, path)
            begins_s = at_s + offset_s - clock_s
            if one.tag in TEXTS and one.texts and one.get("enabled") != "0":
                found.append(_Text(one, begins_s))
            place(one, begins_s, depth + 1)
            compound = document.compounds.get(one.get("ref")) if one.tag == "ref-clip" else None
            if compound is not None and one.get("enabled") != "0":
                show(one, compound, begins_s, depth)

    def show(clip: _Node, compound: _Node, at_s: float, depth: int) -> None:
        """Place the part of another sequence that a clip shows."""
        first_s = _clock_s(compound, path)
        start = clip.get("start")
        earlier_s = _seconds(start, clip, path) - first_s if start else 0.0
        before = len(found)
        place(compound, at_s - earlier_s, depth + 1)
        until_s = at_s + _duration_s(clip, path)
        found[before:] = [
            one
            for one in found[before:]
            if one.start_s < until_s and one.start_s + max(0.0, _duration_s(one.node, path)) > at_s
        ]

    place(top, 0.0, 0)
    return found


def _clock_s(node: _Node, path: Path | str) -> float:
    """The time on an element's own clock at its beginning, seconds."""
    written = node.get("tcStart" if node.tag == "sequence" else "start")
    if node.tag == "spine":  # the timeline's, or one that hangs on a clip
        written = node.get("clock")
    return _seconds(written, node, path) if written else 0.0


def _duration_s(node: _Node, path: Path | str) -> float:
    """The duration of an element, seconds; a negative one of a text is repaired later.

    Raises:
        InputError: a clip has a negative duration, so the place of the next one is unknown.
    """
    written = node.get("duration")
    length_s = _seconds(written, node, path) if written else 0.0
    if length_s < 0 and node.tag not in TEXTS:
        raise InputError(path, node.line, "a duration of 0 s or more", written)
    return length_s


def _length_s(top: _Node, texts: Sequence[_Text], path: Path | str) -> float:
    """The duration of a timeline, seconds; if it states none, the end of its last text."""
    ends_s = (one.start_s + _duration_s(one.node, path) for one in texts)
    return _duration_s(top, path) or max(ends_s, default=0.0)


def _seconds(written: str, node: _Node, path: Path | str) -> float:
    """Read a rational time: ``3003/30000s``, ``5s``."""
    found = _TIME.fullmatch(written.strip())
    if found is None or int(found[3] or 1) == 0:
        raise InputError(path, node.line, "a time such as 3003/30000s", written)
    return float(f"{found[1]}.{found[2] or 0}") / int(found[3] or 1)


class _Document(Reader):
    """Collects the elements that have a place, and the compound clips."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.top = _Node("", 1, {})
        self.compounds: dict[str, _Node] = {}
        self._open = [self.top]
        self._media = ""
        self._text: list[str] | None = None  # of a caption

    def doctype(self, name: str, public_id: str | None, system_id: str | None) -> None:
        """Final Cut writes one without entities; nothing of it is read."""

    def timelines(self) -> list[tuple[str, _Node]]:
        """The timelines that are not part of another, with the names of their projects."""
        found, alone = [], []
        for one in self.top.inside:
            if one.tag == "project":
                found += [(one.get("name"), inner) for inner in one.inside]
            elif one.tag != "sequence":  # as if it were a timeline that begins with it
                alone.append(("", _Node("spine", one.line, {}, [_at(one, "")])))
            elif not one.shown_by_clip:
                found.append((one.get("name"), one))
        return found or alone

    def start(self, tag: str, attributes: Attributes) -> None:
        around = self._open[-1]
        if tag == "media":
            self._media = attributes.get("id") or ""
        elif tag == "text" and around.tag in TEXTS:
            self._text = self._text or []
        elif tag in HELD:
            names = ("name", "ref", "offset", "start", "duration", "tcStart", "enabled", "role")
            own = {name: attributes.get(name) or "" for name in names}
            if tag == "spine" and around.tag == "sequence":
                own |= {"offset": around.get("tcStart"), "clock": around.get("tcStart")}
            node = _Node(tag, self.line, own)
            if tag == "sequence" and self._media:
                node.shown_by_clip = True
                self.compounds[self._media] = node
            around.inside.append(node)
            self._open.append(node)
            if len(self._open) > DEEPEST:
                self.fail(f"clips in at most {DEEPEST} others", Unquoted("more"))

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, tag: str) -> None:
        if tag == "media":
            self._media = ""
        elif tag == "text":
            if lines := "".join(self._text or []).strip().splitlines():
                self._open[-1].texts.append("\n".join(map(str.strip, lines)))
            self._text = None
        elif len(self._open) > 1 and self._open[-1].tag == tag:
            node = self._open.pop()
            if tag == "audition":  # the first is what is seen
                self._open[-1].inside[-1:] = [_placed(one, node) for one in node.inside[:1]]


def _at(node: _Node, offset: str) -> _Node:
    """The element with another offset."""
    return replace(node, attributes={**node.attributes, "offset": offset})


def _placed(seen: _Node, audition: _Node) -> _Node:
    return _at(seen, audition.get("offset") or seen.get("offset"))


READER = FormatReader(
    name="fcpxml",
    title="Final Cut's XML",
    section="captions",
    content="captions, or titles that are subtitles",
    kinds=("text",),
    looks_like=has_root("fcpxml"),
    parse=parse,
    sample=(
        b'<fcpxml version="1.11"><project name="x"><sequence tcStart="0s"><spine><gap '
        b'offset="0s" start="0s" duration="9s"><caption lane="1" offset="0s" duration="13/20s">'
        b"<text>das haus</text></caption></gap></spine></sequence></project></fcpxml>\n"
    ),
    words=("das", "haus"),
    extensions=("fcpxml",),
)


def named_by_role(role: str, *, of_title: bool) -> tuple[str, str]:
    """The speaker and the language that a role names; empty if it names none.

    >>> [named_by_role(role, of_title=False) for role in ("Anna?captionFormat=ITT.en", "iTT")]
    [('Anna', 'en'), ('', '')]
    >>> [named_by_role(role, of_title=True) for role in ("dialogue.Anna", "titles.titles-1")]
    [('Anna', ''), ('', '')]
    """
    role, _, form = role.partition("?captionFormat=")
    main, _, own = role.partition(".")
    name = own if of_title else own or main
    name = "" if _KIND.search(name) or not re.search(r"[^\W\d_]", name) else name.strip()
    is_default = name.lower() in NAMES or name.startswith(f"{main}-")
    return "" if is_default else name, form.partition(".")[2]


def is_unwritten(text: str) -> bool:
    """Whether a title has the default text.

    >>> is_unwritten("Title 2"), is_unwritten("Title deeds")
    (True, False)
    """
    return _UNWRITTEN.fullmatch(text) is not None
