"""Readers of other packages: the recipe of docs/formats.md, and packages that are broken."""

import importlib
import json
import re
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import indexer.cli
import searcher.commands.search
from indexer import formats, index_files, installed_formats
from indexer.formats import registry
from indexer.formats.detect import detect, parse_file
from indexer.formats.shared.reader import ReaderOptions
from std.errors import ConfigError, ForeignFileError, InputError

PAGE = Path(__file__).parents[3] / "docs" / "formats.md"
SECTION = PAGE.read_text().partition("## Readers of other packages")[2].partition("\n## ")[0]
MODULE = re.search(r"```python\n(.*?)```", SECTION, re.DOTALL)[1]
PYPROJECT = re.search(r"```toml\n(.*?)```", SECTION, re.DOTALL)[1]
TAPE = "#tape\n1.00 1.21 das\n1.21 1.65 haus\n"


def forget():
    for function in (registry.installed_readers, registry.all_readers, registry.readers):
        function.cache_clear()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package: its module, and what its pyproject.toml says of entry points."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)

    def installing(module=MODULE, pyproject=PYPROJECT, package="tape-reader", name="tape_reader"):
        (folder / f"{name}.py").write_text(module)
        points = tomllib.loads(pyproject)["project"]["entry-points"]
        info = folder / f"{package.replace('-', '_')}-0.1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
        (info / "entry_points.txt").write_text(
            "".join(
                f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
                for group, entries in points.items()
            )
        )
        importlib.invalidate_caches()
        forget()

    forget()
    yield installing
    forget()
    for name in ("tape_reader", "other_reader"):
        sys.modules.pop(name, None)


@pytest.fixture
def tape(tmp_path):
    path = tmp_path / "talk.tape"
    path.write_text(TAPE)
    return path


def indexed(path, *more):
    return indexer.cli.main([str(path), "--store", str(path.parent / "index"), *more])


def test_nobody_reads_it_before(tape, capsys):
    assert "tape" not in installed_formats()
    assert indexed(tape) == 2
    assert "expected recogniser output, got text" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        indexed(tape, "--format", "tape")
    assert end.value.code == 2
    assert "expected a format, got 'tape'" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--format", "tape"]])
def test_the_recipe_works(install, tape, capsys, more):
    install()
    assert installed_formats() == ("tape",)
    assert indexed(tape, *more) == 0
    capsys.readouterr()
    assert (
        searcher.commands.search.main(["haus", "--store", str(tape.parent / "index"), "--json"])
        == 0
    )
    (hit,) = json.loads(capsys.readouterr().out)
    assert (hit["file"], hit["start_s"]) == ("talk", 1.21)


@pytest.mark.parametrize("name_by", ["stem", "path"])
def test_a_recording_is_called_without_the_extension(install, tape, name_by):
    install()
    (found,) = index_files(tape, "memory:", name_by=name_by).recordings
    assert found.file.endswith("talk")


def test_its_errors_are_those_of_any_reader(install, tape, capsys):
    install()
    tape.write_text("#tape\n1.00 das\n")
    assert indexed(tape) == 2
    assert "talk.tape:2: expected start, end and word, got '1.00 das'" in capsys.readouterr().err
    tape.write_text("nothing\n")
    with pytest.raises(InputError) as error:
        detect(b"nothing", tape)
    assert not isinstance(error.value, ForeignFileError)  # only its files have that extension


def test_the_recipe_works_in_our_own_tree(monkeypatch, tape):
    module = type(sys)("indexer.formats.readers.tape")
    exec(MODULE, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(formats, "FORMAT_NAMES", (*formats.FORMAT_NAMES, "tape"))
    monkeypatch.setattr(registry, "FORMATS", {**registry.FORMATS, "tape": registry._own("tape")})
    forget()
    assert detect(TAPE.encode(), tape) == "tape"
    assert [word for block in parse_file(tape) for one in block for word in one.words] == [
        *module.READER.words
    ]
    forget()


ENTRY = '[project.entry-points."spoken_terms.readers"]\n{} = "{}"\n'
BROKEN = [
    ("import nothing_of_that_name", ENTRY.format("tape", "tape_reader:READER"),
     "expected a reader, got ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    ("raise SystemExit(3)", ENTRY.format("tape", "tape_reader:READER"), "got SystemExit: 3"),
    ("", ENTRY.format("tape", "tape_reader:READER"), "expected a reader, got AttributeError"),
    ("READER = 3", ENTRY.format("tape", "tape_reader:READER"), "expected a FormatReader, got 3"),
    (MODULE, ENTRY.format("type", "tape_reader:READER"), "expected the name 'type', of small"),
    (MODULE.replace('"tape"', '"Tape"', 1), ENTRY.format("Tape", "tape_reader:READER"),
     "of small letters, digits and hyphens, got 'Tape'"),
    (MODULE, ENTRY.format("ctm", "tape_reader:READER"),
     "expected a name that is free, got 'ctm', a reader of std's own"),
    (MODULE.replace("return head", "return 1 / 0 or head"),
     ENTRY.format("tape", "tape_reader:READER"),
     "expected looks_like to say yes or no, got ZeroDivisionError: division by zero"),
    (MODULE.replace("words = []", "words = []\n    words[0]"),
     ENTRY.format("tape", "tape_reader:READER"), "got IndexError: list index out of range"),
    (MODULE.replace('extensions=("tape",)', 'extensions="tape"'),
     ENTRY.format("tape", "tape_reader:READER"),
     "got ValueError: extensions of the reader 'tape' are no tuple of texts"),
    (MODULE.replace('("text",)', '("txt",)'), ENTRY.format("tape", "tape_reader:READER"),
     "got ValueError: kinds of the reader 'tape' are none of ('binary', 'text', 'json')"),
    (MODULE.replace("yield utterances.collected()", "yield 3"),
     ENTRY.format("tape", "tape_reader:READER"), "utterances or a lattice expected, got 3"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "pyproject", "message"), BROKEN)
def test_a_broken_package_is_one_line(install, tape, capsys, module, pyproject, message):
    install(module, pyproject)
    assert indexed(tape) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "of the package tape-reader 0.1: " in line
    assert message in line
    assert line.endswith("mend or uninstall the package")


def test_two_packages_of_one_name(install, tape, capsys):
    install()
    install(MODULE, ENTRY.format("tape", "other_reader:READER"), "other-reader", "other_reader")
    assert indexed(tape) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "of the package tape-reader 0.1: expected a name that is free, got that of oth" in line


def test_json_of_a_package_comes_before_rows_of_any_kind(install, tmp_path):
    """Ours would read it: a package is asked first, and its keys are compared in messages."""
    install(
        MODULE.replace('kinds=("text",)', 'kinds=("json",), keys=("tape reel side",)')
        .replace("for number, line in enumerate(stream, start=1):", "for line in ():")
        .replace('head.startswith(b"#tape")', "b'\"tape\"' in head")
        .replace("words = []", 'words = [HypothesisWord("mine", 1.0, 0.0, 1.0)]')
    )
    path = tmp_path / "talk.json"
    path.write_text('[{"tape": 1, "start": 0.0, "end": 1.0, "text": "ours"}]')
    (block,) = parse_file(path, options=ReaderOptions())
    assert [word for one in block for word in one.words] == ["mine"]
    with pytest.raises(ForeignFileError, match="tape comes near, but lacks tape"):
        detect(b'{"reel": 1, "side": 2}', "x")


def test_a_command_that_reads_nothing_looks_for_no_package(monkeypatch, capsys):
    def refused(**_):
        raise AssertionError

    monkeypatch.setattr("importlib.metadata.entry_points", refused)
    with pytest.raises(SystemExit):
        indexer.cli.main(["--help"])
    assert "a format that another package reads" in " ".join(capsys.readouterr().out.split())


def test_an_error_names_the_entry_point_where_nothing_says_the_package(install, monkeypatch):
    point = EntryPoint("tape", "nothing_here:READER", formats.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    forget()
    with pytest.raises(ConfigError, match="of the package nothing_here:READER: expected a reader"):
        registry.all_readers()
