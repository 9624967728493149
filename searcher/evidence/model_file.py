"""What `std-tune` learned, as one readable JSON file.

format, version    so that another version's model is refused by name
language, maker    the pronouncer of the index (``espeak-ng:de``)
tuned_on           how much speech and how many examples it was learned from, and how little of
                   what was spoken the recogniser has (``spoken_doubt``)
confusion          counts of spoken and recognised phones (`std.phonetics.confusion`)
unknown, known     log-odds weights per feature, of OOV and IV terms
                   (`searcher.evidence.features`); resembling_words are those of OOV terms
                   (`searcher.calibration.resembling_words`)
"""

import json
from pathlib import Path
from typing import Any

from searcher.calibration.model import DOUBT, Model
from searcher.calibration.resembling_words import NO_RESEMBLING_WORDS, ResemblingWords
from searcher.calibration.weights import Weights
from searcher.evidence.features import feature_names
from std.errors import InputError, quoted
from std.json_fields import Part, read_json
from std.outputs import open_output
from std.phonetics.confusion import from_json, to_json
from std.ranges import Range

FORMAT, VERSION = "std-search model", 7
KEYS = {"maker", "language", "tuned_on", "unknown", "known", "confusion"}
WEIGHT = Range(-1_000_000, 1_000_000)
SHARE = Range(0, 1)
FIGURE = Range(0, 1_000_000_000_000)


def load(path: Path) -> Model:
    """Read a model.

    Args:
        path: a JSON file of `std-tune`.

    Raises:
        InputError: it is no model, or one of another version.
    """
    document = read_json(path)
    if not isinstance(document.value, dict) or document["format"].value != FORMAT:
        raise InputError(path, 0, "a model made by std-tune", quoted(document.value))
    version = document["version"].value
    if type(version) is not int or version != VERSION:
        raise InputError(
            path, 0, f"a model of version {VERSION} (make it anew with std-tune)",
            f"version {quoted(version)}",
        )  # fmt: skip
    if missing := sorted(KEYS - document.value.keys()):
        raise InputError(path, 0, "a whole model", f"one without {missing[0]}")
    model = Model(
        document["maker"].text(),
        from_json(document["confusion"]),
        _weights(document["unknown"], in_vocabulary=False),
        _weights(document["known"], in_vocabulary=True),
        _figures(document["tuned_on"]),
    )
    if document["language"].value != model.language:
        raise document["language"].error(f"{model.language!r}, as the pronouncer says,")
    return model


def save(model: Model, path: Path) -> None:
    """Write a model; the file appears whole or not at all.

    Args:
        model: weights and phone confusions.
        path: to write to.
    """
    document = {
        "format": FORMAT,
        "version": VERSION,
        "language": model.language,
        "maker": model.pronouncer,
        "tuned_on": dict(model.tuned_on),
        "unknown": _document(model.oov_weights),
        "known": _document(model.iv_weights),
        "confusion": to_json(model.confusion),
    }
    with open_output(path) as sink:
        sink.write(json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")


def _document(weights: Weights) -> dict[str, Any]:
    document: dict[str, Any] = {
        "intercept": round(weights.intercept, 6),
        "weights": {name: round(value, 6) for name, value in sorted(weights.coefficients.items())},
    }
    if weights.resembling != NO_RESEMBLING_WORDS:
        words = weights.resembling._asdict()
        document["resembling_words"] = {name: round(value, 6) for name, value in words.items()}
    return document


def _figures(document: Part) -> dict[str, float]:
    """As written: counts stay whole."""
    for name, figure in document.items():
        figure.within(SHARE if name == DOUBT else FIGURE)
    return dict(document.value)


def _weights(document: Part, *, in_vocabulary: bool) -> Weights:
    names = feature_names(in_vocabulary=in_vocabulary)
    weights = {}
    for name, weight in document["weights"].items():
        if name not in names:
            raise weight.error("a feature of this version")
        weights[name] = weight.within(WEIGHT)
    resembling = NO_RESEMBLING_WORDS
    if not in_vocabulary and "resembling_words" in document.value:
        words = document["resembling_words"]
        resembling = ResemblingWords(
            words["intercept"].within(WEIGHT),
            words["slope"].within(SHARE),
            words["growth"].within(SHARE),
        )
    return Weights(document["intercept"].within(WEIGHT), weights, resembling)
