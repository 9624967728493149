from pathlib import Path

import pytest

from std.config import Config, load
from std.errors import ConfigError, InputError

CONFIGS = Path(__file__).parent.parent / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda p: p.name)
def test_shipped_configurations_load(path):
    load(path)


def test_default_toml_mirrors_every_default():
    assert load(CONFIGS / "default.toml") == Config() == load(None)
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
        ("[search]\nmax_gap_ms = 0.5", "search.max_gap_ms: expected int, got 0.5"),
        ('[search]\nmin_score = "x"', "search.min_score: expected float, got 'x'"),
        ('[decision]\nrule = "always"', "expected one of .*'global'.* got 'always'"),
    ],
)
def test_what_does_not_exist_or_fit_is_refused_by_name(tmp_path, text, message):
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load(path)


def test_an_integer_may_stand_for_a_number(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[decision]\nbeta = 100")
    assert load(path).decision.beta == 100.0


def test_broken_toml_and_missing_files_are_named(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[search\n")
    with pytest.raises(InputError, match=r"my.toml: expected TOML, got .*line 1"):
        load(path)
    with pytest.raises(InputError, match="expected a readable file"):
        load(tmp_path / "none.toml")


def test_a_lexicon_is_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text('[pronunciation]\nlexicon = "words.txt"\n')
    config = load(tmp_path / "c.toml")
    assert config.pronunciation.lexicon == str(tmp_path / "words.txt")
