"""What `std-tune` learned, as one readable JSON file.

format, version    so that another version's model is refused by name
language, maker    whose sounds it is about
tuned_on           how much speech and how many examples it was learned from
confusion          counts of said and observed phones (`std.confusion`)
unknown, known     log-odds weights per feature (`searcher.calibrate`)
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from searcher.calibrate import Weights, feature_names
from std.confusion import Counts, from_json, to_json
from std.errors import ConfigError, InputError
from std.formats.files import read_text
from std.outputs import open_output

FORMAT, VERSION = "std-search model", 1
MAX_BYTES = 1 << 26  # of a model; a real one has some 100 KB


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A phone confusion matrix and two calibrations."""

    maker: str  # of the pronunciations: ``espeak-ng:de``
    confusion: Counts
    unknown: Weights  # of terms with words that the index does not know
    known: Weights | None  # of the others; None = their scores stay as they are
    tuned_on: Mapping[str, float] = field(default_factory=dict)

    @property
    def language(self) -> str:
        """Language code, as the maker says it."""
        return self.maker.rpartition(":")[2]


def load(path: Path) -> Model:
    """Read a model.

    Raises:
        InputError: it is no model, or one of another version.
    """
    text = read_text(path, MAX_BYTES)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(path, error.lineno, "JSON", error.msg) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(path, 0, "a model made by std-tune", text[:40])
    if document.get("version") != VERSION:
        raise InputError(
            path, 0, f"a model of version {VERSION} (make it anew with std-tune)",
            f"version {document.get('version')}",
        )  # fmt: skip
    try:
        known = document["known"]
        return Model(
            str(document["maker"]),
            from_json(document["confusion"]),
            _weights(document["unknown"], known=False),
            _weights(known, known=True) if known is not None else None,
            dict(document["tuned_on"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(path, 0, "a whole model", f"{type(error).__name__}: {error}") from error


def save(model: Model, path: Path) -> None:
    """Write a model; the file appears whole or not at all."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "language": model.language,
        "maker": model.maker,
        "tuned_on": dict(model.tuned_on),
        "unknown": _document(model.unknown),
        "known": _document(model.known) if model.known else None,
        "confusion": to_json(model.confusion),
    }
    with open_output(path) as sink:
        sink.write(json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")


def require_maker(model: Model, maker: str) -> None:
    """Refuse a model about other sounds than the index's.

    Raises:
        ConfigError: names both.
    """
    if model.maker != maker:
        raise ConfigError(
            f"model: expected one for {maker}, as this index was pronounced, "
            f"got one for {model.maker}"
        )


def _document(weights: Weights) -> dict[str, Any]:
    return {
        "intercept": round(weights.intercept, 6),
        "weights": {name: round(value, 6) for name, value in sorted(weights.coefficients.items())},
    }


def _weights(document: Mapping[str, Any], *, known: bool) -> Weights:
    weights = {str(name): float(value) for name, value in document["weights"].items()}
    if strange := sorted(weights.keys() - feature_names(known=known)):
        raise ValueError(f"there is no feature {strange[0]!r}")
    intercept = float(document["intercept"])
    if not np.isfinite([intercept, *weights.values()]).all():
        raise ValueError("weights are not finite")
    return Weights(intercept, weights)
