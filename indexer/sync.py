"""Compare a folder with an index: new, changed, moved and deleted inputs (`std-store sync`).

    changes_in     a folder, an index -> `Changes`, and the digests of its inputs
    move           moved inputs -> commits
    note_digests   digests of inputs -> the index, to detect changes later

An index keeps a digest of the inputs of each audio file that a sync has indexed. If `std-index` was
used, there is none, and the inputs count as changed once.
"""

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from indexer.describe import rename
from indexer.inputs import Input, NameBy, name_of
from indexer.origins import CALLED, origins, relink
from indexer.shards import audio_files, contents
from std.errors import InputError, Unquoted
from std.files import unreadable
from std.metadata.table import OWN_PREFIX, of_rows
from std.numbers import counted
from std.sound.files import SUFFIX, sounding
from std.store import Store

INPUTS = f"{OWN_PREFIX}inputs"  # the column of the digest
MOST_GONE = 0.5  # of an archive: deleting more needs a confirmation
FEW = 10  # recordings: so few may all be deleted


@dataclass(frozen=True, slots=True)
class Moved:
    """An input that has moved."""

    before: str  # absolute path
    after: Input
    called: str  # the name that it gave by its old path
    renamed: tuple[str, str] | None = None  # the recording named after the file


@dataclass(frozen=True, slots=True)
class Changes:
    """Differences of a folder and an index; recordings of other folders are ignored."""

    new: tuple[Input, ...] = ()
    changed: tuple[Input, ...] = ()
    moved: tuple[Moved, ...] = ()
    gone: tuple[str, ...] = ()  # audio files of the index without inputs
    unchanged: int = 0  # inputs
    refused: int = 0  # inputs that cannot be indexed: neither new nor changed
    not_compared: int = 0  # of the changed: the index keeps no digest
    indexed: int = 0  # audio files of the index that are from this folder

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs to index."""
        return (*self.changed, *self.new)  # indexed recordings keep their names

    def without(self, foreign: Collection[Path], refused: Collection[Path]) -> "Changes":
        """The changes without files that are not recogniser output, and inputs that are refused."""
        left_out = {*foreign, *refused}
        return replace(
            self,
            new=tuple(one for one in self.new if one.path not in left_out),
            changed=tuple(one for one in self.changed if one.path not in left_out),
            refused=sum(one.path in refused for one in self.inputs),
        )

    def line(self) -> str:
        """The number of each kind, as text."""
        number = {
            "new": len(self.new),
            "changed": len(self.changed),
            "moved": len(self.moved),
            "gone": len(self.gone),
            "refused": self.refused,
        }
        kinds = ", ".join(f"{n} {kind}" for kind, n in number.items() if n)
        return f"{kinds or 'no changes'}; {counted(self.unchanged, 'file')} as before"

    def require_few_gone(self, folder: Path) -> None:
        """Refuse to delete most of an archive: a folder that is not mounted looks empty.

        Raises:
            InputError: most of the recordings, and more than a few, are gone.
        """
        if len(self.gone) > max(FEW, MOST_GONE * self.indexed):
            expected = f"most of the {self.indexed} recordings that the index has from it"
            got = Unquoted(f"{len(self.gone)} are gone")
            raise InputError(folder, 0, expected, got, "--allow-gone deletes them")


def changes_in(
    folder: Path, files: Sequence[Input], stores: Sequence[Store], name_by: NameBy | None
) -> tuple[Changes, Mapping[str, str]]:
    """Compare the inputs in a folder with the recordings that an index has from it.

    An input that is there, but not among the files (behind a link to a folder), has not changed.

    Returns:
        the changes, and a digest of each input, by its absolute path.

    Raises:
        InputError: a file cannot be read.
    """
    here = {file.origin: file for file in files}
    digests = {origin: input_digest(file.path) for origin, file in here.items()}
    indexed = _Indexed.of(folder, stores)
    moved = _moved(indexed, here, digests, partial(_called, folder, indexed.root, name_by))
    now = {one.before: one.after.origin for one in moved}
    gone, again, not_compared = [], set[str](), set[str]()
    sounds = _sounds(digests)
    for file, inputs in indexed.inputs.items():
        left = [now.get(origin, origin) for origin in inputs]
        left = [one for one in left if one in here or not indexed.is_missing(one)]
        kept, beside = indexed.digests[file], sounds.get(indexed.called[file], ())
        if all(origin.endswith(SUFFIX) for origin in inputs):
            left = [*dict.fromkeys((*left, *beside))]  # another channel may be there
        now_there = dict.fromkeys((*left, *beside))
        if not left:
            gone.append(file)
        elif len(left) < len(inputs) or kept != joined([digests.get(one) for one in now_there]):
            again |= here.keys() & left
            not_compared |= set() if kept else here.keys() & left
    taken = indexed.files.keys() | now.values()
    new = [file for origin, file in here.items() if origin not in taken]
    named = {*indexed.called.values(), *(_named_by(one) for one in new if not _is_sound(one))}
    new = [one for one in new if not _is_sound(one) or _named_by(one) not in named]
    found = Changes(
        new=tuple(new),
        changed=tuple(here[origin] for origin in sorted(again)),
        moved=moved,
        gone=tuple(sorted(gone)),
        unchanged=len((here.keys() & taken) - again),
        not_compared=len(not_compared),
        indexed=len(indexed.inputs),
    )
    return found, digests


def _is_sound(file: Input) -> bool:
    return file.path.suffix == SUFFIX


def _named_by(file: Input) -> str:
    """The audio file of an input, by the input's name."""
    return sounding(file.origin) if _is_sound(file) else file.own_name


def _sounds(digests: Mapping[str, str]) -> dict[str, list[str]]:
    """The files of frames, ascending, by the audio file that they are the sound of."""
    found: dict[str, list[str]] = {}
    for origin in sorted(digests):
        if origin.endswith(SUFFIX):
            found.setdefault(sounding(origin), []).append(origin)
    return found


def _called(folder: Path, root: str, name_by: NameBy | None, origin: str) -> str:
    """The name that an input in a folder gives a recording, from its path as the user writes it."""
    path = folder / origin.removeprefix(root)
    return Input(path, name_of(path, name_by)).own_name


class _Indexed(NamedTuple):
    """What an index has from a folder."""

    root: str  # the folder, with a slash
    taken: Collection[str]  # names of the audio files from anywhere
    inputs: Mapping[str, Sequence[str]]  # absolute paths, ascending, by audio file
    digests: Mapping[str, str]  # of these, as the index keeps it; empty: unknown
    called: Mapping[str, str]  # the names in the inputs, by audio file
    files: Mapping[str, Sequence[str]]  # audio files, by the path of each input

    @classmethod
    def of(cls, folder: Path, stores: Sequence[Store]) -> "_Indexed":
        """What the shards of an index have."""
        root = Input(folder).origin.rstrip("/") + "/"
        of_all = origins(stores)
        own = {
            file: sorted(inputs)
            for file, inputs in of_all.items()
            if any(origin.startswith(root) for origin in inputs)
        }
        files: dict[str, list[str]] = {}
        for file, inputs in own.items():
            for origin in inputs:
                files.setdefault(origin, []).append(file)
        _, metadata = contents(stores)
        values = {file: metadata.own_values(file) for file in own}
        kept = {file: of.get(INPUTS, "") for file, of in values.items()}
        called = {file: of.get(CALLED) or file for file, of in values.items()}
        return cls(root, of_all.keys(), own, kept, called, files)

    def is_missing(self, origin: str) -> bool:
        """Whether an input is from the folder, not behind a link, and no longer exists."""
        if not origin.startswith(self.root) or os.path.lexists(origin):
            return False
        path, depth = Path(origin), origin.removeprefix(self.root).count("/")
        return not any(folder.is_symlink() for folder in [*path.parents][:depth])


def _moved(
    indexed: _Indexed,
    here: Mapping[str, Input],
    digests: Mapping[str, str],
    called_by: Callable[[str], str],
) -> tuple[Moved, ...]:
    """Inputs that are gone, each with a new file of the same content.

    Of several new files, it is the one with the input's name, else the first. A recording keeps its
    name if another has the new one.
    """
    taken = {*indexed.taken}
    free: dict[str, list[Input]] = {}
    for origin, file in here.items():
        if origin not in indexed.files:
            free.setdefault(joined([digests[origin]]), []).append(file)
    moved = []
    for before, files in sorted(indexed.files.items()):
        alone = next((file for file in files if len(indexed.inputs[file]) == 1), None)
        if before in here or not indexed.is_missing(before) or alone is None:
            continue
        if same := free.get(indexed.digests[alone]):
            name = Path(before).name
            after = next((one for one in same if one.path.name == name), same[0])
            same.remove(after)
            called, own = called_by(before), after.own_name
            is_renamed = files == [called] and own not in taken
            taken |= {own} if is_renamed else set()
            moved.append(Moved(before, after, called, (called, own) if is_renamed else None))
    return tuple(moved)


def input_digest(path: Path) -> str:
    """The digest of an input file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from error


def joined(digests: Sequence[str | None]) -> str:
    """One digest of several inputs, in the order of their paths; empty if one is unknown."""
    if None in digests:
        return ""
    return hashlib.sha256(" ".join(map(str, digests)).encode()).hexdigest()[:32]


def note_digests(stores: Sequence[Store], digests: Mapping[str, str], files: Iterable[str]) -> None:
    """Write the digests of audio files' inputs and sound to stores that are open for writing.

    Args:
        digests: the digests of inputs, by absolute path.
        files: audio files that were read from these inputs.
    """
    inputs, wanted, sounds = origins(stores), set(files), _sounds(digests)
    for store in stores:
        before, rows = store.metadata(), {}
        for file in audio_files(store) & wanted:
            values = before.values(file)
            beside = sounds.get(values.get(CALLED) or file, ())
            read = dict.fromkeys((*sorted(inputs[file]), *beside))
            digest = joined([digests.get(origin) for origin in read])
            if digest and values.get(INPUTS) != digest:
                rows[file] = {**values, INPUTS: digest}
        normalisation = store.normalisation()
        if rows and normalisation is not None:
            store.commit(normalisation=normalisation, metadata=of_rows(rows))


def move(
    stores: Sequence[Store], moved: Sequence[Moved], before_commit: Callable[[str, str], None]
) -> None:
    """Write the new places of inputs; recordings named after their files are renamed.

    The places are written last, so an interrupted run can be repeated.

    Args:
        stores: that are being written to.
        before_commit: called with both names of each renamed recording.
    """
    for one in moved:
        if one.renamed:
            rename(*one.renamed, stores, before_commit)
    for store in stores:
        _call_as_files(store, {one.before: one for one in moved})
    relink(stores, {one.before: one.after.origin for one in moved})


def _call_as_files(store: Store, moved: Mapping[str, Moved]) -> None:
    """Store the new name that moved inputs give a recording, which keeps its given name."""
    metadata, rows = store.metadata(), {}
    for file, inputs in origins([store]).items():
        before = min(inputs, default="")
        values = metadata.values(file)
        if len(inputs) == 1 and before in moved:
            after = moved[before].after.own_name
            if values.get(CALLED, file) == moved[before].called:
                values = {**values, CALLED: after if after != file else ""}
                rows[file] = values
    normalisation = store.normalisation()
    if rows and normalisation is not None:
        store.commit(normalisation=normalisation, metadata=of_rows(rows))
