"""The documents of the API: requests and responses, as OpenAPI describes them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Probability = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0, le=1_073_741.823)]
# In a body a number is a number.
SentProbability = Annotated[Probability, Field(strict=True)]
SentSeconds = Annotated[Seconds, Field(strict=True)]
# Characters that nobody sees are refused in texts that are kept.
UNSEEN = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"


class Document(BaseModel):
    """A document with exactly these keys."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why a request failed (RFC 9457); some have further keys, such as the current mark."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str


class HitDocument(Document):
    """A place where a term may have been said, with the keys of `std-search --json`."""

    term_id: str
    term: str
    file: str
    channel: int
    language: str | None
    start_s: float
    duration_s: float
    speaker: str = Field(description="who spoke; empty: unknown")
    within_s: float | None = Field(description="largest error of start and end, in seconds")
    score: float = Field(description="the probability on the scale of the decision rule")
    decision: Literal["YES", "NO"] | None
    searched: str = Field(description="the words that were looked up")
    method: str
    similarity: float
    how: str
    context: tuple[str, str, str] = Field(description="words before, words found, words after")
    likeliest: str = Field(description="the words that the recogniser wrote there")
    slots: tuple[int, int]
    probability: Probability
    threshold: float | None
    expected_occurrences: float
    because: str
    metadata: dict[str, str]
    recording_id: str
    title: str
    has_audio: bool
    found_as: str
    like: str | None = Field(description="a term that finds similar sound; null: no sound")
    corrected: bool = Field(description="whether a person has corrected the words there")
    right: bool | None = Field(description="a person's judgement")
    marked_by: str = Field(description="who judged the hit; empty: unknown")
    within_word: dict[str, Any] | None = Field(
        None, description="the words it is inside: kind, word, posterior"
    )
    form_of: str = Field("", description="the term of which `term` is a related form")
    heard: str | None = Field(None, description="the likeliest phones heard there")
    found_by: list[dict[str, Any]] = Field([], description="what words and sound say of it")
    mark_version: str = Field(description="for If-Match of /api/feedback; 0: no mark")


class TermDocument(Document):
    """A term of a search."""

    term: str
    words: list[str]
    unknown: list[str] = Field(description="words that the recogniser does not know")
    remarks: list[str]
    hits: int


class FormDocument(Document):
    """A related form of a term; its hits are not the term's."""

    term: str
    form: str
    hits: int = Field(description="number of hits with a probability of .5 or more")


class DateCountDocument(Document):
    """The number of hits of a year or month."""

    period: str = Field(examples=["2019", "2019-03"])
    hits: int


class FacetDocument(Document):
    """A value of a facet and the number of its hits."""

    value: str
    count: int
    selected: bool


class ExpectedDocument(Document):
    """The expected number of right hits, whatever the least probability."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    from_: float = Field(alias="from", description="the probability that separates the two sums")
    hits: int = Field(description="number of hits with this probability or more")
    right: float = Field(description="how many of these are expected to be right")
    right_below: float


class ByProbability(Document):
    """For each least probability 0.00, 0.01, ... 1.00: how many hits reach it, and their sum."""

    counts: list[int]
    expected_right: list[float]


class Marked(Document):
    """The number of hits of the terms that people marked."""

    right: int
    wrong: int


class SearchDocument(Document):
    """The answer to a search."""

    terms: list[TermDocument]
    forms: list[FormDocument] = Field(description="with `inflections`: related forms")
    total: int
    expected_right: float = Field(description="the sum of the probabilities of all `total` hits")
    expected: ExpectedDocument
    hits: list[HitDocument]
    next_cursor: str | None
    by_probability: ByProbability
    facets: dict[str, list[FacetDocument]] = Field(description="the values with most hits of each")
    facet_totals: dict[str, int] = Field(description="how many values each facet has")
    like_right: str | None = Field(
        description="the term that finds what sounds like the places that are marked right"
    )
    by_date: list[DateCountDocument] = Field(
        description="number of hits by year, or by month if they are of one or two years"
    )
    marked: Marked
    snapshot: int = Field(description="another number after each commit to the index")
    elapsed_ms: float


class UnitPlace(Document):
    """A place in a recording or turn at which a query holds."""

    term: str
    start_s: float
    end_s: float
    probability: Probability


class UnitDocument(Document):
    """A recording, or a turn of a speaker, in which a query holds."""

    recording_id: str
    file: str
    channel: int
    title: str
    has_audio: bool
    start_s: float
    end_s: float
    speaker: str = Field(description="the speaker of a turn; empty: unknown")
    probability: Probability
    places: list[UnitPlace] = Field(description="the likeliest places, at most 5")
    metadata: dict[str, str]


class UnitsDocument(Document):
    """The answer to a search for recordings or turns."""

    unit: Literal["recording", "turn"]
    understood: list[str] = Field(description="the query in words")
    total: int
    less_likely: int = Field(description="number of others, which are below min_probability")
    expected: ExpectedDocument
    units: list[UnitDocument]
    next_cursor: str | None
    snapshot: int


class TermListDocument(Document):
    """A term list to search."""

    terms: list[str] = Field(min_length=1, max_length=10_000)
    min_probability: SentProbability = 0.0


class SummaryDocument(Document):
    """The result of a term list."""

    terms: int
    detections: int = Field(description="number of hits with at least min_probability")
    cut_terms: list[str] = Field(
        [], description="ids of terms searched only in their likeliest places"
    )
    yes: int = Field(description="how many of these are accepted")
    oov_terms: int = Field(description="terms with a word that the recogniser does not know")
    expected: ExpectedDocument


class TermListResultDocument(Document):
    """The hits of a term list."""

    hits: list[HitDocument]
    summary: SummaryDocument


class TicketDocument(Document):
    """Replaces the token for one recording, for some hours."""

    ticket: str


class RecordingDocument(Document):
    """A recording of the index."""

    id: str
    file: str
    channel: int
    title: str
    speech_s: float
    has_audio: bool
    metadata: dict[str, str]


class RecordingsDocument(Document):
    """The recordings of the index."""

    recordings: list[RecordingDocument]
    total: int
    next_cursor: str | None


class AlternativeDocument(Document):
    """A word that competes with another."""

    word: str
    start_s: float
    duration_s: float
    posterior: Probability


class WordDocument(AlternativeDocument):
    """A word that the recogniser wrote."""

    alternatives: list[AlternativeDocument]
    speaker: str = Field(description="who says the word; empty: unknown")
    corrected: bool = Field(description="whether a person has corrected the words there")
    doubtful: bool  # that it was said is less likely than not; contexts of hits mark it by "?"


class WordsDocument(Document):
    """The words of a stretch of a recording."""

    words: list[WordDocument]


class CountedWord(Document):
    """A word of the index and how often it was recognised."""

    word: str
    count: int


class HintsDocument(Document):
    """Hints for a person who types terms."""

    words: list[CountedWord]
    unknown: list[str] = Field(description="words typed that the recogniser does not know")


class PeaksDocument(Document):
    """A waveform: the largest amplitude of each short stretch, 0 to 255."""

    duration_s: float
    peaks: list[int]


class UnderWayDocument(Document):
    """A result that is not computed yet."""

    done_s: float = Field(description="seconds of the recording that are done")


class HealthDocument(Document):
    """The state of the service."""

    status: Literal["ready", "warming up", "serving an old state of the index"] = Field(
        description="ready: a word that the recogniser knows is answered at once"
    )
    detail: str
    warming: list[Literal["known words", "search processes", "unknown words"]] = Field(
        description="what is not loaded yet, and so is slower"
    )
    snapshot: int
    recordings: int
    version: str


def reference(model: type[BaseModel]) -> dict[str, str]:
    """The schema of a document that is neither a parameter nor a response for FastAPI."""
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def files(*types: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route that gives files, for FastAPI: of these media types."""
    return {200: {"content": {one.partition(";")[0]: {} for one in types}}}


REFERENCED = (Problem, TermListDocument)

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": description,
        "content": {"application/problem+json": {"schema": reference(Problem)}},
    }
    for status, description in (
        (400, "the request is not as expected"),
        (401, "the token is missing or wrong"),
        (403, "sent by a page of another origin"),
        (404, "there is no such thing"),
        (408, "the request took too long to arrive"),
        (409, "there is another of this name"),
        (412, "somebody else has changed it meanwhile"),
        (413, "the body is too large"),
        (415, "a file of another kind than expected"),
        (416, "the range is beyond the end"),
        (422, "a parameter is not as expected"),
        (429, "too much at once; Retry-After says when to try again"),
        (501, "the format is not made"),
        (507, "the disk is full"),
        (503, "the index cannot be read, or the search took too long"),
    )
}
