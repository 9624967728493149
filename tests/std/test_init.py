"""`from std import ...`: every public name, without loading numpy before one is asked for."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import std

PATH = re.compile(r"\bPath\b")
PACKAGES = ("std", "indexer", "searcher", "scoring")
ROOT = Path(std.__file__).parent.parent


@pytest.mark.parametrize("name", std.__all__)
def test_every_name_is_that_of_its_module(name):
    value = getattr(std, name)
    assert value.__name__ == name
    assert value is getattr(sys.modules[value.__module__], name)
    assert name in dir(std)


def test_every_error_of_the_tree_can_be_imported():
    errors = {
        name
        for name, value in vars(sys.modules[std.StdError.__module__]).items()
        if isinstance(value, type) and issubclass(value, (std.StdError, Warning))
    }
    assert errors <= set(std.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'std' has no attribute 'Wrong'"):
        _ = std.Wrong


def test_importing_std_loads_no_numpy():
    script = "import std, sys; std.InputError; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("package", PACKAGES)
def test_types_are_shipped(package):
    assert (ROOT / package / "py.typed").is_file()


@pytest.mark.parametrize("package", [*PACKAGES, "recogniser", "scoring.discovery"])
def test_functions_take_paths_as_text_too(package):
    module = importlib.import_module(package)
    functions = filter(inspect.isfunction, (getattr(module, name) for name in module.__all__))
    only_path = [
        f"{function.__name__}: {parameter}"
        for function in functions
        for parameter in inspect.signature(function).parameters.values()
        if PATH.search(str(parameter.annotation)) and "str" not in str(parameter.annotation)
    ]
    assert not only_path
