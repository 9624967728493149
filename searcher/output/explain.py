"""Hits with their explanation, and the figures of a search."""

from collections.abc import Iterator, Sequence
from typing import Any

from searcher.decisions import THRESHOLD
from searcher.hit import Hit
from searcher.output.context import Context
from searcher.search import SearchResult
from std.characters import text_of
from std.metadata.table import NO_METADATA, Metadata


def explained(
    found: SearchResult,
    contexts: Sequence[Context],
    *,
    decided: bool = True,
    metadata: Metadata = NO_METADATA,
) -> Iterator[Hit]:
    """One hit per detection, in the order of the hit list.

    Args:
        found: what a search returns.
        contexts: (n,) the words around each detection.
        decided: whether hits have a decision; if not, ``score`` is the probability.
        metadata: of the recordings.
    """
    table = found.candidates
    columns = (table.term, table.variant, table.recording, table.start_ms, table.end_ms)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    scores = table.score.tolist(), found.probability.tolist(), found.yes.tolist()
    for row, (score, probability, yes), context in zip(
        rows, zip(*scores, strict=True), contexts, strict=True
    ):
        term, variant, recording, start_ms, end_ms = row
        searched = found.variants[variant]
        where = found.recordings[recording]
        expected = float(found.n_true[term])
        because = f"probability {probability:.4f}, {expected:.2f} occurrences expected"
        if decided:
            sign = ">=" if yes else "<"
            because = f"score {score:.4f} {sign} threshold {THRESHOLD:.4f}: {because}"
        if context.error_ms:
            because += f"; times are estimated, within {context.error_ms / 1000:.3f} s"
        yield Hit(
            term_id=found.terms[term].term_id,
            term=found.terms[term].text,
            file=where.file,
            channel=where.channel,
            language=found.languages[recording] or None,
            start_s=start_ms / 1000,
            duration_s=(end_ms - start_ms) / 1000,
            within_s=context.error_ms / 1000 if context.error_ms else None,
            score=score if decided else probability,
            decision=("YES" if yes else "NO") if decided else None,
            searched=text_of(searched.words),
            method=searched.method,
            similarity=searched.similarity,
            how=searched.how,
            context=(context.before, text_of(searched.words), context.after),
            likeliest=context.likeliest,
            slots=context.slots,
            probability=probability,
            threshold=THRESHOLD if decided else None,
            expected_occurrences=expected,
            because=because,
            metadata=metadata.values(where.file),
        )


def summary(found: SearchResult, speech_s: float) -> dict[str, Any]:
    """The figures of one search over a term list."""
    n = len(found.terms)
    return {
        "terms": n,
        "detections": len(found.candidates.term),
        "yes": int(found.yes.sum()),
        "oov_terms": sum(1 for words in found.oov_words if words),
        "outside_ecf": found.outside_ecf,
        "expected": found.expected.document(),
        "seconds": found.seconds,
        "ssf": found.seconds / (n * speech_s) if n and speech_s else None,
    }
