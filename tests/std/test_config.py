import re
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from std.config import Config, load_config, range_of
from std.errors import ConfigError, InputError, StdError
from std.options import files_of

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda p: p.name)
def test_shipped_configurations_load(path):
    load_config(path)


def test_default_toml_mirrors_every_default():
    assert load_config(CONFIGS / "default.toml") == Config() == load_config(None)
    text = (CONFIGS / "default.toml").read_text()
    for section in Config.__dataclass_fields__:
        assert f"[{section}" in text
        for key in getattr(Config(), section).__dataclass_fields__:
            assert f"\n{key} = " in text or f".{key}" in text, f"{section}.{key} is not documented"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[search]\nmax_gap = 5", "expected one of max_gap_ms, .* got 'max_gap'"),
        ("[serch]\n", "expected one of text, index, search, .* got 'serch'"),
        ("search = 5", "expected a table \\[search\\], got 5"),
        (
            "[search]\nmax_gap_ms = 0.5",
            "search.max_gap_ms: expected a whole number from 0 to 3600000, got 0.5",
        ),
        (
            '[search]\nmin_probability = "x"',
            "search.min_probability: expected a number from 0 to 1, got 'x'",
        ),
        ('[decision]\nrule = "always"', "expected one of .*'global'.* got 'always'"),
    ],
)
def test_what_does_not_exist_or_fit_is_refused_by_name(tmp_path, text, message):
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_config(path)


def test_an_integer_may_stand_for_a_number(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[decision]\nbeta = 100")
    assert load_config(path).decision.beta == 100.0


def test_broken_toml_and_missing_files_are_named(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[search\n")
    with pytest.raises(
        InputError, match=r"my.toml: expected a configuration in TOML, got .*line 1"
    ):
        load_config(path)
    with pytest.raises(InputError, match="expected a readable file"):
        load_config(tmp_path / "none.toml")


def test_files_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text('[pronunciation]\nlexicon = "words.txt"\n')
    config = load_config(tmp_path / "c.toml", ["calibration.vocabulary=known.txt"])
    assert config.pronunciation.lexicon == str(tmp_path / "words.txt")
    assert config.calibration.vocabulary == str(tmp_path / "known.txt")
    assert [*files_of(config).values()] == [tmp_path / "words.txt", tmp_path / "known.txt"]


SECTIONS = get_type_hints(Config)
NUMBERS = [
    (section, key)
    for section, kind in SECTIONS.items()
    for key, hint in get_type_hints(kind).items()
    if hint in (int, float)
]


def comments():
    """The comment of each key of configs/default.toml, on its line and the comment lines below."""
    found, section, key = {}, "", ""
    for line in (CONFIGS / "default.toml").read_text().splitlines():
        setting, _, comment = line.partition("#")
        if setting.startswith("["):
            section = setting.strip()[1:-1]
        elif " = " in setting:
            key = setting.split(" = ")[0]
        if comment and key:
            found.setdefault((section, key), []).append(comment.strip())
    return {where: " ".join(lines) for where, lines in found.items()}


@pytest.mark.parametrize(("section", "key"), NUMBERS)
def test_every_number_has_a_range_and_default_toml_says_it(section, key):
    span = range_of(f"{section}.{key}")
    assert comments()[section, key].split(";")[0] == str(span)
    assert span.whole == (get_type_hints(SECTIONS[section])[key] is int)


CHOICES = [
    (section, key, choice)
    for section, kind in SECTIONS.items()
    for key, hint in get_type_hints(kind).items()
    for one in ([hint] if get_origin(hint) is Literal else get_args(hint)[:1])
    for choice in get_args(one)
]


@pytest.mark.parametrize(("section", "key", "choice"), CHOICES)
def test_default_toml_says_every_choice(section, key, choice):
    assert re.search(rf"\b{choice}\b", comments()[section, key])


def digits(n):
    return "1" + "0" * n


VALUES = [
    *("nan", "inf", "-inf", "-1", "1e308", "-1e308", "1e400", "-0.5", "true", "[]", "[1]", "{}"),
    *(digits(30), digits(400), digits(5000), "0x" + "f" * 6000, "-9223372036854775809"),
    *('"x"', '""', '"\\u0000"', '"a\\nb"', f'"{digits(5000)}"', "1979-05-27", "[" * 99 + "]" * 99),
]
KEYS = [(section, key) for section, kind in SECTIONS.items() for key in get_type_hints(kind)]


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_a_value_is_taken_or_refused_in_one_line(tmp_path, section, key):
    path = tmp_path / "my.toml"
    for value in VALUES:
        path.write_text(f"[{section}]\n{key} = {value}\n")
        try:
            taken = getattr(getattr(load_config(path), section), key)
        except StdError as error:
            message = str(error)
            assert message.startswith(f"{path}: ")
            assert len(message) < len(str(path)) + 300
            assert "expected" in message
            assert "\n" not in message
        else:
            assert (section, key) not in NUMBERS or taken in range_of(f"{section}.{key}")
            assert "\0" not in str(taken)


@pytest.mark.parametrize(("section", "key"), NUMBERS)
def test_the_borders_of_a_range_are_borders(section, key):
    span, kind = range_of(f"{section}.{key}"), SECTIONS[section]
    for border, excluded, beyond in (
        (span.lowest, span.above, -1),
        (span.highest, span.below, 1),
    ):
        if excluded:
            with pytest.raises(ValueError, match=f"{key}: expected"):
                kind(**{key: border})
        else:
            assert getattr(kind(**{key: border}), key) == border
        with pytest.raises(ValueError, match=f"{key}: expected"):
            kind(**{key: border + beyond})


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 100_000, "[" + "a." * 100_000 + "a]", "{" * 100_000, "a\0", "\ud800"]
)
def test_extreme_toml_is_one_line(tmp_path, text):
    path = tmp_path / "my.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(StdError, match=r"my.toml.*expected") as caught:
        load_config(path)
    assert len(str(caught.value)) < len(str(path)) + 300


def test_the_old_name_of_the_table_of_phonetic_search_is_read(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('[sound]\nwords = "none"\n')
    assert load_config(path).phonetic_search.words == "none"
    path.write_text('[sound]\nwords = "none"\n[phonetic_search]\nwords = "all"\n')
    with pytest.raises(
        ConfigError, match=r"\[phonetic_search\] or its old name \[sound\], got both"
    ):
        load_config(path)
