"""Input files: which ones, the names of their recordings, how they are read.

InputOptions     the user's options -> `ReaderOptions`, what each reader takes
input_files      files and folders -> `Inputs`, each with the name of its recording
utterances_in    a file of any format -> its utterances
read_input       the same for a file that may be something else
"""

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from indexer.formats.detect import foreign, parse_file
from indexer.formats.readers.ctm import timed_words
from indexer.formats.readers.sausage import read_times
from indexer.formats.shared.reader import (
    DEFAULT,
    Names,
    ReaderOptions,
    SpeakerNames,
    WordOn,
    is_sidecar,
    read_segments,
    read_symbols,
)
from indexer.formats.shared.recordings import recording_of, require_name
from indexer.formats.shared.tiers import Tiers
from indexer.lattices.lattice import Lattice, LatticeMethod
from indexer.lattices.to_network import to_utterances
from indexer.networks.chunks import moved_back, placed, read_chunks, read_offsets
from indexer.networks.nonwords import Nonwords
from indexer.networks.turns import turns_of
from indexer.networks.utterances import Utterances
from std.errors import NOT_THERE, STANDARD_STREAM, InputError, Unquoted, require_choice
from std.files import AnyPath, is_nameless, read, refuse_folder
from std.nist.rttm import parse_turns
from std.numbers import counted, example
from std.repairs import CLOCK_GOES_BACK, Repairs
from std.sound.files import SUFFIX

NameBy = Literal["stem", "path", "content"]
NAMES_BY: dict[NameBy | None, Names] = {
    None: "any",
    "content": "content",
    "stem": "file",
    "path": "file",
}


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Options of `indexer.index_files` about its inputs; the defaults suit most recognisers."""

    input_format: str = "auto"  # detect the format of each file; or the name of a format
    name_by: NameBy | None = None  # what names recordings; None: the content, else the stem
    segments: AnyPath | None = None  # places of utterances: Kaldi's segments, or utts.tsv
    words: AnyPath | None = None  # Kaldi's words.txt
    times: AnyPath | None = None  # slot times of Kaldi sausages
    one_best: AnyPath | None = None  # a CTM whose times meshes without times get
    frame_shift_s: float = 0.01  # 0.03 for chain models
    acoustic_scale: float | None = None  # of lattices; None: the file's
    lm_scale: float | None = None
    word_on: WordOn = "auto"  # the place of words in HTK lattices
    lattice_method: LatticeMethod = "mbr"
    keep_nonwords: bool = False  # index noises as if they were words
    speaker_names: SpeakerNames = "auto"  # before what captions say: speakers, or words
    speakers: AnyPath | None = None  # a diarisation: turns of speakers in RTTM
    chunks: AnyPath | float | None = None  # a clock that restarts: file of starts, or length in s
    clock_offset: AnyPath | float | None = None  # of words against their sound: file, or seconds
    tiers: tuple[str, ...] = ()  # of ELAN's and Praat's files: names, * stands for any letters
    encoding: str | None = None  # of texts that are not in UTF-8 and do not name their encoding
    sound: AnyPath | None = None  # a folder with files of frames (NAME.sound); None: beside inputs
    learn_phones: bool = True  # recognise phones in the sound of recordings that have it
    strict: bool = False  # refuse a file with an impossible value, instead of repairing it

    def load(self) -> ReaderOptions:
        """Read the files; the result is what each reader takes.

        Raises:
            InputError: a file is invalid.
        """
        segments, words, times, one_best, speakers, sound = (
            Path(one) if one else None
            for one in (
                *(self.segments, self.words, self.times),
                *(self.one_best, self.speakers, self.sound),
            )
        )
        require_choice("name_by", self.name_by, NAMES_BY)
        return ReaderOptions(
            segments=read_segments(segments) if segments else None,
            symbols=read_symbols(words) if words else None,
            encoding=self.encoding,
            frame_s=self.frame_shift_s,
            word_on=self.word_on,
            acoustic_scale=self.acoustic_scale,
            lm_scale=self.lm_scale,
            lattice_method=self.lattice_method,
            names=NAMES_BY[self.name_by],
            nonwords=Nonwords(self.keep_nonwords),
            speaker_names=self.speaker_names,
            turns=turns_of(read(parse_turns, speakers)) if speakers else None,
            chunks=None if self.chunks is None else read_chunks(self.chunks),
            offsets=None if self.clock_offset is None else read_offsets(self.clock_offset),
            tiers=Tiers(self.tiers),
            sound_folders=(sound,) if sound else (),
            repairs=Repairs(strict=self.strict),
            one_best=read(timed_words, one_best) if one_best else None,
            times=times,
            slot_times=read_times(times, self.frame_shift_s) if times else None,
        )


@dataclass(frozen=True, slots=True)
class Input:
    """A file to index."""

    path: Path
    name: str | None = None  # of its recording, if it is not the file's stem
    in_folder: bool = False  # found in a folder: it may be no recogniser output

    @property
    def origin(self) -> str:
        """The absolute path, as an index records it; ``-`` for standard input."""
        if is_nameless(self.path):
            return str(STANDARD_STREAM)
        return os.fsencode(os.path.normpath(self.path.absolute())).decode(errors="backslashreplace")

    @property
    def own_name(self) -> str:
        """The name of its recording if the content has none."""
        return recording_of(self.path, self.name).file


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files to index, in order, and what else is in the folders, which is not read."""

    files: tuple[Input, ...]
    hidden: tuple[Path, ...] = ()  # files
    sounds: tuple[Input, ...] = ()  # files of frames
    links: tuple[Path, ...] = ()  # to folders that are not inputs themselves

    def warnings(self) -> list[str]:
        """A line about links that are not followed; empty without any."""
        if not self.links:
            return []
        folders = counted(len(self.links), "linked folder")
        return [f"{folders} not followed: {example(self.links)}; name it, too, to read it"]


def input_files(
    given: Sequence[Path], name_by: NameBy | None = None, stores: Sequence[str] = ()
) -> Inputs:
    """The files named, and all files in the folders named, each once.

    Files beside Kaldi's output (``words.txt``, ...) and an index in such a folder are no inputs.

    Args:
        given: files and folders; ``-`` is standard input.
        stores: the indexes that are written to.

    Raises:
        InputError: there is no such file or folder, a folder has no files or cannot be read.
    """
    indexes = {os.path.realpath(url) for url in stores}
    files: dict[str, Input] = {}
    hidden: list[Path] = []
    links: list[Path] = []
    for one in given:
        if one == STANDARD_STREAM:
            files[str(one)] = Input(one)
        elif one.is_dir():
            here = sorted(_files_in(one, indexes))
            inside = [path for path in here if path.is_file()]
            linked = [path for path in here if path.is_dir()]
            links += [path for path in linked if not _is_hidden(path.relative_to(one))]
            seen = [path for path in inside if not _is_hidden(path.relative_to(one))]
            hidden += [path for path in inside if _is_hidden(path.relative_to(one))]
            found = [path for path in seen if not is_sidecar(path)]
            if not found:
                got = Unquoted("one with links to folders only" if linked else "an empty folder")
                raise InputError(one, 0, "a folder with recogniser output", got)
            for path in found:
                entry = Input(path, name_of(path, name_by), in_folder=True)
                files.setdefault(entry.origin, entry)
        elif one.exists():
            entry = Input(one, name_of(one, name_by))
            files[entry.origin] = entry
        else:
            raise InputError(one, 0, "a file or a folder", NOT_THERE)
    words = tuple(one for one in files.values() if one.path.suffix != SUFFIX)
    sounds = tuple(one for one in files.values() if one.path.suffix == SUFFIX)
    named = {os.path.realpath(one) for one in given} if links else set[str]()
    links = [path for path in links if os.path.realpath(path) not in named]
    return Inputs(words, tuple(hidden), sounds, tuple(links))


def _files_in(folder: Path, left_out: Collection[str]) -> Iterator[Path]:
    """All files in a folder and in those below, except some folders; links to folders, too."""
    for name, folders, files in os.walk(folder, onerror=refuse_folder):
        folders[:] = [one for one in folders if os.path.realpath(Path(name, one)) not in left_out]
        yield from (Path(name, one) for one in files)
        yield from (path for one in folders if (path := Path(name, one)).is_symlink())


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def name_of(path: Path, name_by: NameBy | None) -> str | None:
    """The recording's name from its path as the user wrote it, if paths name recordings.

    Names hold no slashes, because other tools would treat the part before one as a folder.
    """
    if name_by != "path":
        return None
    folders = [part for part in path.parent.parts if part not in ("..", path.anchor)]
    return "_".join([*folders, recording_of(path).file])


def utterances_in(
    path: Path, input_format: str = "auto", options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the utterances of a file in order, some at a time.

    Args:
        path: the file, possibly gzip.
        input_format: a name of `indexer.formats.registry.all_readers`, or "auto".
        options: what the file lacks, and how lattices become networks.

    Raises:
        InputError: its format is unknown, or a value in it is invalid.
    """
    read = _utterances(path, input_format, options)
    if options.chunks is not None:
        read = placed(read, options.chunks, path)
    yield from read if options.offsets is None else moved_back(read, options.offsets)
    if options.chunks is not None:
        options.repairs.found.pop(CLOCK_GOES_BACK, None)  # expected of parts that count from 0


def _utterances(path: Path, input_format: str, options: ReaderOptions) -> Iterator[Utterances]:
    for block in parse_file(path, input_format, options):
        if isinstance(block, Lattice):
            require_name(block.recording, path)
            yield to_utterances(block, options.lattice_method, path=path, nonwords=options.nonwords)
        else:
            for recording in dict.fromkeys(block.recordings):
                require_name(recording, path)
            yield block


def read_input(file: Input, input_format: str, options: ReaderOptions) -> list[Utterances] | None:
    """The utterances of an input; None of a folder's file that is something else.

    Raises:
        InputError: it cannot be read.
    """
    own = replace(options, file=file.name or options.file)
    try:
        return list(utterances_in(file.path, input_format, own))
    except InputError as error:
        other = foreign(file.path, error, input_format, options)
        if other and file.in_folder:
            return None
        raise (other or error) from error
