"""Query by example with frames of Whisper's encoder, with MFCC, and with posteriors of Gaussians.

    python -m benchmarks.other_frames DATA SOUND [--set dutch german english] [--frames KIND ...]

Queries, figures of places, weights learned from the other sets, decisions and measures are those
of `benchmarks.query_by_example`. SOUND has exact frames (``std-recognise --sound-only --sound
exact``), DATA also the audio. Kinds of frames, and their distance:

    signs       std: 256 signs of Whisper's frames, of which a share differs; a rough scan first
    exact       Whisper's frames: their angle
    mfcc        13 cepstral coefficients and their first and second differences, 100 frames a
                second, with mean 0 and deviation 1 in each recording: their angle
    gaussians   posteriors of the 100 components of a Gaussian mixture, which is fitted to the
                ``mfcc`` of the set without any labels: -log of their inner product

All kinds but ``signs`` are aligned with the whole archive, with the steps of
`searcher.examples.kernels`. Distances are scaled: their median is .5, as that of signs. Settings
of the last two kinds are the best of those tried on Dutch (docs/sound.md).

Sources: Davis and Mermelstein, "Comparison of parametric representations for monosyllabic word
recognition" (1980); Zhang and Glass, "Unsupervised spoken keyword spotting via segmental DTW on
Gaussian posteriorgrams" (ASRU 2009).
"""

import argparse
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.fft import dct
from scipy.ndimage import correlate1d
from sklearn.mixture import GaussianMixture

from benchmarks import query_by_example as by_example
from recogniser.audio import decode
from recogniser.protocol import SAMPLES_PER_S
from searcher.examples import find
from searcher.examples.example import Example, SoundArchive
from searcher.examples.places import FAR, LOOKED_AT, _distinct
from searcher.results.candidates import Spans
from std.execution.compiled import compiled
from std.sound.columns import FRAME_MS, frames
from std.sound.files import read_sound
from std.sound.usual import NEAREST, SAMPLE
from std.values import Bools, Float32s, Float64s, Recording

KINDS = ("signs", "exact", "mfcc", "gaussians")
STEP, WIDTH, SPECTRUM = 160, 400, 512  # samples
EMPHASIS, FILTERS, COEFFICIENTS = 0.97, 40, 13
COMPONENTS, FITTED, SMOOTHED = 100, 10_000, 0.01
BETWEEN = 2  # frames behind each recording, which no path crosses
START = (-4.0, 0.4, 0.0)  # of the weights

Distance = Callable[[Float32s, Float32s], Float32s]  # (m, d), (n, d) -> (m, n)
Framed = Mapping[Recording, Float32s]


def angles(some: Float32s, others: Float32s) -> Float32s:
    """(m, n) the angles between frames of length 1."""
    return np.arccos(np.clip(some @ others.T, -1, 1))


def surprise(some: Float32s, others: Float32s) -> Float32s:
    """(m, n) -log of the inner products of probabilities."""
    return -np.log(np.maximum(some @ others.T, np.float32(1e-30)))


def units(rows: Float32s) -> Float32s:
    """(n, d) frames of length 1."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


def cepstra(path: Path) -> Float32s:
    """(n, 39) the MFCC of a recording."""
    samples = np.concatenate(list(decode(path)))
    samples = np.append(samples[:1], samples[1:] - EMPHASIS * samples[:-1])
    windows = sliding_window_view(np.pad(samples, (WIDTH - STEP) // 2), WIDTH)[::STEP]
    power = np.abs(np.fft.rfft(windows * np.hamming(WIDTH), SPECTRUM)) ** 2
    mel = np.linspace(0, np.log10(1 + SAMPLES_PER_S / 2 / 700), FILTERS + 2)
    low, middle, high = sliding_window_view(700 * (10**mel - 1), 3).T[:, :, None]
    hertz = np.fft.rfftfreq(SPECTRUM, 1 / SAMPLES_PER_S)
    slopes = np.minimum((hertz - low) / (middle - low), (high - hertz) / (high - middle))
    energies = power @ np.maximum(slopes, 0).T
    each = [dct(np.log(np.maximum(energies, 1e-9 * energies.max())))[:, :COEFFICIENTS]]
    for _ in range(2):
        each.append(correlate1d(each[-1], np.arange(-2, 3), axis=0, mode="nearest"))
    found = np.concatenate(each, axis=1)
    normal: Float32s = ((found - found.mean(axis=0)) / found.std(axis=0)).astype(np.float32)
    return normal


def posteriors(each: Framed) -> Framed:
    """Of each frame the posteriors of a mixture that is fitted to all of them."""
    every = np.concatenate(list(each.values()))
    mixture = GaussianMixture(COMPONENTS, covariance_type="diag", reg_covar=1e-3, random_state=1)
    mixture.fit(every[:: max(1, len(every) // FITTED)])
    smooth = SMOOTHED / COMPONENTS
    found = {one: mixture.predict_proba(rows) for one, rows in each.items()}
    return {
        one: ((1 - SMOOTHED) * p + smooth).astype(np.float32, copy=False)
        for one, p in found.items()
    }


@compiled
def paths(costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) costs of the cheapest paths that end at each frame, and where these begin.

    Args:
        costs: (m, n) of matching each frame of an example with each of an archive.
    """
    total, begins = costs[0].copy(), np.arange(costs.shape[1])
    for i in range(1, len(costs)):
        for t in range(len(total) - 1, -1, -1):
            best = t
            if t > 0 and total[t - 1] <= total[t]:
                best = t - 1
            if t > 1 and total[t - 2] < total[best]:
                best = t - 2
            total[t], begins[t] = total[best] + costs[i, t], begins[best]
    return total, begins


class ArchiveFrames:
    """The frames of a set, in place of the signs of its index."""

    def __init__(self, each: Framed, step_ms: int, distance: Distance) -> None:
        """Lay them out, and measure the distances that are usual."""
        self.row = {one: row for row, one in enumerate(each)}
        self.recordings, self.step_ms = tuple(each), step_ms
        ends = np.cumsum([len(rows) + BETWEEN for rows in each.values()])
        self.first = np.concatenate([[0], ends[:-1]])
        gap = ((0, BETWEEN), (0, 0))
        self.rows = np.concatenate([np.pad(rows, gap) for rows in each.values()])
        self.between = (ends[:, None] - 1 - np.arange(BETWEEN)).ravel()
        sample = self.rows[np.linspace(0, len(self.rows) - BETWEEN - 1, SAMPLE).astype(np.int64)]
        unit = 0.5 / np.median(distance(sample, sample))
        self.distance = lambda some, others: distance(some, others) * np.float32(unit)
        parts = np.array_split(self.rows, 1 + len(self.rows) // 10_000)
        near = [np.partition(self.distance(one, sample), NEAREST)[:, NEAREST] for one in parts]
        self.usual = np.concatenate([[0.0], np.cumsum(np.concatenate(near), dtype=np.float64)])
        self.best = cache(self._best)  # places are found for the weights, and again for measures

    def _best(self, recording: Recording, begin_ms: float, end_ms: float) -> tuple[Spans, Float64s]:
        """The best place of each half length of an example; their recordings are rows of these."""
        first = self.first[self.row[recording]]
        begin, end = int(begin_ms // self.step_ms), int(-(-end_ms // self.step_ms))
        costs = self.distance(self.rows[first + begin : first + end], self.rows)
        costs[:, self.between] = FAR
        total, begins = paths(costs)
        cell = len(costs) // 2
        cells = total[: len(total) // cell * cell].reshape(-1, cell)
        ends = np.arange(len(cells)) * cell + cells.argmin(axis=1)
        ends = ends[np.argsort(total[ends], kind="stable")[:LOOKED_AT]]
        row = np.searchsorted(self.first, ends, "right") - 1
        spans = [(at - self.first[row]) * self.step_ms for at in (begins[ends], ends + 1)]
        return Spans(row, *spans), total[ends].astype(np.float64) / len(costs)

    def best_places(
        self, examples: Sequence[Example], archive: SoundArchive, _: Any = None,
        inside: Callable[[Spans], Bools] | None = None, *more: Any,
    ) -> list[tuple[Spans, Float64s]]:  # fmt: skip
        """As `searcher.examples.places.best_places`."""
        numbers = np.array([archive.recordings.index(one) for one in self.recordings])
        found = []
        for example in examples:
            assert example.span
            places, costs = self.best(*example.span)
            places = places._replace(recording=numbers[places.recording])
            kept = np.flatnonzero(inside(places) if inside else costs < FAR)
            found.append(_distinct(places.rows(kept), costs[kept], [example], archive))
        return found

    def usual_at(self, archive: SoundArchive, places: Spans, _: Any) -> Float64s:
        """As `searcher.examples.places.usual_at`."""
        rows = [self.row[archive.recordings[number]] for number in places.recording.tolist()]
        begins, ends = (self.first[rows] + at // self.step_ms for at in places[1:])
        mean: Float64s = (self.usual[ends] - self.usual[begins]) / np.maximum(ends - begins, 1)
        return mean


def frames_of(kind: str, sound: Path, audio: Path) -> ArchiveFrames:
    """The frames of a set."""
    if kind == "exact":
        read = [read_sound(path) for path in sorted(sound.glob("*.sound"))]
        return ArchiveFrames({one.recording: units(frames(one)) for one in read}, FRAME_MS, angles)
    step_ms = STEP * 1000 // SAMPLES_PER_S
    each = {Recording(path.stem, 1): cepstra(path) for path in sorted(audio.glob("*.ogg"))}
    if kind == "gaussians":
        return ArchiveFrames(posteriors(each), step_ms, surprise)
    return ArchiveFrames({one: units(rows) for one, rows in each.items()}, step_ms, angles)


def measure(kind: str, sets: Mapping[str, by_example.Asked], args: argparse.Namespace) -> None:
    """Print a line for each set."""
    figures, patches = {}, {}
    for name, one in sets.items():
        patches[name] = {}
        if kind != "signs":
            audio = next(x / "audio" for x in one.path.parents if (x / "audio").is_dir())
            there = frames_of(kind, args.sound / name, audio)
            patches[name] = {"best_places": there.best_places, "usual_at": there.usual_at}
        with mock.patch.dict(vars(by_example), patches[name]):
            figures[name] = by_example.labelled(one.searched, one.queries)
    for name in args.set:
        others = [of_set for other, of_set in figures.items() if other != name]
        weights = zip(by_example.OF_SOUND, by_example.learned(others, START), strict=True)
        with mock.patch.dict(vars(find), {**patches[name], **dict(weights)}):
            by_example.measure(f"{name}, {kind}", "sound", sets[name])


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parse.add_argument("data", type=Path)
    parse.add_argument("sound", type=Path)
    parse.add_argument("--set", nargs="+", default=list(by_example.SETS), choices=by_example.SETS)
    parse.add_argument("--frames", nargs="+", default=KINDS, choices=KINDS)
    args = parse.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sets = by_example.open_sets(args.data, args.sound, Path(folder))
        by_example.print_head()
        for kind in args.frames:
            measure(kind, sets, args)


if __name__ == "__main__":
    main()
