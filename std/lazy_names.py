"""The public names of a package, each imported from its module when it is first asked for.

A command that only prints its help must not load numpy, so a package's ``__init__`` names the
modules of its public names and imports none of them.
"""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: its ``__name__``.
        modules: the public names that each module below the package defines, separated by spaces;
            ``rows=form_rows`` is the module's ``form_rows``, which the package calls ``rows``.

    >>> find, names = lazy_names("std", {"ranges": "Range", "errors": "Wrong=InputError"})
    >>> find("Wrong").__name__, {"Range", "Wrong"} <= {*names()}
    ('InputError', True)
    """
    homes: dict[str, tuple[str, str]] = {}
    for module, public_names in modules.items():
        for name in public_names.split():
            public, _, own = name.partition("=")
            homes[public] = f"{package}.{module}", own or public

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = homes[name]
        return getattr(import_module(module), own)

    def names() -> list[str]:
        return sorted({*homes, *vars(import_module(package))})

    return find, names
