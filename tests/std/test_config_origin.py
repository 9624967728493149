"""std-config: every key, where its value comes from, the shipped configurations."""

import csv
import io
import json
import tomllib
from pathlib import Path

import pytest

from std.config import Config, load_config
from std.config_cli import explained, main, shipped, shown
from std.errors import ConfigError, OldNameWarning

CONFIGS = Path(__file__).parent.parent.parent / "configs"


@pytest.fixture
def show(capsys):
    def run(*arguments, status=0):
        assert main([str(one) for one in arguments]) == status
        out, err = capsys.readouterr()
        return err if status else json.loads(out)

    return run


def test_every_key_of_the_default_file(show):
    table = tomllib.loads((CONFIGS / "default.toml").read_text())
    keys = {f"{section}.{key}": v for section, keys in table.items() for key, v in keys.items()}
    shown_keys = {one["key"]: one["value"] for one in show("show", "--json")}
    assert shown_keys == keys
    assert {one["origin"] for one in show("show", "--json")} == {"default"}


def test_where_values_come_from(show, tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[search]\nmin_probability = 0.2\nmax_gap_ms = 500\n[decision]\nbeta = 3\n")
    given = ("--config", path, "--set", "decision.beta=66", "--set", "decision.rule=sto")
    found = {one["key"]: one for one in show("show", *given, "--json")}
    assert found["search.min_probability"] == {
        **{"key": "search.min_probability", "value": 0.2, "default": 0.0},
        **{"origin": str(path), "allowed": "0 to 1"},
    }
    assert found["search.max_gap_ms"]["origin"] == str(path)  # written, though the default
    assert (found["decision.beta"]["value"], found["decision.beta"]["origin"]) == (66, "--set")
    assert found["decision.rule"]["value"] == "sto"
    changed = [one["key"] for one in show("show", *given, "--changed", "--json")]
    assert changed == ["search.min_probability", "decision.rule", "decision.beta"]
    named = [one["key"] for one in show("show", "calibration", "search.min_probability", "--json")]
    of_calibration = ["calibration.words", "calibration.list", "calibration.vocabulary"]
    assert named == ["search.min_probability", *of_calibration]
    assert [one.value for one in explained(path)] != [one.value for one in explained()]


def test_values_are_toml():
    for one in explained():
        assert tomllib.loads(f"value = {shown(one.value)}")["value"] in (
            one.value,
            list(one.value) if isinstance(one.value, tuple) else one.value,
        )
    assert tomllib.loads("value = " + shown('a"b\\c')) == {"value": 'a"b\\c'}


def test_settings_go_before_the_file(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[search]\nmin_probability = 0.2\nmax_gap_ms = 7\n")
    config = load_config(path, ["search.min_probability=0.3", 'expansion.methods=["dice"]'])
    assert (config.search.min_probability, config.search.max_gap_ms) == (0.3, 7)
    assert config.expansion.methods == ("dice",)
    assert load_config(None, []) == Config()


@pytest.mark.parametrize(("setting", "message"), [
    ("search.min_probability", "--set: expected SECTION.KEY=VALUE, got 'search.min_probability'"),
    ("beta=3", "--set: expected SECTION.KEY=VALUE, got 'beta=3'"),
    ("search.min_posterior=2", "--set: search.min_posterior: expected a number from 0 to 1, got 2"),
    ("search.min_scor=2", "--set: search: expected one of"),
    ("nothing.a=2", "--set: expected one of text, index,"),
    ("decision.rule=no", "--set: decision.rule: expected one of 'auto', 'exact',"),
    ("search.min_probability.x=2", "--set: search: expected one of"),
    ("pronunciation.lexicon=/", "--set: pronunciation.lexicon: expected a regular file"),
    ("calibration.vocabulary=/", "--set: calibration.vocabulary: expected a regular file"),
    ("search.min_probability=", "--set: search.min_probability: expected"),
])  # fmt: skip
def test_settings_that_do_not_fit(setting, message, show):
    with pytest.raises(ConfigError) as caught:
        load_config(None, [setting])
    assert str(caught.value).startswith(message)
    assert show("show", "--set", setting, status=2).startswith(f"std-config: {message}")


def test_shipped_configurations(show, capsys):
    listed = show("list", "--json")
    assert {one["name"] for one in listed} == {path.stem for path in CONFIGS.glob("*.toml")}
    for one in listed:
        load_config(Path(one["path"]))
    assert main(["path", "plain"]) == 0
    assert capsys.readouterr().out == f"{CONFIGS / 'plain.toml'}\n"
    assert [one.document() for one in shipped()] == listed
    assert "expected one of default, plain, thesis, got 'x'" in show("path", "x", status=2)


def test_forms(capsys):
    assert main(["show", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")))
    assert {row["key"]: row["value"] for row in rows}["search.max_gap_ms"] == "500"
    for form in ("table", "github", "lines"):
        assert main(["show", "search", "--fmt", form]) == 0
        assert "search.max_gap_ms" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [
    [], ["path"], ["list", "x"], ["list", "--changed"], ["path", "plain", "--set", "a.b=1"],
])  # fmt: skip
def test_misuse(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_an_old_key_is_read_as_the_new_ones_and_said_once(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[search]\nmin_score = 0.2\n")
    with pytest.warns(OldNameWarning, match="min_score: the old name is read as min_p") as told:
        found = {one.key: one for one in explained(path) if one.key.startswith("search.min_")}
    assert len(told) == 1
    assert {one.value for one in found.values()} == {0.2}
    assert len(found) == 2
    assert {one.origin for one in found.values()} == {str(path)}
    with pytest.warns(OldNameWarning, match="--set: search.min_score"):
        by_option = {one.key: one for one in explained(None, ["search.min_score=0.3"])}
    assert by_option["search.min_posterior"].origin == "--set"
    assert by_option["search.min_probability"].value == 0.3
    path.write_text("[search]\nmin_score = 0.2\nmin_posterior = 0.1\n")
    with pytest.raises(ConfigError, match="expected min_posterior and min_probability in place"):
        load_config(path)
