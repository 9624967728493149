"""Why each detection is there and why it was accepted or not: for programs and for people."""

from collections.abc import Iterator, Sequence
from typing import Any

from searcher.context import Context
from searcher.decisions import THRESHOLD
from searcher.search import Found


def explained(found: Found, contexts: Sequence[Context]) -> Iterator[dict[str, Any]]:
    """One dictionary per detection, in the order of the hit list."""
    rows = zip(*(column.tolist() for column in found.candidates), strict=True)
    for (term, variant, recording, start_ms, end_ms, score), probability, yes, context in zip(
        rows, found.probability.tolist(), found.yes.tolist(), contexts, strict=True
    ):
        searched = found.variants[variant]
        where = found.recordings[recording]
        expected = float(found.n_true[term])
        sign = ">=" if yes else "<"
        yield {
            "termid": found.terms[term].term_id,
            "term": found.terms[term].text,
            "file": where.file,
            "channel": where.channel,
            "language": found.languages[recording] or None,
            "start_s": start_ms / 1000,
            "duration_s": (end_ms - start_ms) / 1000,
            "score": score,
            "decision": "YES" if yes else "NO",
            "searched": " ".join(searched.words),
            "method": searched.channel,
            "similarity": searched.similarity,
            "how": searched.how,
            "context": [context.before, context.inside, context.after],
            "slots": list(context.slots),
            "probability": probability,
            "threshold": THRESHOLD,
            "expected_occurrences": expected,
            "because": (
                f"score {score:.4f} {sign} threshold {THRESHOLD:.4f}: probability "
                f"{probability:.4f}, {expected:.2f} occurrences expected"
            ),
        }


def summary(found: Found, speech_s: float) -> dict[str, Any]:
    """The figures of one search over a term list."""
    n = len(found.terms)
    return {
        "terms": n,
        "detections": len(found.candidates.term),
        "yes": int(found.yes.sum()),
        "oov_terms": sum(1 for one in found.oov_words if one),
        "outside_ecf": found.outside,
        "seconds": found.seconds,
        "ssf": found.seconds / (n * speech_s) if n and speech_s else None,
    }
