"""Configuration: TOML -> frozen dataclasses. The defaults and the ranges live here.

Every number has a `Range` beside its default, every word its choices, so every `Config` is valid,
whether it comes from a file, an option (`range_of` gives its range) or a program.
`configs/default.toml` lists every key with its default and range, and a test compares the two. An
unknown key or an invalid value is refused by name, because a misspelt option must not be ignored
silently.
"""

import codecs
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, TypeVar, get_args, get_origin, get_type_hints
from warnings import warn

from std.errors import ConfigError, InputError, OldNameWarning, Unquoted, cut, meant, named, quoted
from std.files import AnyPath, decode, read
from std.ranges import Range, ranges
from std.text import Normalisation

T = TypeVar("T")

PROBABILITY = Range(0, 1)
SHOWN_FROM = 0.05  # least probability of hits of typed terms; lists have all hits
MAX_MS = 3_600_000  # an hour
MAX_CONFIG_BYTES = 1 << 16  # of a file
KEYS_OF_FILES = ("pronunciation.lexicon", "calibration.vocabulary")  # keys that name a file
TOML = "a configuration in TOML"
OTHERS = {b"<": "XML", b"{": "JSON"}  # by their first character, which never begins a TOML file
OLD_TABLES = {"sound": "phonetic_search"}  # of configurations of version 0.1
OLD_KEYS = {("SearchConfig", "min_score"): ("min_posterior", "min_probability")}


class _Section:
    """A table of the configuration; it checks the ranges of its numbers.

    Raises:
        ValueError: a number is out of its range.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for key, span in ranges(type(self)).items():
            try:
                object.__setattr__(self, key, span.require(getattr(self, key)))  # 1 for 1.0 too
            except ValueError as error:
                raise ValueError(f"{key}: {error}") from error


def range_of(name: str) -> Range:
    """The range of a key, for the option that sets it.

    >>> str(range_of("search.min_probability"))
    '0 to 1'
    """
    section, _, key = name.partition(".")
    return ranges(get_type_hints(Config)[section])[key]


@dataclass(frozen=True, slots=True)
class IndexConfig(_Section):
    """The indexed part of a network, and the size of a segment."""

    min_posterior: Annotated[float, PROBABILITY] = 0.0  # lower alternatives are left out
    # most likely alternatives kept per slot; 0 = all
    max_alternatives: Annotated[int, Range(0, 1_000_000, whole=True)] = 0
    # postings in memory; then a segment is committed
    segment_postings: Annotated[int, Range(1, 1_000_000_000, whole=True)] = 20_000_000


@dataclass(frozen=True, slots=True)
class SearchConfig(_Section):
    """How words are joined to phrases, and duplicates are removed."""

    # longest silence between two words of a term (NIST STD 2006)
    max_gap_ms: Annotated[int, Range(0, MAX_MS, whole=True)] = 500
    # words of neighbouring slots may overlap by this much
    max_overlap_ms: Annotated[int, Range(0, MAX_MS, whole=True)] = 200
    # r of product^(1-r) * minimum^r; 0 = independent words
    join_exponent: Annotated[float, PROBABILITY] = 0.5
    # posterior of skipping a slot without 'no word'
    epsilon_floor: Annotated[float, Range(0, 1, above=True)] = 0.01
    min_posterior: Annotated[float, PROBABILITY] = 0.0  # of the words at a place, when looked up
    min_probability: Annotated[float, PROBABILITY] = 0.0  # of a hit
    # words that a word with * stands for; the most frequent of more
    wildcard_words: Annotated[int, Range(1, 1_000_000, whole=True)] = 1000
    spelling: Literal["language", "elided", "exact"] = "language"  # words for a term's words
    # of a phrase or a word with * in one segment; the likeliest of more
    max_places: Annotated[int, Range(1, 1_000_000_000, whole=True)] = 200_000
    # of all terms of a search, up to 900 bytes each; more are refused
    max_candidates: Annotated[int, Range(1, 1_000_000_000, whole=True)] = 20_000_000
    max_seconds: Annotated[float, Range(0, 1_000_000)] = 0.0  # of a search; 0 = no limit


# The words of a term that are searched this way; unknown: those that the index lacks.
WordSelection = Literal["none", "unknown", "all"]


@dataclass(frozen=True, slots=True)
class SplittingConfig(_Section):
    """Words written as sequences of other words: compounds and their parts."""

    words: WordSelection = "unknown"
    method: Literal["primitive", "rules", "linear", "bktree", "trie"] = "trie"
    max_edits: Annotated[int, Range(0, 15, whole=True)] = 2  # K: letters a part may differ by
    max_ratio: Annotated[float, Range(0, 1)] = 0.2  # R: share of a part's letters that may differ
    nbest: Annotated[int, Range(1, 10_000, whole=True)] = 25  # variants of a term
    ranking: Literal["weighted", "geometric"] = "weighted"
    min_part_letters: Annotated[int, Range(1, 192, whole=True)] = 2


@dataclass(frozen=True, slots=True)
class ExpansionConfig(_Section):
    """Words written as other single words that look or sound alike."""

    words: WordSelection = "none"
    methods: tuple[Literal["levenshtein", "dice", "pronunciation"], ...] = ("pronunciation",)
    candidates: Annotated[int, Range(1, 10_000, whole=True)] = 50  # similar words of each method
    # similarities are raised to this power before they weight posteriors
    exponent: Annotated[float, Range(0, 1000)] = 1.0


@dataclass(frozen=True, slots=True)
class PronunciationConfig(_Section):
    """The pronunciation of words."""

    language: str = "auto"  # name or code; auto = each recording's own
    lexicon: str = ""  # file in CMU's or Kaldi's form; overrides any converter


@dataclass(frozen=True, slots=True)
class PhoneticSearchConfig(_Section):
    """Phonetic search: terms are found by their phones, whatever words the recogniser wrote."""

    words: WordSelection = "all"  # of terms searched by phones; none = phones are not indexed
    # Guessed from the recogniser's words, heard in the sound (in recordings that have it), or both.
    phones: Literal["words", "sound", "both"] = "both"


@dataclass(frozen=True, slots=True)
class CalibrationConfig(_Section):
    """Calibration of posteriors to probabilities; phonetic hits are always calibrated."""

    words: Literal["none", "unknown", "all"] = "all"  # terms whose posteriors are calibrated
    # Whether the share of a list's terms that occur is evidence for each term.
    list: Literal["independent", "whole"] = "whole"
    vocabulary: str = ""  # file of the words that the recogniser knows, one a line


@dataclass(frozen=True, slots=True)
class DecisionConfig(_Section):
    """YES or NO."""

    rule: Literal["auto", "exact", "term-specific", "kst", "sto", "global"] = "auto"
    threshold: Annotated[float, PROBABILITY] = 0.5  # of the global rule
    # cost of a false alarm against a miss, at the operating point
    beta: Annotated[float, Range(0, 1_000_000_000, above=True)] = 999.9
    # factor of the summed scores that gives the expected number of occurrences
    n_true_scale: Annotated[float, Range(0, 1_000_000, above=True)] = 1.0
    terms: Literal["occurring", "any"] = "occurring"  # exact: evaluations score only the former
    # exact: expected occurrences of a term without a candidate
    missing: Annotated[float, Range(0, 1_000_000)] = 0.03


@dataclass(frozen=True, slots=True)
class Config:
    """All settings."""

    text: Normalisation = field(default_factory=Normalisation)
    index: IndexConfig = field(default_factory=IndexConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    splitting: SplittingConfig = field(default_factory=SplittingConfig)
    expansion: ExpansionConfig = field(default_factory=ExpansionConfig)
    pronunciation: PronunciationConfig = field(default_factory=PronunciationConfig)
    phonetic_search: PhoneticSearchConfig = field(default_factory=PhoneticSearchConfig)
    calibration: CalibrationConfig = field(default_factory=CalibrationConfig)
    decision: DecisionConfig = field(default_factory=DecisionConfig)


def load_config(path: AnyPath | None, settings: Sequence[str] = ()) -> Config:
    """Read a TOML file; without a file, use the defaults.

    Args:
        path: the path of the file.
        settings: keys with values, as ``search.min_probability=0.1``; they go before the file.

    Raises:
        InputError: the file cannot be read, or is not TOML.
        ConfigError: a key does not exist or its value does not fit.
    """
    config = Config()
    if path is not None:
        config = _replaced(config, config_table(path := Path(path)), f"{named(path)}: ")
        for key in KEYS_OF_FILES:
            config = _with_file(config, key, f"{named(path)}: ")
    for setting in settings:
        key, value = split_setting(setting)
        section, _, name = key.partition(".")
        config = _replaced(config, {section: {name: value} if name else value}, "--set: ")
        if key in KEYS_OF_FILES:
            config = _with_file(config, key, "--set: ")
    return config


def config_table(path: Path) -> Mapping[str, Any]:
    """The tables of a TOML file, under their current names.

    Raises:
        InputError: the file cannot be read, or is not TOML.
        ConfigError: it has a table under its old and its new name.
    """
    text = read(_text, path)
    try:
        given = tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, and Python's error about 5,000 digits
        raise InputError(path, 0, TOML, Unquoted(str(error))) from error
    except RecursionError as error:
        raise InputError(path, 0, TOML, Unquoted("tables or lists nested too deeply")) from error
    return _with_new_names(given, path)


def _text(stream: BinaryIO, path: Path) -> str:
    """The text of a configuration.

    Raises:
        InputError: the file is XML or JSON, too long, or not UTF-8.
    """
    content = stream.read(
        MAX_CONFIG_BYTES + 1
    )  # the parser needs seconds for dotted keys of longer files
    begin = content.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if begin in OTHERS:
        raise InputError(path, 1, TOML, OTHERS[begin])
    if len(content) > MAX_CONFIG_BYTES:
        raise InputError(path, 0, f"{TOML}, at most {MAX_CONFIG_BYTES} bytes", Unquoted("more"))
    return decode(content, path)


def split_setting(setting: str) -> tuple[str, Any]:
    """A key and its value, which is TOML or else text.

    >>> split_setting("search.min_probability=0.1"), split_setting("decision.rule = sto")
    (('search.min_probability', 0.1), ('decision.rule', 'sto'))

    Raises:
        ConfigError: the text has no =.
    """
    key, equals, text = (part.strip() for part in setting.partition("="))
    section, dot, name = key.partition(".")
    if not equals or not dot:
        raise ConfigError(f"--set: expected SECTION.KEY=VALUE, got {quoted(setting)}")
    key = f"{OLD_TABLES.get(section, section)}.{name}"
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return key, text
    return key, table["value"] if len(table) == 1 else text


def _with_file(config: Config, key: str, place: str) -> Config:
    """The configuration with an absolute path of a file, for workers in other folders."""
    if not (given := attrgetter(key)(config)):
        return config
    name, place = str(Path(given).absolute()), f"{place}{key}: expected"
    try:
        if not stat.S_ISREG(Path(name).stat().st_mode):
            raise ConfigError(f"{place} a regular file (it is read several times), got {cut(name)}")
    except FileNotFoundError:
        pass  # opening it reports the error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{place} the name of a file, got {cut(name)}") from error
    section, _, field_name = key.partition(".")
    return replace(config, **{section: replace(getattr(config, section), **{field_name: name})})


def _with_new_names(given: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """The tables of a file, under their current names."""
    renamed = {OLD_TABLES.get(key, key): value for key, value in given.items()}
    if len(renamed) < len(given):
        twice = next(old for old, new in OLD_TABLES.items() if {old, new} <= given.keys())
        expected = f"[{OLD_TABLES[twice]}] or its old name [{twice}]"
        raise ConfigError(f"{named(path)}: expected {expected}, got both")
    return renamed


def current_keys(section: type, key: str) -> tuple[str, ...]:
    """The keys that a key of a section is read as: itself, unless it is an old name."""
    return OLD_KEYS.get((section.__name__, key), (key,))


def _with_new_keys(section: type, given: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    """A section's values under the current names of their keys; a warning names those."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        if (now := current_keys(section, key)) != (key,):
            both = " and ".join(now)
            if given.keys() & {*now}:
                raise ConfigError(f"{place}{key}: expected {both} in place of this old name")
            warn(f"{place}{key}: the old name is read as {both}", OldNameWarning, stacklevel=2)
        found |= dict.fromkeys(now, value)
    return found


def _replaced(base: T, given: Mapping[str, Any], place: str) -> T:
    """A dataclass with the values of a TOML table; missing keys keep their defaults."""
    hints = get_type_hints(type(base))
    known = [key.name for key in fields(base)]  # type: ignore[arg-type]  # a dataclass
    values = {}
    for key, value in _with_new_keys(type(base), given, place).items():
        if key not in known:
            where = f"{place[:-1]}: " if place.endswith(".") else place
            raise ConfigError(
                f"{where}expected one of {', '.join(known)}, got {quoted(key)}{meant(key, known)}"
            )
        hint = hints[key]
        if is_dataclass(hint):
            if not isinstance(value, dict):
                raise ConfigError(f"{place}expected a table [{key}], got {quoted(value)}")
            values[key] = _replaced(getattr(base, key), value, f"{place}{key}.")
        else:
            values[key] = _value(hint, value, f"{place}{key}")
    try:
        return replace(base, **values)  # type: ignore[type-var]  # a dataclass
    except ValueError as error:
        raise ConfigError(f"{place}{error}") from error


def _value(hint: Any, value: Any, place: str) -> Any:
    """Check one value against its annotation; numbers are left to the section and its ranges."""
    if hint in (int, float):
        return value
    origin, choices = get_origin(hint), get_args(hint)
    if origin is tuple:
        if not isinstance(value, list) or not value:
            raise ConfigError(f"{place}: expected a list, not empty, got {quoted(value)}")
        return tuple(_value(choices[0], item, place) for item in value)
    if origin is Literal:
        expected, fits = f"one of {', '.join(map(repr, choices))}", value in choices
    elif hint is bool:
        expected, fits = "true or false", isinstance(value, bool)
    else:
        expected, fits = "a line of text", isinstance(value, str) and value.isprintable()
    if not fits:
        raise ConfigError(f"{place}: expected {expected}, got {quoted(value)}")
    return value
