"""Options for reading recogniser output: the user's settings, and files that readers need."""

from dataclasses import dataclass
from pathlib import Path

from indexer.formats.readers.ctm import timed_words
from indexer.formats.readers.sausage import read_times
from indexer.formats.shared.reader_options import Names, ReaderOptions, SpeakerNames, WordOn, load
from indexer.formats.shared.tiers import Tiers
from indexer.inputs import NameBy
from indexer.lattices.lattice import LatticeMethod
from indexer.networks.chunks import read_chunks
from indexer.networks.nonwords import Nonwords
from indexer.networks.turns import turns_of
from std.files import read
from std.nist.rttm import parse_turns
from std.repairs import Repairs

NAMES: dict[NameBy | None, Names] = {
    None: "any",
    "content": "content",
    "stem": "file",
    "path": "file",
}


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Options of `indexer.index_files` about its inputs; the defaults suit most recognisers."""

    input_format: str = "auto"  # which looks into files, or the name of a format
    name_by: NameBy | None = None  # what names recordings; None: the content, else the stem
    segments: Path | None = None  # where utterances lie: Kaldi's segments, or utts.tsv
    words: Path | None = None  # Kaldi's words.txt
    times: Path | None = None  # slot times of Kaldi sausages
    one_best: Path | None = None  # a CTM whose times meshes without times get
    frame_shift_s: float = 0.01  # 0.03 for chain models
    acoustic_scale: float | None = None  # of lattices; None: the file's
    lm_scale: float | None = None
    word_on: WordOn = "auto"  # where the words of HTK lattices stand
    lattice_method: LatticeMethod = "mbr"
    keep_nonwords: bool = False  # index noises as if they were words
    speaker_names: SpeakerNames = "auto"  # before what captions say: speakers, or words
    speakers: Path | None = None  # a diarisation: turns of speakers in RTTM
    chunks: Path | float | None = None  # a clock that restarts: a file of starts, or a length in s
    tiers: tuple[str, ...] = ()  # of ELAN's and Praat's files: names, * stands for any letters

    encoding: str | None = None  # of texts that are not in UTF-8 and do not say in what
    sound: Path | None = None  # a folder with files of frames (NAME.sound); None: beside inputs
    learn_phones: bool = True  # recognise phones in the sound of recordings, where they have it
    strict: bool = False  # refuse a file with a value that cannot be, instead of mending it

    def load(self) -> ReaderOptions:
        """Read the files; the result is what each reader takes.

        Raises:
            InputError: a file is invalid.
        """
        options = ReaderOptions(
            encoding=self.encoding,
            frame_s=self.frame_shift_s,
            word_on=self.word_on,
            acoustic_scale=self.acoustic_scale,
            lm_scale=self.lm_scale,
            lattice_method=self.lattice_method,
            names=NAMES[self.name_by],
            nonwords=Nonwords(self.keep_nonwords),
            speaker_names=self.speaker_names,
            turns=turns_of(read(parse_turns, self.speakers)) if self.speakers else None,
            chunks=None if self.chunks is None else read_chunks(self.chunks),
            tiers=Tiers(self.tiers),
            sound=self.sound,
            repairs=Repairs(strict=self.strict),
            one_best=read(timed_words, self.one_best) if self.one_best else None,
            times=self.times,
            slot_times=read_times(self.times, self.frame_shift_s) if self.times else None,
        )
        return load(options, segments=self.segments, symbols=self.words)
