"""Phone confusions of a recogniser: which phone is observed where which phone was spoken.

For a spoken phone a, the outcomes are one observed phone b (which may be a) or nothing (a
deletion); their probabilities sum to 1. Between phones there may be insertions. A hit is scored by
log-likelihood ratios: the probability of the observed phones if the term was said, divided by their
probability if anything was said.

    match      log P(b | a) / P(b)         deletion   log P(nothing | a)
    insertion  log P(insertion) P(b | insertion) / P(b)

The prior decays with articulatory distance; `counted` adds what `std-tune` counted in aligned
speech, as a Dirichlet prior would. `to_json` writes it with its counts, so that people can read it
and more counts can be added.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from std.errors import InputError
from std.json_fields import Part
from std.phonetics.phones import distance
from std.ranges import Range
from std.values import Float64s, freeze

SAME = 0.55  # prior probability that a phone is recognised although its word is not
DELETED = 0.08
INSERTED = 0.10  # prior probability of an insertion between two phones
DECAY = 0.275  # articulatory distance at which confusion is e times rarer
FREQUENT = 0.75  # a phone replaces others in proportion to this power of its frequency
PRIOR_ROW = 60.0  # weight of a phone's prior, in observations
MAX_PHONES = 500  # of an inventory; languages have 11 to 150
CONFUSIONS = Range(0, 1_000_000_000_000)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Counts in aligned speech."""

    inventory: tuple[str, ...]  # (P,)
    substituted: Float64s  # (P, P) spoken phone, observed phone; the diagonal counts correct ones
    deleted: Float64s  # (P,) said phone
    inserted: Float64s  # (P,) observed phone
    background: Float64s  # (P,) frequency of each phone in the networks

    def __post_init__(self) -> None:
        p = len(self.inventory)
        if self.substituted.shape != (p, p) or any(
            column.shape != (p,) for column in (self.deleted, self.inserted, self.background)
        ):
            raise ValueError(f"confusion counts do not fit {p} phones")
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Log-likelihood ratios in nats, for phones numbered as in ``inventory``."""

    inventory: tuple[str, ...]  # (P,)
    match: Float64s  # (P, P) said, observed
    deletion: Float64s  # (P,) said
    insertion: Float64s  # (P,) observed

    def __post_init__(self) -> None:
        freeze(self)


def empty(inventory: Sequence[str]) -> Counts:
    """Counts of 0."""
    p = len(inventory)
    return Counts(tuple(inventory), np.zeros((p, p)), np.zeros(p), np.zeros(p), np.zeros(p))


def widened(counts: Counts, inventory: Sequence[str]) -> Counts:
    """The same counts over another inventory: phones that it lacks are dropped, new ones empty."""
    row = {phone: i for i, phone in enumerate(counts.inventory)}
    new = [i for i, phone in enumerate(inventory) if phone in row]
    old = [row[phone] for phone in inventory if phone in row]
    wide = empty(inventory)
    substituted = np.zeros(wide.substituted.shape)
    substituted[np.ix_(new, new)] = counts.substituted[np.ix_(old, old)]
    columns = []
    for column in (counts.deleted, counts.inserted, counts.background):
        wide_column = np.zeros(len(inventory))
        wide_column[new] = column[old]
        columns.append(wide_column)
    return Counts(tuple(inventory), substituted, *columns)


def probabilities(counts: Counts) -> tuple[Float64s, Float64s]:
    """P(observed | said) (P, P) and P(deleted | said) (P,); each row sums to 1 with its deletion.

    A row with few counts stays near the prior. The overall rate of correct phones is not learned:
    an alignment with a word that is known to be said uses the best alternatives there, so it has
    fewer confusions than unknown places.
    """
    prior = (1 - SAME - DELETED) * _alike(counts) + SAME * np.eye(len(counts.inventory))
    prior *= ((1 - DELETED) / prior.sum(axis=1))[:, None]
    row = counts.substituted.sum(axis=1) + counts.deleted + PRIOR_ROW
    observed: Float64s = (counts.substituted + PRIOR_ROW * prior) / row[:, None]
    return observed, (counts.deleted + PRIOR_ROW * DELETED) / row


def log_ratios(counts: Counts) -> Confusion:
    """The log-likelihood ratios of counts and prior."""
    observed, deleted = probabilities(counts)
    background = _background(counts)
    which = (counts.inserted + PRIOR_ROW * background) / (counts.inserted.sum() + PRIOR_ROW)
    return Confusion(
        counts.inventory,
        match=np.log(observed / background) + np.log1p(-INSERTED),
        deletion=np.log(deleted),
        insertion=np.log(INSERTED * which / background),
    )


def _background(counts: Counts) -> Float64s:
    smoothed = counts.background + 0.5
    share: Float64s = smoothed / smoothed.sum()
    return share


def _alike(counts: Counts) -> Float64s:
    """(P, P) distribution of the other phone of an error: mostly near and frequent phones."""
    phones = counts.inventory
    apart = np.array([[distance(a, b) for b in phones] for a in phones]).reshape(
        len(phones), len(phones)
    )
    alike = np.exp(-apart / DECAY) * _background(counts)[None, :] ** FREQUENT
    np.fill_diagonal(alike, 0.0)
    total = alike.sum(axis=1, keepdims=True)
    shares: Float64s = np.divide(alike, total, out=np.zeros_like(alike), where=total > 0)
    return shares


def to_json(counts: Counts) -> dict[str, Any]:
    """JSON for people: counts above 0, under the phones' symbols."""
    phones = counts.inventory
    rows = {
        phones[i]: {phones[j]: _number(counts.substituted[i, j]) for j in np.flatnonzero(row)}
        for i, row in enumerate(counts.substituted)
        if row.any()
    }

    def seen(column: Float64s) -> dict[str, float]:
        return {phones[i]: _number(column[i]) for i in np.flatnonzero(column)}

    return {
        "phones": list(phones),
        "said_to_observed": rows,
        "deleted": seen(counts.deleted),
        "inserted": seen(counts.inserted),
        "background": seen(counts.background),
    }


def from_json(document: Part) -> Counts:
    """The inverse of `to_json`.

    Raises:
        InputError: a key is missing, a phone is not in the inventory or is there twice, or a count
            is not a number from 0 to 10^12.
    """
    phones = tuple(part.text() for part in document["phones"])
    if not 0 < len(set(phones)) == len(phones) <= MAX_PHONES or not all(phones):
        raise document["phones"].error(f"1 to {MAX_PHONES} different phones")
    row = {phone: i for i, phone in enumerate(phones)}
    substituted = np.zeros((len(phones), len(phones)))
    for spoken, outcomes in _of_phones(document["said_to_observed"], row):
        for observed, count in _of_phones(outcomes, row):
            substituted[spoken, observed] = count.within(CONFUSIONS)
    columns = []
    for name in ("deleted", "inserted", "background"):
        column = np.zeros(len(phones))
        for phone, count in _of_phones(document[name], row):
            column[phone] = count.within(CONFUSIONS)
        columns.append(column)
    return Counts(phones, substituted, *columns)


def _of_phones(document: Part, row: Mapping[str, int]) -> Iterator[tuple[int, Part]]:
    """Yield the counts of each phone in an object, by the phone's row."""
    for phone, part in document.items():
        if phone not in row:
            expected = f"phones of the model at {document.where}"
            raise InputError(document.path, document.line, expected, phone)
        yield row[phone], part


def _number(count: float) -> float:
    return round(float(count), 2)
