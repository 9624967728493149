"""Reference of the Python interfaces: what each package names in `__all__`.

The signatures and docstrings are rendered by Sphinx's autodoc and napoleon.
"""

import importlib
import inspect
from collections.abc import Mapping
from types import ModuleType

from tools.site.markdown import prose

OPTIONS = ("members:", "imported-members:", "inherited-members: object, tuple, BaseException")
PACKAGES = (
    "spoken_terms",
    "indexer",
    "searcher",
    "scoring",
    "scoring.discovery",
    "recogniser",
    "service",
    "std",
)


def pages() -> Mapping[str, str]:
    """A page for each package, and the list that follows the words of `python`.

    By address below ``reference/``.
    """
    lines = [""]
    for name in PACKAGES:
        first = (importlib.import_module(name).__doc__ or "").partition("\n")[0]
        lines.append(f"* [`{name}`](python/{name}.md): {first}")
    lines += ["", "```{toctree}", ":hidden:", "", *(f"python/{name}" for name in PACKAGES), "```"]
    return {"python": "\n".join(lines) + "\n"} | {f"python/{name}": page(name) for name in PACKAGES}


def page(name: str) -> str:
    """A package: its docstring, then its names; autodoc passes over values without a docstring."""
    package = importlib.import_module(name)
    described = {one: home for one in package.__all__ if (home := home_of(package, one)) != name}
    options = "".join(f"   :{option}\n" for option in OPTIONS)
    if described:
        options += f"   :exclude-members: {', '.join(described)}\n"
    directives = [f".. automodule:: {name}\n{options}"]
    for attribute in package.__all__:
        value = getattr(package, attribute)
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            keys = f", with the keys {', '.join(value)}" if isinstance(value, Mapping) else ""
            about = f"   :module: {name}\n\n   A {type(value).__name__}{keys}."
            directives.append(f".. py:data:: {attribute}\n{about}")
    also = "".join(f"* `{one}`: see [{home}]({home}.md)\n" for one, home in described.items())
    return f"# {name}\n\n{prose(package.__doc__ or '')}\n\n{also}\n" + "\n".join(
        f"```{{eval-rst}}\n{directive}\n```\n" for directive in directives
    )


def home_of(package: ModuleType, name: str) -> str:
    """The package whose page describes a name that this one offers."""
    module = getattr(getattr(package, name), "__module__", package.__name__)
    return module.partition(".")[0] if package.__name__ == "spoken_terms" else package.__name__
