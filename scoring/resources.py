"""Computational resources: speed factors, peak memory, and the processing load that combines them.

    ISF = CPU time of recognition and indexing / duration of the audio              (no unit)
    SSF = CPU time of the search / (duration of the queries * duration of the audio) (per second)
    PL  = lambda * ISF * PMU_indexing + (1 - lambda) * SSF * PMU_searching

CPU time is that of all processes, "as if it was computed on a single CPU", without the time of
compiling kernels, which happens once on a machine. PMU is the peak memory in GB of the largest step
of a phase. SSF is stated per second. The duration of spoken queries is that of all their examples
(equation 47), and the CPU time of their recognition is part of the search; a written query has no
duration and counts as one second. If a file of spoken queries has no durations, query_seconds is
null, and SSF is unknown.

Each run of a command left one file (``--json``):

    std-recognise    audio_seconds, cpu_seconds, compile_seconds, peak_memory_gb
    std-index        speech_seconds, and the same three
    std-search       searched_seconds, query_seconds, query_cpu_seconds, and the same three

For several runs of a command, CPU times and durations are added. The duration of the audio is
that of the recognised or of the indexed speech, whichever is longer.

Source: MediaEval 2013 SWS performance measures, section 4.3, equations 46-48. (The example there,
48 h / (0.25 h * 300 h) = 0.8 per hour, is a slip: the formula gives 0.64.)
"""

from collections.abc import Iterable, Sequence
from math import isnan, nan
from typing import NamedTuple

from std.files import AnyPath, paths_of
from std.json_fields import Part, read_json
from std.numbers import counted
from std.ranges import Range

LAMBDA = 0.1  # the weight of indexing that the source suggests
FIGURE = Range(0, 1_000_000_000_000)  # any of them
UNRECOGNISED = 0.99  # a smaller share of the indexed speech is worth a remark
# The key that tells the files apart: the duration that a command worked on.
WORKED_ON = {
    "std-recognise": "audio_seconds",
    "std-index": "speech_seconds",
    "std-search": "searched_seconds",
}


class Resources(NamedTuple):
    """Costs of both phases; None if no run states one."""

    isf: float | None
    ssf_per_second: float | None
    indexing_peak_memory_gb: float | None
    searching_peak_memory_gb: float | None
    included: tuple[str, ...] = ()  # the runs that were added up, a line for each command

    def processing_load(self) -> float | None:
        """PL, equation 48; None if a figure of it is not known.

        >>> round(Resources(0.7467, 0.64, 2.0, 4.0).processing_load(), 6)
        2.45334
        """
        if self.isf is None or self.indexing_peak_memory_gb is None:
            return None
        if self.ssf_per_second is None or self.searching_peak_memory_gb is None:
            return None
        indexing = self.isf * self.indexing_peak_memory_gb
        searching = self.ssf_per_second * self.searching_peak_memory_gb
        return LAMBDA * indexing + (1 - LAMBDA) * searching


class _Run(NamedTuple):
    """The cost of one run of a command, and the durations that it processed."""

    command: str
    audio_s: float
    cpu_s: float
    compile_s: float
    peak_memory_gb: float
    query_s: float = 0.0  # NaN: not known
    query_cpu_s: float = 0.0


def read_resources(*paths: AnyPath) -> Resources:
    """Read the output of ``std-recognise``, ``std-index`` and ``std-search`` with ``--json``.

    Args:
        paths: the paths of the JSON files; runs of one command add up.

    Raises:
        InputError: a file is not such a document, or a figure is missing.
    """
    runs = [_run(read_json(path)) for path in paths_of(paths)]
    of = {command: [run for run in runs if run.command == command] for command in WORKED_ON}
    before, searches = [*of["std-recognise"], *of["std-index"]], of["std-search"]
    audio_s = max(_sum(run.audio_s for run in of[name]) for name in ("std-recognise", "std-index"))
    searched = _sum(run.query_s * run.audio_s for run in searches)
    searching_s = _sum(run.cpu_s + run.query_cpu_s for run in searches)
    return Resources(
        isf=_sum(run.cpu_s for run in before) / audio_s if audio_s else None,
        ssf_per_second=searching_s / searched if searched > 0 else None,  # nor of NaN
        indexing_peak_memory_gb=max((run.peak_memory_gb for run in before), default=None),
        searching_peak_memory_gb=max((run.peak_memory_gb for run in searches), default=None),
        included=tuple(_included(of["std-recognise"], of["std-index"], searches)),
    )


def _run(document: Part) -> _Run:
    """The figures of a document.

    Raises:
        InputError: it is the output of none of the three commands.
    """
    command = next((name for name, key in WORKED_ON.items() if document.has(key)), "")
    if not command:
        raise document.error(
            f"JSON of {', '.join(WORKED_ON)} with {' or '.join(WORKED_ON.values())}"
        )
    keys = (WORKED_ON[command], "cpu_seconds", "compile_seconds", "peak_memory_gb")
    figures = [document[key].within(FIGURE) for key in keys]
    if command == "std-search":
        is_unknown = document.value.get("query_seconds", 0) is None
        figures += [nan if is_unknown else document["query_seconds"].within(FIGURE)]
        figures += [document["query_cpu_seconds"].within(FIGURE)]
    return _Run(command, *figures)


def _included(
    recognised: Sequence[_Run], indexed: Sequence[_Run], searches: Sequence[_Run]
) -> Iterable[str]:
    """The runs that were added up, in words, and those that were not."""
    for runs, what in ((recognised, "audio"), (indexed, "speech")):
        if runs:
            audio_s = _sum(run.audio_s for run in runs)
            yield f"{_times(runs)}: {_cpu(runs)} for {audio_s:.0f} s of {what}"
    if indexed and not recognised:
        yield "recognition is not included: no JSON of std-recognise"
    elif _sum(r.audio_s for r in recognised) < UNRECOGNISED * _sum(r.audio_s for r in indexed):
        yield "the recognition of some of the speech is not included: less audio than speech"
    if searches:
        spoken_s = _sum(run.query_cpu_s for run in searches)
        spoken = f", with {spoken_s:.2f} s of recognising queries" if spoken_s else ""
        yield f"{_times(searches)}: {_cpu(searches)}{spoken} for {_searched(searches)}"


def _searched(searches: Sequence[_Run]) -> str:
    if any(isnan(run.query_s) for run in searches):
        return "spoken queries whose durations are not known: std-index --queries-to writes them"
    queries_s, audio_s = ({run.query_s for run in searches}, {run.audio_s for run in searches})
    if len(queries_s) == len(audio_s) == 1:
        return f"{queries_s.pop():.0f} s of queries in {audio_s.pop():.0f} s of speech"
    return f"{_sum(run.query_s * run.audio_s for run in searches):.4g} s2 of queries times speech"


def _times(runs: Sequence[_Run]) -> str:
    return f"{runs[0].command}, {counted(len(runs), 'run')}"


def _cpu(runs: Sequence[_Run]) -> str:
    compile_s = _sum(run.compile_s for run in runs)
    compiling = f" (without {compile_s:.2f} s for compiling)" if compile_s else ""
    return f"{_sum(run.cpu_s + run.query_cpu_s for run in runs):.2f} s CPU{compiling}"


def _sum(values: Iterable[float]) -> float:
    return sum(values, 0.0)
