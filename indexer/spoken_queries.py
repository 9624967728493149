"""Recogniser output of spoken queries -> `SpokenQueries`, which search accepts instead of terms.

    read_spoken_queries    all steps
    likeliest_sequences    networks of a recording -> likeliest word sequences
    mixture                the sequences of several examples -> those of their query

`indexer.query_examples` says which recordings are examples of which query. The posterior of a path
is the product of the posteriors of its words and epsilons, because slots are independent in a
confusion network (Mangu, Brill and Stolcke 2000, "Finding consensus in speech recognition"). Paths
with the same words are one sequence; their posteriors are added up.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path

from indexer.inputs import Input, InputOptions, input_files, read_input
from indexer.query_examples import QueryExample, by_name, read_examples
from std.errors import InputError, Unquoted
from std.files import AnyPath, paths_of, read
from std.json_fields import read_json
from std.nist.ecf import parse as parse_ecf
from std.spoken_queries import (
    COST,
    QueryStretch,
    RecognitionCost,
    SpokenQueries,
    SpokenQuery,
    WeightedWords,
)
from std.values import ECF, ConfusionNetwork, Slot

MAX_SEQUENCES = 50  # of a query
DIGITS = 9  # of a weight
BEAM = 200  # sequences kept from slot to slot
MIN_SLOT_MASS = 1e-6  # of a slot without word and epsilon: skipping it is nearly impossible
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueryReport:
    """What was read of spoken queries."""

    spoken: SpokenQueries
    skipped: tuple[Path, ...]  # files in folders that are no recogniser output
    unused: tuple[str, ...]  # recordings that are no example of a query

    @property
    def wordless(self) -> tuple[str, ...]:
        """Queries in which no word was recognised; they find nothing."""
        return tuple(one.query_id for one in self.spoken.queries if not one.alternatives)


def read_spoken_queries(
    inputs: AnyPath | Sequence[AnyPath],
    *,
    examples: Sequence[QueryExample] | AnyPath | None = None,
    language: str = "",
    ecf: AnyPath | None = None,
    recognition: Sequence[AnyPath] = (),
    options: InputOptions | None = None,
) -> QueryReport:
    """Read recogniser output of spoken queries, as ``std-index --queries-to`` does.

    Args:
        inputs: files and folders; ``-`` is standard input.
        examples: which recordings, or parts of them, are examples of which query, or their CSV
            (`indexer.query_examples`); None: by the recordings' names.
        language: the language of the queries; otherwise what the inputs say.
        ecf: the recordings' true durations; otherwise they end with their last utterance.
        recognition: the output of ``std-recognise --json`` for the queries.
        options: how inputs are read.

    Raises:
        InputError: a file cannot be read, two hold one recording, or an example's recording is in
            none of them.
    """
    options = options or InputOptions()
    files = input_files(paths_of(inputs), options.name_by).files
    if isinstance(examples, str | PathLike):
        examples = read(read_examples, Path(examples))
    experiment = read(parse_ecf, Path(ecf)) if ecf is not None else None
    cost = recognition_cost([Path(path) for path in recognition])
    report = _read(files, options, examples, language, experiment)
    return replace(report, spoken=replace(report.spoken, recognition=cost))


def recognition_cost(paths: Sequence[Path]) -> RecognitionCost | None:
    """The cost of recognising the queries, as std-recognise printed it; None if unknown.

    Raises:
        InputError: a file is something else.
    """
    costs = []
    for path in paths:
        document = read_json(path)
        if not document.has("audio_seconds"):
            raise document.error("JSON of std-recognise with audio_seconds")
        costs.append([document[key].within(COST) for key in RecognitionCost._fields])
    if not costs:
        return None
    cpu_s, memory_gb = zip(*costs, strict=True)
    return RecognitionCost(sum(cpu_s), max(memory_gb))


def _read(
    files: Sequence[Input],
    options: InputOptions,
    examples: Sequence[QueryExample] | None,
    language: str,
    experiment: ECF | None,
) -> QueryReport:
    """The content of the files; errors as `read_spoken_queries`."""
    networks: dict[str, list[ConfusionNetwork]] = {}
    source: dict[str, Path] = {}
    skipped: list[Path] = []
    reader_options = options.load()
    for file in files:
        blocks = read_input(file, options.input_format, reader_options)
        if blocks is None:
            skipped.append(file.path)
        for network in chain.from_iterable(blocks or ()):
            name = network.recording.file
            if source.setdefault(name, file.path) != file.path:
                raise InputError(
                    file.path, 0, f"recordings that {source[name]} does not hold", name
                )
            networks.setdefault(name, []).append(network)
    if not networks:
        raise InputError(
            files[0].path, 0, "recogniser output of spoken queries", Unquoted("no utterance")
        )
    wanted = by_name(sorted(networks)) if examples is None else examples
    of_query: dict[str, list[QueryExample]] = {}
    for example in wanted:
        if example.recording not in networks:
            raise InputError(
                files[0].path, 0, f"a recording for query {example.query}", example.recording
            )
        of_query.setdefault(example.query, []).append(example)
    durations_ms = _durations_ms(networks, experiment)
    queries = tuple(_query(name, own, networks, durations_ms) for name, own in of_query.items())
    used = {example.recording for example in wanted}
    told = Counter(one.language for own in networks.values() for one in own if one.language)
    said = min(told, key=lambda name: (-told[name], name), default="")
    unused = tuple(name for name in sorted(networks) if name not in used)
    return QueryReport(SpokenQueries(queries, language or said), tuple(skipped), unused)


def _durations_ms(
    networks: Mapping[str, Sequence[ConfusionNetwork]], experiment: ECF | None
) -> dict[str, float]:
    """The duration of each recording: from the ECF, else up to the end of its last utterance."""
    ends_ms: dict[str, float] = {
        name: max(network.end_ms for network in own) for name, own in networks.items()
    }
    told_ms: dict[str, float] = {}
    for excerpt in experiment.excerpts if experiment else ():
        name = excerpt.recording.file
        told_ms[name] = max(told_ms.get(name, 0.0), 1000 * excerpt.end_s)
    return ends_ms | {name: told_ms[name] for name in told_ms if name in ends_ms}


def _query(
    name: str,
    examples: Sequence[QueryExample],
    networks: Mapping[str, Sequence[ConfusionNetwork]],
    durations_ms: Mapping[str, float],
) -> SpokenQuery:
    """A query from all its examples."""
    sequences = [
        likeliest_sequences(_slots(example, networks[example.recording]), MAX_SEQUENCES)
        for example in examples
    ]
    weighted = tuple(
        WeightedWords(" ".join(words), round(weight, DIGITS))
        for words, weight in mixture(sequences, MAX_SEQUENCES)
        if round(weight, DIGITS) > 0
    )
    duration_ms = sum(example.duration_ms(durations_ms[example.recording]) for example in examples)
    names = tuple(example.name for example in examples)
    stretches = tuple(_stretch(example, networks[example.recording]) for example in examples)
    return SpokenQuery(name, names, weighted, round(duration_ms / 1000, 3), stretches)


def _stretch(example: QueryExample, networks: Sequence[ConfusionNetwork]) -> QueryStretch:
    """The stretch of an example's likeliest words; without words, of its utterances."""
    if example.start_ms is not None and example.end_ms is not None:
        spans = [(example.start_ms, example.end_ms)]
    else:
        slots = [slot for slot in _slots(example, networks) if slot.alternatives]
        best = [(slot, max(slot.alternatives, key=lambda one: one.posterior)) for slot in slots]
        spans = [(one.start_ms, one.end_ms) for slot, one in best if one.posterior > slot.epsilon]
        spans = spans or [(network.start_ms, network.end_ms) for network in networks]
    starts_ms, ends_ms = zip(*spans, strict=True)
    return QueryStretch(example.recording, min(starts_ms) / 1000, max(ends_ms) / 1000)


def _slots(example: QueryExample, networks: Iterable[ConfusionNetwork]) -> list[Slot]:
    """The slots of an example, in time order."""
    ordered = sorted(networks, key=lambda network: network.start_ms)
    if example.start_ms is None or example.end_ms is None:
        return [slot for network in ordered for slot in network]
    start_ms, end_ms = example.start_ms, example.end_ms
    return [
        slot
        for network in ordered
        if network.start_ms < end_ms and start_ms < network.end_ms
        for slot in between(network, start_ms, end_ms)
    ]


def likeliest_sequences(slots: Iterable[Slot], n: int) -> Mapping[Words, float]:
    """The likeliest word sequences of some slots, the likeliest first.

    Args:
        slots: in time order. Posteriors of a slot are scaled up to make up for pruning.
        n: the number of sequences. `BEAM` are kept from slot to slot; posteriors are exact if no
            other path with the same words was dropped.

    Returns:
        words -> posterior; the empty sequence means that no word was said.
    """
    kept: dict[Words, float] = {(): 1.0}
    for slot in slots:
        choices = _choices(slot)
        longer: dict[Words, float] = {}
        for words, posterior in kept.items():
            for word, share in choices:
                sequence = (*words, word) if word else words
                longer[sequence] = longer.get(sequence, 0.0) + posterior * share
        kept = _best(longer, max(n, BEAM))
    return _best(kept, n)


def _choices(slot: Slot) -> list[tuple[str, float]]:
    """The words of a slot with their shares; "" for epsilon."""
    shares: dict[str, float] = {"": slot.epsilon} if slot.epsilon > 0 else {}
    for alternative in slot.alternatives:
        shares[alternative.word] = shares.get(alternative.word, 0.0) + alternative.posterior
    total = sum(shares.values())
    if total < MIN_SLOT_MASS:
        return [("", 1.0)]
    return [(word, share / total) for word, share in shares.items()]


def _best(sequences: Mapping[Words, float], n: int) -> dict[Words, float]:
    ordered = sorted(sequences.items(), key=lambda item: (-item[1], item[0]))
    return dict(ordered[:n])


def between(network: ConfusionNetwork, start_ms: float, end_ms: float) -> Iterator[Slot]:
    """The slots with their middle between two times, and a slot around both."""
    middle_ms = (start_ms + end_ms) / 2
    for slot in network:
        slot_middle_ms = (slot.start_ms + slot.end_ms) / 2
        if start_ms <= slot_middle_ms <= end_ms or slot.start_ms <= middle_ms <= slot.end_ms:
            yield slot


def mixture(examples: Sequence[Mapping[Words, float]], n: int) -> list[tuple[Words, float]]:
    """The word sequences of a query with several examples, all with equal weight.

    Args:
        examples: of each example, its likeliest sequences and their posteriors.

    Returns:
        sequences and weights that sum up to one, the likeliest first; without the empty sequence.
    """
    total: dict[Words, float] = {}
    for example in examples:
        for words, posterior in example.items():
            if words:
                total[words] = total.get(words, 0.0) + posterior / len(examples)
    best = _best(total, n)
    mass = sum(best.values())
    return [(words, posterior / mass) for words, posterior in best.items()]
