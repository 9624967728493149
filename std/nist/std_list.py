"""Hit lists: the detections of a system. Two dialects, told apart by the root element.

    2006: <stdlist>  <detected_termlist termid term_search_time oov_term_count>  <term .../>
    2013: <kwslist>  <detected_kwlist kwid search_time oov_count>                <kw .../>

A hit is ``file channel tbeg dur score decision``, and NIST's schemas allow no other attribute: a
hit's probability is the score of a second list with the same hits. The root's ``default_score``,
the score of a place without a hit, is our extension: NIST's schemas do not have it.

The file is read into columns: ten million hits need 33 bytes each and no tree. Several detected
lists of one term are one search: their hits are joined and their search times are added. (NIST's
scorer counts the term's references twice.)
"""

from array import array
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

import numpy as np

from std.errors import Unquoted
from std.nist.audio_names import recording_name
from std.nist.term_list import Dialect
from std.nist.xml import (
    Attributes,
    Reader,
    decimal,
    declaration,
    encoded,
    escape,
    feed,
    parse_number,
)
from std.numbers import DIGITS, written
from std.ranges import BYTES, COUNT, MAX_SCORE, SECONDS
from std.values import Detections, Float64s, Recording, STDList, TermSearch


class StdListTags(NamedTuple):
    """Names of the elements and attributes in one dialect."""

    root: str
    term_list: str
    detected: str
    term_id: str
    search_time: str
    oov_count: str
    hit: str


STD_LIST_TAGS: dict[Dialect, StdListTags] = {
    "std2006": StdListTags(
        "stdlist",
        "termlist_filename",
        "detected_termlist",
        "termid",
        "term_search_time",
        "oov_term_count",
        "term",
    ),
    "kws2013": StdListTags(
        "kwslist", "kwlist_filename", "detected_kwlist", "kwid", "search_time", "oov_count", "kw"
    ),
}
DIALECT_OF_ROOT: dict[str, Dialect] = {tags.root: name for name, tags in STD_LIST_TAGS.items()}
WRITE_HITS = 10_000  # formatted at a time
DECISIONS = ('" decision="NO"/>\n', '" decision="YES"/>\n')  # the end of a hit


class _Reader(Reader):
    """Columns grow in `array`s; names become indices through one dictionary each."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.tags = STD_LIST_TAGS["kws2013"]  # until the root element is read
        self.hit = ""
        self.depth = 0
        self.terms: dict[str, int] = {}
        self.searches: list[TermSearch] = []
        self.recordings: dict[Recording, int] = {}
        self.sources: dict[tuple[str | None, str | None], int] = {}  # as written -> index
        self.header: dict[str, str] = {}
        self.indexing_time_s, self.index_size_bytes = 0.0, 0.0
        self.score_range: tuple[float, float] | None = None
        self.default_score: float | None = None
        self.lowest, self.highest = -np.inf, np.inf
        self.current = -1
        self.term, self.recording, self.yes = array("i"), array("i"), array("b")
        self.start_s, self.duration_s, self.score = array("d"), array("d"), array("d")

    def start(self, tag: str, attributes: Attributes) -> None:
        if self.depth == 2 and tag == self.hit:
            self.add_hit(attributes)
        elif self.depth == 1 and tag == self.tags.detected:
            self.detected_list(attributes)
        elif self.depth == 0:
            self.root(tag, attributes)
        else:
            expected = self.tags.detected if self.depth == 1 else self.hit
            self.fail(f"<{expected}>", f"<{tag}>")
        self.depth += 1

    def end(self, tag: str) -> None:
        self.depth -= 1

    def root(self, tag: str, attributes: Attributes) -> None:
        if tag not in DIALECT_OF_ROOT:
            self.fail("a <stdlist> or a <kwslist>", f"<{tag}>")
        self.tags = STD_LIST_TAGS[DIALECT_OF_ROOT[tag]]
        self.hit = self.tags.hit
        for name in (self.tags.term_list, "language", "system_id"):
            self.header[name] = attributes.get(name) or ""
        self.indexing_time_s = self.number(attributes, "indexing_time", 0.0)
        self.index_size_bytes = self.number(attributes, "index_size", 0.0, BYTES)
        if (default := attributes.get("default_score")) is not None:
            self.default_score = self.score_of("default_score", default)
        low, high = attributes.get("min_score"), attributes.get("max_score")
        if (low is None) != (high is None):
            self.fail("min_score and max_score, both or neither", Unquoted("one of them"))
        if low is not None and high is not None:
            bounds = parse_number(low), parse_number(high)
            if bounds[0] is None or bounds[1] is None or bounds[0] > bounds[1]:
                self.fail("min_score and max_score as ascending numbers", f"{low} and {high}")
            self.lowest, self.highest = self.score_range = bounds[0], bounds[1]

    def detected_list(self, attributes: Attributes) -> None:
        tags = self.tags
        term_id = self.required(attributes, tags.term_id).strip()
        if not term_id:
            self.fail(f"a {tags.term_id}", "")
        search_s = self.number(attributes, tags.search_time, 0.0)
        oov = attributes.get(tags.oov_count, "NA")
        name = f"{tags.oov_count} as NA, or"
        oov_count = None if oov in ("NA", None) else self.whole_number(oov, name, COUNT)
        if term_id in self.terms:
            self.current = self.terms[term_id]
            before = self.searches[self.current]
            self.searches[self.current] = TermSearch(
                before.search_time_s + search_s,
                before.oov_count if oov_count is None else oov_count,
            )
        else:
            self.current = self.terms[term_id] = len(self.terms)
            self.searches.append(TermSearch(search_s, oov_count))

    def add_hit(self, attributes: Attributes) -> None:
        source = attributes.get("file"), attributes.get("channel")
        recording = self.sources.get(source)
        if recording is None:
            recording = self.new_source(attributes, source)
        start = attributes.get("tbeg") or ""
        duration = attributes.get("dur") or ""
        score = attributes.get("score") or ""
        decision = attributes.get("decision")
        try:
            start_s, duration_s, value = float(start), float(duration), float(score)
        except ValueError:
            self.refuse(attributes)
        if not (0 <= start_s <= SECONDS.highest and 0 <= duration_s <= SECONDS.highest):
            self.refuse(attributes)
        if abs(value) > MAX_SCORE and not np.isinf(value):
            self.refuse(attributes)
        if not self.lowest <= value <= self.highest or "_" in start + duration + score:
            self.refuse(attributes)
        if decision != "YES" and decision != "NO":
            self.refuse(attributes)
        self.start_s.append(start_s)
        self.duration_s.append(duration_s)
        self.term.append(self.current)
        self.recording.append(recording)
        self.score.append(value)
        self.yes.append(decision == "YES")

    def refuse(self, attributes: Attributes) -> NoReturn:
        """Raise the error of a hit."""
        self.number(attributes, "tbeg")
        self.number(attributes, "dur")
        text = attributes.get("score") or ""
        score = self.score_of("score", text)
        if not self.lowest <= score <= self.highest:
            self.fail(f"a score from min_score {self.lowest} to max_score {self.highest}", text)
        self.fail("decision as YES or NO", str(attributes.get("decision")))

    def score_of(self, name: str, text: str) -> float:
        """A score as an attribute gives it."""
        score = parse_number(text)
        if score is None:
            self.fail(f"{name} as a number", text)
        if abs(score) > MAX_SCORE and not np.isinf(score):
            self.fail(f"a {name} of at most {MAX_SCORE:g}, or INF", text)
        return score

    def new_source(self, attributes: Attributes, source: tuple[str | None, str | None]) -> int:
        file = recording_name(self.required(attributes, "file"))
        if not file:
            self.fail("the name of a recording in file", "")
        recording = Recording(file, self.channel(attributes))
        index = self.recordings.setdefault(recording, len(self.recordings))
        self.sources[source] = index
        return index

    def detections(self) -> Detections:
        return Detections(
            tuple(self.terms),
            tuple(self.recordings),
            np.frombuffer(self.term, np.int32),
            np.frombuffer(self.recording, np.int32),
            np.frombuffer(self.start_s, np.float64),
            np.frombuffer(self.duration_s, np.float64),
            np.frombuffer(self.score, np.float64),
            np.frombuffer(self.yes, np.bool_),
        )


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> STDList:
    """Read a hit list of either dialect.

    Scores are XML schema floats: ``1e-3`` and ``-INF`` are numbers, ``NaN`` is refused.

    Raises:
        InputError: the file is not well formed or not a hit list, has an unknown element or
            decision, a missing or negative time or duration, or a score that is not a number or is
            outside the declared range.
    """
    reader = _Reader(path)
    feed(stream, reader)
    return STDList(
        reader.detections(),
        tuple(reader.searches),
        term_list_filename=reader.header[reader.tags.term_list],
        language=reader.header["language"],
        system_id=reader.header["system_id"],
        indexing_time_s=reader.indexing_time_s,
        index_size_bytes=reader.index_size_bytes,
        score_range=reader.score_range,
        default_score=reader.default_score,
    )


def dump(
    hits: STDList, stream: BinaryIO, dialect: Dialect = "kws2013", encoding: str = "UTF-8"
) -> None:
    """Write a hit list: terms in the order of their table, hits of a term in their given order.

    The 2013 dialect has no place for indexing time and index size, the 2006 dialect none for the
    score range and the default score; those are left out.

    Args:
        dialect: ``std2006`` or ``kws2013``.
        encoding: the encoding of the file; characters that it lacks are written as references.

    Raises:
        ValueError: a score is NaN, or a name holds a control character.
    """
    if np.isnan(hits.detections.score).any():
        raise ValueError("a score is NaN: a hit list cannot hold it")
    tags = STD_LIST_TAGS[dialect]
    extra = ""
    if dialect == "std2006":
        extra = (
            f' indexing_time="{decimal(hits.indexing_time_s)}"'
            f' index_size="{decimal(hits.index_size_bytes)}"'
        )
    else:
        low, high = hits.score_range or (None, None)
        given = {"min_score": low, "max_score": high, "default_score": hits.default_score}
        extra = "".join(
            f' {name}="{_score(score)}"' for name, score in given.items() if score is not None
        )
    stream.write(
        encoded(
            f"{declaration(encoding)}<{tags.root} {tags.term_list}="
            f'"{escape(hits.term_list_filename)}" language="{escape(hits.language)}" '
            f'system_id="{escape(hits.system_id)}"{extra}>\n',
            encoding,
        )
    )
    for block in _detected_lists(hits, tags):
        stream.write(encoded(block, encoding))
    stream.write(encoded(f"</{tags.root}>\n", encoding))


def _detected_lists(hits: STDList, tags: StdListTags) -> Iterator[str]:
    """The detected lists as text, in pieces of bounded size."""
    detections = hits.detections
    order = np.argsort(detections.term, kind="stable")
    ends = np.searchsorted(detections.term[order], np.arange(len(detections.terms)), side="right")
    sources = [
        f'    <{tags.hit} file="{escape(source.file)}" channel="{source.channel}" tbeg="'
        for source in detections.recordings
    ]
    begin = 0
    for term_id, search, end in zip(detections.terms, hits.searches, ends.tolist(), strict=True):
        oov = "NA" if search.oov_count is None else search.oov_count
        yield (
            f'  <{tags.detected} {tags.term_id}="{escape(term_id)}" '
            f'{tags.search_time}="{decimal(search.search_time_s)}" {tags.oov_count}="{oov}">\n'
        )
        for low in range(begin, end, WRITE_HITS):
            rows = order[low : min(low + WRITE_HITS, end)]
            pieces = zip(
                map(sources.__getitem__, detections.recording[rows].tolist()),
                _decimals(detections.start_s[rows]),
                repeat('" dur="'),
                _decimals(detections.duration_s[rows]),
                repeat('" score="'),
                _scores(detections.score[rows]),
                map(DECISIONS.__getitem__, detections.yes[rows].tolist()),
            )
            yield "".join(chain.from_iterable(pieces))
        yield f"  </{tags.detected}>\n"
        begin = end


def _decimals(values: Float64s) -> list[str]:
    """`decimal` of each."""
    import orjson  # formats an array in a tenth of the time

    text = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    if "e" in text or "null" in text:
        return [*map(decimal, values.tolist())]
    return text[1:-1].split(",")


def _scores(scores: Float64s) -> list[str]:
    """`_score` of each."""
    values = scores.tolist()
    texts = (f"%.{DIGITS}g " * len(values) % tuple(values)).split()
    return [
        text if "." in text and "e" not in text else _score(value)
        for text, value in zip(texts, values, strict=True)
    ]


def _score(score: float) -> str:
    """A score as an XML schema float."""
    score = written(score)
    return repr(score) if abs(score) < np.inf else "INF" if score > 0 else "-INF"
