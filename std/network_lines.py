"""Confusion networks as text: one JSON object per line and utterance, times in seconds.

    network_line    network -> the object of its line
    dump            networks -> lines

`indexer.formats.readers.jsonl` reads them and describes the format; docs/formats.md is the
contract.
"""

import json
from collections.abc import Iterable
from typing import Any, BinaryIO

import numpy as np

from std.values import ConfusionNetwork


def network_line(network: ConfusionNetwork) -> dict[str, Any]:
    """The object that a network's line holds."""
    known = network.slot_errors_ms
    errors = [0] * len(network) if known is None else known.tolist()
    return {
        "utt": network.utterance,
        "file": network.recording.file,
        "channel": network.recording.channel,
        "start": network.start_ms / 1000,
        "end": network.end_ms / 1000,
        **({"language": network.language} if network.language else {}),
        **({"speaker": network.speaker} if network.speaker else {}),
        "slots": [
            {
                "s": start / 1000,
                "e": end / 1000,
                "eps": _short(epsilon),
                **({"err": error / 1000} if error else {}),
                "w": [[w, _short(p), s / 1000, e / 1000] for w, p, s, e in words],
            }
            for (start, end, epsilon, words), error in zip(network, errors, strict=True)
        ],
    }


def dump(networks: Iterable[ConfusionNetwork], stream: BinaryIO) -> None:
    """Write networks, one per line."""
    for network in networks:
        stream.write(json.dumps(network_line(network), ensure_ascii=False).encode() + b"\n")


def _short(value: float) -> float:
    """Return the shortest decimal that is still the same float32."""
    return float(np.format_float_positional(np.float32(value), unique=True, trim="0"))
