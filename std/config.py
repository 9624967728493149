"""Configuration: TOML -> frozen dataclasses. The defaults live here.

`configs/default.toml` mirrors every key with its default, and a test holds the two together.
A key that does not exist, or a value of the wrong type, is refused by name: a misspelt option
that is silently ignored is worse than none.
"""

import tomllib
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from std.errors import ConfigError, InputError
from std.formats.files import decode, open_input
from std.text import Normalisation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """What of a network is indexed, and how large a segment grows."""

    min_posterior: float = 0.0  # alternatives below are left out
    max_alternatives: int = 0  # most likely alternatives kept per slot; 0 = all
    segment_postings: int = 20_000_000  # held in memory; then a segment is committed


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How words are joined to phrases and duplicates to one detection."""

    max_gap_ms: int = 500  # longest silence between two words of a term (NIST STD 2006)
    max_overlap_ms: int = 200  # words of neighbouring slots may overlap by this much
    join_exponent: float = 0.5  # r of product^(1-r) * minimum^r; 0 = independent words
    epsilon_floor: float = 0.01  # posterior given to skipping a slot that offers no 'no word'
    min_score: float = 0.0  # detections below are not written


Wanted = Literal["none", "unknown", "all"]  # which words of a term: those the index does not know


@dataclass(frozen=True, slots=True)
class SplittingConfig:
    """Words written as sequences of other words: compounds, and compounds taken apart."""

    words: Wanted = "unknown"
    method: Literal["primitive", "rules", "linear", "bktree", "trie"] = "trie"
    max_edits: int = 2  # K: letters a part may differ by
    max_ratio: float = 0.2  # R: share of a part's letters that may differ
    nbest: int = 25  # variants of a term
    ranking: Literal["weighted", "geometric"] = "weighted"
    min_part_letters: int = 2


@dataclass(frozen=True, slots=True)
class ExpansionConfig:
    """Words written as other single words that look or sound alike."""

    words: Wanted = "none"
    methods: tuple[Literal["levenshtein", "dice", "pronunciation"], ...] = ("pronunciation",)
    candidates: int = 50  # similar words of each method
    exponent: float = 1.0  # similarities are raised to this power before they weight posteriors


@dataclass(frozen=True, slots=True)
class PronunciationConfig:
    """How words sound."""

    language: str = "auto"  # name or code; auto = each recording's own
    lexicon: str = ""  # file in CMU's or Kaldi's form; goes before any converter


@dataclass(frozen=True, slots=True)
class SoundConfig:
    """Terms found by their sound, whatever words the recogniser wrote."""

    words: Wanted = "all"  # known words too need a model of std-tune; none = not indexed either


@dataclass(frozen=True, slots=True)
class DecisionConfig:
    """YES or NO."""

    rule: Literal["auto", "exact", "term-specific", "kst", "sto", "global"] = "auto"
    threshold: float = 0.5  # of the global rule
    beta: float = 999.9  # what a false alarm costs against a miss, at the operating point
    n_true_scale: float = 1.0  # times the summed scores = expected number of occurrences
    terms: Literal["occurring", "any"] = "occurring"  # exact: evaluations score only the former
    missing: float = 0.1  # exact: expected occurrences of a term that no candidate stands for


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set."""

    text: Normalisation = field(default_factory=Normalisation)
    index: IndexConfig = field(default_factory=IndexConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    splitting: SplittingConfig = field(default_factory=SplittingConfig)
    expansion: ExpansionConfig = field(default_factory=ExpansionConfig)
    pronunciation: PronunciationConfig = field(default_factory=PronunciationConfig)
    sound: SoundConfig = field(default_factory=SoundConfig)
    decision: DecisionConfig = field(default_factory=DecisionConfig)


def load(path: Path | None) -> Config:
    """Read a TOML file; without one, the defaults.

    Raises:
        InputError: the file cannot be read, or is not TOML.
        ConfigError: a key does not exist or its value does not fit.
    """
    if path is None:
        return Config()
    with open_input(path) as stream:
        text = decode(stream.read(), path)
    try:
        config = _build(Config, tomllib.loads(text), f"{path}: ")
    except tomllib.TOMLDecodeError as error:
        raise InputError(path, 0, "TOML", str(error)) from error
    if not config.pronunciation.lexicon:
        return config
    lexicon = str(Path(config.pronunciation.lexicon).absolute())  # workers may stand elsewhere
    return replace(config, pronunciation=replace(config.pronunciation, lexicon=lexicon))


def _build(kind: type[T], given: Mapping[str, Any], place: str) -> T:
    """Make a dataclass from a TOML table; keys left out keep their defaults."""
    hints = get_type_hints(kind)
    known = [one.name for one in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    values = {}
    for key, value in given.items():
        if key not in known:
            raise ConfigError(f"{place}expected one of {', '.join(known)}, got {key!r}")
        hint = hints[key]
        if is_dataclass(hint):
            if not isinstance(value, dict):
                raise ConfigError(f"{place}expected a table [{key}], got {value!r}")
            values[key] = _build(hint, value, f"{place}{key}.")  # type: ignore[arg-type]  # a class
        else:
            values[key] = _value(hint, value, f"{place}{key}")
    try:
        return kind(**values)
    except ValueError as error:
        raise ConfigError(f"{place}{error}") from error


def _value(hint: Any, value: Any, place: str) -> Any:
    """Check one value against its annotation; an integer may stand for a float."""
    origin = get_origin(hint)
    if origin is Literal:
        if value not in get_args(hint):
            raise ConfigError(f"{place}: expected one of {get_args(hint)}, got {value!r}")
        return value
    if origin in (Union, types.UnionType):
        options = [one for one in get_args(hint) if one is not type(None)]
        return _value(options[0], value, place)
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{place}: expected a list, got {value!r}")
        return tuple(_value(get_args(hint)[0], one, place) for one in value)
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise ConfigError(f"{place}: expected {hint.__name__}, got {value!r}")
    return value
