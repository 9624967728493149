"""tools/licences.py and `make sbom`: what an installation brings, and under which licence."""

import importlib.util
import json
import subprocess
import sys
import sysconfig
import tomllib
import venv
from email.message import Message
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def load():
    spec = importlib.util.spec_from_file_location("licences", ROOT / "tools" / "licences.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["licences"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


licences = load()


class Installed:
    """The metadata of a package."""

    version = "1.0"

    def __init__(self, name, requires=(), **fields):
        self.requires = list(requires)
        self.metadata = Message()
        self.metadata["Name"] = name
        for field, values in fields.items():
            for value in [values] if isinstance(values, str) else values:
                self.metadata[field.replace("_", "-")] = value


@pytest.fixture
def world(monkeypatch):
    """An index of packages that are installed; the others are not."""
    packages = {}
    monkeypatch.setattr(licences, "installed", lambda name: packages.get(licences.canonical(name)))

    def add(name, requires=(), **fields):
        packages[licences.canonical(name)] = Installed(name, requires, **fields)

    return add


def project(*dependencies, **extras):
    return {"name": "x", "dependencies": list(dependencies), "optional-dependencies": extras}


def test_what_is_installed_here_may_be_used(capsys):
    assert licences.main(["--json"]) == 0, capsys.readouterr().err
    packages = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert packages["numpy"]["licence"].startswith("BSD-3-Clause")
    assert "plain" in packages["numpy"]["extras"]
    assert {*packages["espeakng-loader"]["extras"]} <= {"espeak", "all"}
    assert not {"pytest", "hypothesis", "ruff"} & packages.keys()


def test_copyleft_is_found_wherever_it_comes_from(world):
    world("a", ["b[more]>=1"], License_Expression="MIT")
    world("b", ['c; extra == "more"', 'd; extra == "other"'], License_Expression="MIT")
    world("c", License_Expression="GPL-3.0-or-later")
    world("d", License_Expression="GPL-3.0-or-later")
    a, b, c = licences.check(project("a"))
    assert (a.problem, b.problem) == ("", "")
    assert c.problem == "GPL-3.0-or-later is not allowed in 'plain'"


def test_an_extra_may_bring_what_it_says(world):
    world("espeakng-loader")
    (package,) = licences.check(project(espeak=["espeakng-loader"], all=["x[espeak]"]))
    assert (package.problem, package.extras) == ("", ("espeak", "all"))
    (package,) = licences.check(project(espeak=["espeakng-loader"], serve=["espeakng_loader>=1"]))
    assert package.problem == "MIT AND GPL-3.0-or-later is not allowed in 'serve'"


def test_developers_extras_are_not_checked(world):
    world("a", License_Expression="GPL-2.0-only")
    assert licences.check(project(test=["a"], docs=["a"])) == []


def test_requirements_of_other_systems_are_not_followed(world):
    world("a", ["b; sys_platform == 'plan9'", "c; python_version < '3'"], License_Expression="MIT")
    assert [one.name for one in licences.check(project("a"))] == ["a"]
    assert (
        licences.check(project("c; python_version < '3'", all=["x[no]; python_version < '3'"]))
        == []
    )


def test_a_circle_ends(world):
    world("a", ["b"], License_Expression="MIT")
    world("b", ["a"], License_Expression="MIT")
    assert [one.name for one in licences.check(project("a"))] == ["a", "b"]


def test_what_is_missing_or_says_nothing_is_a_problem(world):
    world("a")
    world("c", Classifier=["License :: OSI Approved :: Some Licence"])
    a, b, c = licences.check(project("a", "b", "c"))
    assert a.problem == c.problem == "expected metadata that name a licence"
    assert b.problem == "expected it to be installed, to be checked"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"License_Expression": "MIT OR GPL-2.0-only"}, "MIT OR GPL-2.0-only"),
        ({"License": "BSD-3-Clause"}, "BSD-3-Clause"),
        ({"License": "Apache 2.0"}, "Apache-2.0"),
        ({"License": "Copyright (c) 2001\nAll rights"}, ""),
        (
            {"Classifier": ["License :: OSI Approved", "License :: OSI Approved :: MIT License"]},
            "MIT",
        ),
        (
            {
                "Classifier": [
                    "License :: OSI Approved :: BSD License",
                    "License :: OSI Approved :: GNU General Public License (GPL)",
                ]
            },
            "BSD-3-Clause AND GPL-1.0-or-later",
        ),
    ],
)
def test_where_metadata_name_a_licence(fields, expected):
    assert licences.licence_of(Installed("a", **fields)) == expected


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-2.0-only", False),
        ("MIT OR GPL-2.0-only", True),
        ("MIT AND GPL-2.0-only", False),
        ("MPL-2.0 AND (Apache-2.0 OR GPL-2.0-only)", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
    ],
)
def test_expressions(expression, allowed):
    assert licences.is_allowed(licences.SPDX.parse(expression), licences.ALLOWED) is allowed


def test_the_bill_of_materials_names_packages_and_licences(tmp_path):
    """The command of `make sbom`, on an environment with one package."""
    venv.create(tmp_path / "environment", symlinks=True)
    (packages,) = (tmp_path / "environment" / "lib").glob("python*/site-packages")
    folder = packages / "thing-1.2.dist-info"
    folder.mkdir()
    text = "Metadata-Version: 2.4\nName: thing\nVersion: 1.2\nLicense-Expression: MIT\n"
    (folder / "METADATA").write_text(text)
    (line,) = [
        text
        for text in (ROOT / "Makefile").read_text().replace("\\\n", "").splitlines()
        if "cyclonedx-py" in text
    ]
    target = tmp_path / "sbom.json"
    words = [Path(sysconfig.get_path("scripts")) / "cyclonedx-py", *line.split()[1:]]
    words[words.index("--output-file") + 1] = target
    words[-1] = tmp_path / "environment" / "bin" / "python"
    subprocess.run([*map(str, words)], cwd=ROOT, check=True, capture_output=True)
    document = json.loads(target.read_text())
    name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]
    assert (document["bomFormat"], document["metadata"]["component"]["name"]) == ("CycloneDX", name)
    (thing,) = [one for one in document["components"] if one["name"] == "thing"]
    assert thing["purl"] == "pkg:pypi/thing@1.2"
    assert thing["licenses"][0]["license"]["id"] == "MIT"
