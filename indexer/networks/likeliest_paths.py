"""The likeliest word sequences of confusion networks, with their posteriors.

    likeliest_sequences   of one network, or of the networks of one recording in a row
    between               the slots of a network between two times

The posterior of a path is the product of those of its words and epsilons, because slots are
independent in a confusion network (Mangu, Brill and Stolcke 2000, "Finding consensus in speech
recognition"). Paths with the same words are one sequence; their posteriors are added up.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from std.values import ConfusionNetwork, Slot

BEAM = 200  # sequences kept from slot to slot
MIN_MASS = (
    1e-6  # of a slot that holds neither a word nor epsilon: skipping it is all but impossible
)

Words = tuple[str, ...]


def likeliest_sequences(slots: Iterable[Slot], n: int, beam: int = BEAM) -> Mapping[Words, float]:
    """The likeliest word sequences of some slots, the likeliest first.

    Args:
        slots: one after the other. What pruning took from a slot's posteriors is given back to
            those that are left, in proportion.
        n: how many sequences.
        beam: how many are kept from slot to slot, at least n. Their posteriors are exact if no
            others with the same words were dropped on the way.

    Returns:
        words -> posterior; the empty sequence is that no word was said.
    """
    kept: dict[Words, float] = {(): 1.0}
    for slot in slots:
        choices = _choices(slot)
        longer: dict[Words, float] = {}
        for words, posterior in kept.items():
            for word, share in choices:
                sequence = (*words, word) if word else words
                longer[sequence] = longer.get(sequence, 0.0) + posterior * share
        kept = _best(longer, max(n, beam))
    return _best(kept, n)


def _choices(slot: Slot) -> list[tuple[str, float]]:
    """The words of a slot with their shares; "" for epsilon."""
    shares: dict[str, float] = {"": slot.epsilon} if slot.epsilon > 0 else {}
    for alternative in slot.alternatives:
        shares[alternative.word] = shares.get(alternative.word, 0.0) + alternative.posterior
    total = sum(shares.values())
    if total < MIN_MASS:
        return [("", 1.0)]
    return [(word, share / total) for word, share in shares.items()]


def _best(sequences: Mapping[Words, float], n: int) -> dict[Words, float]:
    ordered = sorted(sequences.items(), key=lambda item: (-item[1], item[0]))
    return dict(ordered[:n])


def between(network: ConfusionNetwork, start_ms: float, end_ms: float) -> Iterator[Slot]:
    """The slots with their middle between two times; a slot around both counts, too."""
    middle_ms = (start_ms + end_ms) / 2
    for slot in network:
        slot_middle_ms = (slot.start_ms + slot.end_ms) / 2
        if start_ms <= slot_middle_ms <= end_ms or slot.start_ms <= middle_ms <= slot.end_ms:
            yield slot


def mixture(examples: Sequence[Mapping[Words, float]], n: int) -> list[tuple[Words, float]]:
    """The word sequences of a query with several examples: each is equally likely to be right.

    Args:
        examples: of each, its likeliest sequences.
        n: how many sequences.

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
