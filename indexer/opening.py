"""Arguments of the public functions of `indexer`: an index, a configuration.

urls_of      an index -> its stores' names
existing     those that exist
open_stores  an index -> its stores, open
config_of    a configuration, or its file -> a configuration
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path

from std.config import Config, load_config
from std.store import Store, open_store, require_different
from std.store.address import kind_of

AnyPath = str | PathLike[str]
Stores = AnyPath | Sequence[AnyPath]


def urls_of(store: Stores) -> list[str]:
    """The names of an index's stores."""
    stores = [store] if isinstance(store, str | PathLike) else store
    return [str(one) for one in stores]


def existing(urls: Sequence[str]) -> list[str]:
    """The stores that exist: a folder that is still to be made is none."""
    return [url for url in urls if kind_of(url) != "folder" or Path(url).exists()]


@contextmanager
def open_stores(store: Stores, *, create: bool = False) -> Iterator[list[Store]]:
    """Open the stores of an index that exists or is to be made."""
    urls = urls_of(store)
    require_different(urls)
    with ExitStack() as opened:
        yield [opened.enter_context(closing(open_store(url, create=create))) for url in urls]


def config_of(config: Config | AnyPath | None, language: str | None = None) -> Config:
    """A configuration, given as a value or a file; ``language`` is that of all recordings."""
    if not isinstance(config, Config):
        config = load_config(Path(config) if config else None)
    if language:
        config = replace(config, pronunciation=replace(config.pronunciation, language=language))
    return config
