import json
import math

import numpy as np
import pytest

from searcher.calibration.model import Model
from searcher.calibration.occurrence_rate import rate_posterior
from searcher.calibration.weights import Evidence, Weights
from searcher.evidence.model_file import load, save
from std.errors import InputError
from std.phonetics.confusion import Counts, log_ratios


@pytest.fixture
def model():
    two = np.array([[3.0, 1.0], [0.0, 2.0]])
    counts = Counts(("a", "b"), two, np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.ones(2))
    weights = Weights(-1.5, {"logit": 0.5, "relative": 0.25})
    return Model("espeak-ng:de", counts, weights, {"words": 7})


def test_a_model_survives_its_file(model, tmp_path):
    path = tmp_path / "model.json"
    save(model, path)
    again = load(path)
    assert (again.pronouncer, again.language, again.tuned_on) == (
        "espeak-ng:de",
        "de",
        {"words": 7},
    )
    assert again.weights == model.weights
    assert again.confusion.substituted.tolist() == model.confusion.substituted.tolist()
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_a_weight_of_a_former_feature_weighs_nothing(model, tmp_path):
    path = tmp_path / "model.json"
    save(model, path)
    document = json.loads(path.read_text())
    document["weights"]["spoken_expected"] = -0.9355
    path.write_text(json.dumps(document))
    assert load(path).weights == model.weights


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "expected a model made by std-tune"),
        ({"version": 7}, r"a model of version 8 \(make it anew with std-tune\), got version 7"),
        ({"weights": 5}, "expected a JSON object at weights, got '5'"),
        ({"weights": {"luck": 1}}, "a feature of this version at weights.luck"),
        ({"weights": {"relative": math.nan}}, "a finite number, got NaN"),
        ({"intercept": 1e7}, "from -1000000 to 1000000 at intercept"),
        ({"intercept": True}, "a number .* got 'true'"),
        ({"confusion": {"phones": []}}, "expected 1 to 500 different phones at confusion.phones"),
        ({"confusion": {"phones": ["a", "a"]}}, "different phones"),
        ({"language": "en"}, "expected 'de', as the pronouncer says, at language, got '\"en\"'"),
        ({"maker": "\ud800:de"}, "expected JSON of whole letters"),
        ({"tuned_on": {"words": -1}}, "at tuned_on.words, got '-1'"),
        ({"tuned_on": {"spoken_doubt": 1.5}}, "at tuned_on.spoken_doubt, got '1.5'"),
    ],
)
def test_what_is_no_model_is_refused(model, tmp_path, change, message):
    path = tmp_path / "model.json"
    save(model, path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=message):
        load(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "5"])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"model\.json"):
        load(path)


VALUES = [
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "-1",
        "0",
        "1",
        "0.5",
        "-1.5",
        "1e6",
        "-1e6",
        "1e12",
        "1e308",
    ),
    *("-1e308", "1e-308", "1e400", "1" + "0" * 400, "1" + "0" * 5000, "9223372036854775808"),
    *('"x"', '""', '"\\u0000"', '"\\ud800"', f'"{"x" * 5000}"', "[]", "[1]", "{}", '{"x": 1}'),
    *("true", "null", "[" * 100_000, '{"a":' * 999 + "1" + "}" * 999),
]


def keys(document, before=()):
    for key, value in document.items():
        yield *before, key
        if isinstance(value, dict):
            yield from keys(value, (*before, key))


KEYS = [
    ("format",), ("version",), ("language",), ("maker",), ("tuned_on",), ("tuned_on", "words"),
    ("intercept",), ("weights",), ("weights", "relative"),
    ("confusion",), ("confusion", "phones"), ("confusion", "said_to_observed"),
    ("confusion", "said_to_observed", "a"), ("confusion", "said_to_observed", "a", "b"),
    ("confusion", "deleted"), ("confusion", "inserted"), ("confusion", "inserted", "a"),
    ("confusion", "background"), ("confusion", "background", "b"),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=".".join)
def test_a_forged_model_is_refused_or_gives_probabilities(model, tmp_path, key):
    path = tmp_path / "model.json"
    save(model, path)
    document = json.loads(path.read_text())
    assert key in set(keys(document))
    parent = document
    for one in key[:-1]:
        parent = parent[one]
    parent[key[-1]] = "@"
    forged = json.dumps(document)
    own = json.dumps(key[-1])
    texts = [forged.replace('"@"', value) for value in VALUES]
    texts.append(forged.replace('"@"', f"5, {own}: 5"))
    del parent[key[-1]]
    texts.append(json.dumps(document))
    for text in texts:
        path.write_text(text)
        try:
            taken = load(path)
        except InputError as error:
            message = str(error)
            assert message.startswith(str(path))
            assert len(message) < len(str(path)) + 600
            continue
        ratios = log_ratios(taken.confusion)
        assert all(np.isfinite(part).all() for part in (ratios.match, ratios.deletion))
        assert np.isfinite(ratios.insertion).all()
        features = {name: np.array([-1e3, 0.0, 1e11]) for name in taken.weights.coefficients}
        ratio = taken.weights.log_ratios(Evidence(features, np.zeros(3))).all_false_alarms
        chance = rate_posterior(ratio, np.zeros(3, int), 1).probability
        assert ((chance >= 0) & (chance <= 1)).all()
