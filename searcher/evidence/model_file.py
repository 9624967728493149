"""What `std-tune` learned, as one readable JSON file.

format, version    so that another version's model is refused by name
language, maker    the pronouncer of the index (``espeak-ng:de``)
tuned_on           how much speech and how many examples it was learned from, and one minus the
                   mean posterior of the spoken words (``spoken_doubt``)
confusion          counts of spoken and recognised phones (`std.phonetics.confusion`)
intercept, weights log-odds weights per feature (`searcher.evidence.features`)
"""

import json
from pathlib import Path

from searcher.calibration.model import DOUBT, Model
from searcher.calibration.weights import Weights
from searcher.evidence.features import FEATURES
from std.errors import InputError, Unquoted, quoted
from std.files import AnyPath
from std.json_fields import Part, read_json
from std.outputs import open_output
from std.phonetics.confusion import from_json, to_json
from std.ranges import Range

FORMAT, VERSION = "std-search model", 8
FORMER = {"spoken_expected"}  # features of models of 2.0.0, which are ignored
KEYS = {*("maker", "language", "tuned_on", "intercept", "weights", "confusion")}
WEIGHT = Range(-1_000_000, 1_000_000)
SHARE = Range(0, 1)
FIGURE = Range(0, 1_000_000_000_000)
GAIN = Range(-1_000_000, 1_000_000)  # nats


def load(path: AnyPath) -> Model:
    """Read a model.

    Args:
        path: a JSON file of `std-tune`.

    Raises:
        InputError: the file is not a model, or is one of another version.
    """
    path = Path(path)
    document = read_json(path)
    if not isinstance(document.value, dict) or document["format"].value != FORMAT:
        raise InputError(path, 0, "a model made by std-tune", Unquoted(quoted(document.value)))
    version = document["version"].value
    if type(version) is not int or version != VERSION:
        raise InputError(
            path, 0, f"a model of version {VERSION} (make it anew with std-tune)",
            Unquoted(f"version {quoted(version)}"),
        )  # fmt: skip
    if missing := sorted(KEYS - document.value.keys()):
        raise InputError(path, 0, "a whole model", Unquoted(f"one without {missing[0]}"))
    model = Model(
        document["maker"].text(),
        from_json(document["confusion"]),
        _weights(document),
        _figures(document["tuned_on"]),
    )
    if document["language"].value != model.language:
        raise document["language"].error(f"{model.language!r}, as the pronouncer says,")
    return model


def save(model: Model, path: AnyPath) -> None:
    """Write a model; the file appears whole or not at all.

    Args:
        model: weights and phone confusions.
        path: to write to.
    """
    weights = model.weights
    document = {
        "format": FORMAT,
        "version": VERSION,
        "language": model.language,
        "maker": model.pronouncer,
        "tuned_on": dict(model.tuned_on),
        "intercept": round(weights.intercept, 6),
        "weights": {name: round(value, 6) for name, value in sorted(weights.coefficients.items())},
        "confusion": to_json(model.confusion),
    }
    with open_output(Path(path)) as sink:
        sink.write(json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")


def _figures(document: Part) -> dict[str, float]:
    """As written: counts stay whole."""
    for name, figure in document.items():
        figure.within(SHARE if name == DOUBT else GAIN if name.startswith("gain") else FIGURE)
    return dict(document.value)


def _weights(document: Part) -> Weights:
    weights = {}
    for name, weight in document["weights"].items():
        if name not in FEATURES | FORMER:
            raise weight.error("a feature of this version")
        if name in FEATURES:
            weights[name] = weight.within(WEIGHT)
    return Weights(document["intercept"].within(WEIGHT), weights)
