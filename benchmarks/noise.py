"""Measure search in noise: recordings with babble, in a telephone's band, as recognisers have them.

    python -m benchmarks.noise DATA/english_whisper FOLDER --voices DATA/german/audio [--model M]

DATA has ``audio``, ``ecf.xml``, ``ref.rttm`` and ``terms.xml``. Of each recording versions are made
in which eight stretches of other speech (VOICES, where no term is said) are heard at once, so many
dB below its speech, everything from 300 to 3,400 Hz; std-recognise (Whisper, ``--model`` is its
own) writes their networks into FOLDER, which is kept. The default search with the shipped weights
is measured where everything is like that, and where a single recording is, in an archive with the
others as they were: then each recording's hits are those of the archive in which it is the noisy
one.

    hits, sum, right, ece, exact   of the hits of .1 and more, see `benchmarks.calibration`
    ATWV, MTWV                     NIST 2006
    exact match                    ATWV of configs/plain.toml
"""

import argparse
import wave
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import signal

from benchmarks.calibration import Material, kinds, rows, searched
from benchmarks.german import CONFIGS, Data, indexed
from indexer.formats.readers import jsonl
from recogniser import RecognitionOptions, recognise_files
from recogniser.audio import decode
from recogniser.protocol import SAMPLES_PER_S
from searcher.calibration.model import default_model
from searcher.results.candidates import concatenate
from searcher.results.search_result import SearchResult
from searcher.terms.request import Variant
from std.config import Config, load_config
from std.files import read
from std.nist import ecf, rttm, term_list
from std.values import ConfusionNetwork, Float64s
from tests.networks import networks_in

BABBLE_DB = (20, 15, 10, 5, 0)  # speech over babble
VOICES = 8
BAND_HZ = (300, 3400)
FRAME = 400  # samples
SEED = 1
COLUMNS = ("hits", "sum", "right", "sum/right", "ece", "exact", "ATWV", "MTWV", "exact match")

Networks = Mapping[str, list[ConfusionNetwork]]  # of each recording


def babble(voices: Sequence[Float64s], n: int, rng: np.random.Generator) -> Float64s:
    """(n,) some people who talk at once, with a mean power of 1."""
    total = np.zeros(n)
    for which in rng.choice(len(voices), VOICES):
        voice = voices[which] / np.sqrt(speech_power(voices[which]))
        total += np.resize(np.roll(voice, rng.integers(len(voice))), n)
    mixed: Float64s = total / np.sqrt(np.mean(total**2))
    return mixed


def speech_power(samples: Float64s) -> float:
    """Mean power of the louder half of the frames, which is speech."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    power = (frames**2).mean(axis=1)
    return float(power[power >= np.median(power)].mean())


def telephone(samples: Float64s) -> Float64s:
    """The same in a telephone's band."""
    band = signal.butter(4, BAND_HZ, "bandpass", fs=SAMPLES_PER_S, output="sos")
    filtered: Float64s = signal.sosfiltfilt(band, samples)
    return filtered


def sounds(folder: Path) -> dict[str, Float64s]:
    """The samples of its recordings."""
    paths = sorted(folder.iterdir())
    return {path.stem: np.concatenate([*decode(path)]).astype(np.float64) for path in paths}


def write_noisy(
    audio: Mapping[str, Float64s], voices: Sequence[Float64s], decibels: int, folder: Path
) -> None:
    """Write all recordings with babble as WAV."""
    folder.mkdir(parents=True, exist_ok=True)
    for i, (name, samples) in enumerate(audio.items()):
        level = np.sqrt(speech_power(samples) / 10 ** (decibels / 10))
        noise = babble(voices, len(samples), np.random.default_rng(SEED + i))
        noisy = telephone(samples + level * noise)
        with wave.open(str(folder / f"{name}.wav"), "wb") as sink:
            sink.setnchannels(1)
            sink.setsampwidth(2)
            sink.setframerate(SAMPLES_PER_S)
            sink.writeframes((noisy / np.abs(noisy).max() * 32000).astype("<i2").tobytes())


def recognised(audio: Path, output: Path, options: RecognitionOptions) -> Networks:
    """The networks of a folder's recordings; recognised if they are not there."""
    recognise_files(audio, output, options)
    found = {}
    for path in sorted(output.glob("*.jsonl")):
        with path.open("rb") as stream:
            found[path.stem] = list(networks_in(jsonl.parse(stream, path)))
    return found


def each_in_turn(one: Material, clean: Networks, noisy: Networks) -> SearchResult:
    """The hits of each recording from the archive in which it is the only noisy one."""
    recordings = [excerpt.recording for excerpt in one.excerpts]
    parts: list[SearchResult] = []
    variants: list[Variant] = []
    for name in noisy:
        last = searched(with_networks(one, {**clean, name: noisy[name]}), default_model())
        row = np.array([recordings.index(recording) for recording in last.recordings])
        is_noisy = np.array([recording.file == name for recording in last.recordings])
        hits = last.rows(np.flatnonzero(is_noisy[last.candidates.recording]))
        moved = hits.candidates._replace(
            recording=row[hits.candidates.recording],
            variant=hits.candidates.variant + len(variants),
        )
        parts.append(replace(hits, candidates=moved))
        variants += last.variants
    return replace(
        parts[-1],
        candidates=concatenate([part.candidates for part in parts]),
        probability=np.concatenate([part.probability for part in parts]),
        decision_score=np.concatenate([part.decision_score for part in parts]),
        variants=tuple(variants),
        recordings=tuple(recordings),
    )


def with_networks(one: Material, networks: Networks) -> Material:
    """The set with other networks."""
    content = [network for of_recording in networks.values() for network in of_recording]
    data = replace(one.data, networks=content)
    return replace(one, data=data, segment=indexed(content, one.config))


def row(title: str, one: Material, default: SearchResult, exact: SearchResult) -> str:
    """A line of the table."""
    ours, plain = (next(rows(one, result, kinds(result))) for result in (default, exact))
    cells = ours.cells("ATWV", "MTWV").removeprefix("all | ")
    return f"| {title} | {cells} | {plain.measures['ATWV']:.3f} |"


def main() -> None:
    """Recognise what is not recognised yet, and print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("folder", type=Path)
    parse.add_argument("--voices", type=Path, required=True, help="folder of other speech")
    parse.add_argument("--model", default="", help="of Whisper, as for std-recognise")
    args = parse.parse_args()
    options = RecognitionOptions(model=args.model, language="en")
    audio, voices = sounds(args.data / "audio"), [*sounds(args.voices).values()]
    config = Config()
    config = replace(config, pronunciation=replace(config.pronunciation, language="en"))
    plain = replace(load_config(CONFIGS / "plain.toml"), pronunciation=config.pronunciation)
    clean = recognised(args.data / "audio", args.folder / "networks" / "clean", options)
    data = Data(
        args.data,
        [],
        read(ecf.parse, args.data / "ecf.xml"),
        read(rttm.parse, args.data / "ref.rttm"),
        read(term_list.parse, args.data / "terms.xml"),
    )
    one = with_networks(Material("noise", "en", data, config, indexed([], config)), clean)
    exact = replace(one, config=plain)
    columns = ("babble", *COLUMNS)
    print(f"| {' | '.join(columns)} |\n|{len(columns) * '---|'}")
    print(row("none", one, *(searched(way, default_model()) for way in (one, exact))), flush=True)
    for decibels in BABBLE_DB:
        sound = args.folder / "audio" / str(decibels)
        write_noisy(audio, voices, decibels, sound)
        noisy = recognised(sound, args.folder / "networks" / str(decibels), options)
        everywhere = (searched(with_networks(way, noisy), default_model()) for way in (one, exact))
        print(row(f"{decibels} dB, everywhere", one, *everywhere), flush=True)
        in_turn = (each_in_turn(way, clean, noisy) for way in (one, exact))
        print(row(f"{decibels} dB, one in turn", one, *in_turn), flush=True)


if __name__ == "__main__":
    main()
