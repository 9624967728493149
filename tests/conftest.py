"""Fixtures that several test files share."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from std.values import ConfusionNetwork, Recording

# A slot: its alternatives as (word, posterior), or (word, posterior, start_ms, end_ms) where an
# alternative's times differ from the slot's. Slots are 100 ms long unless spans are given.
NetworkMaker = Callable[..., ConfusionNetwork]


def build_network(
    *slots: Sequence[tuple],
    file: str = "news",
    channel: int = 1,
    utterance: str = "u1",
    start_ms: int = 0,
    spans_ms: Sequence[tuple[int, int]] | None = None,
) -> ConfusionNetwork:
    spans = spans_ms or [(start_ms + 100 * i, start_ms + 100 * (i + 1)) for i in range(len(slots))]
    flat = [(*one, *spans[i][len(one) - 2 :]) for i, slot in enumerate(slots) for one in slot]
    offsets = np.concatenate([[0], np.cumsum([len(slot) for slot in slots])])
    return ConfusionNetwork(
        Recording(file, channel),
        utterance,
        start_ms,
        max([end for _, end in spans], default=start_ms),
        np.array(spans, np.int32).reshape(-1, 2),
        np.array([max(0.0, 1 - sum(one[1] for one in slot)) for slot in slots], np.float32),
        offsets.astype(np.int32),
        tuple(one[0] for one in flat),
        np.array([one[1] for one in flat], np.float32),
        np.array([one[2:] for one in flat], np.int32).reshape(-1, 2),
    )


@pytest.fixture(scope="session")
def network() -> NetworkMaker:
    return build_network


@pytest.fixture(scope="session")
def german() -> Path:
    """The example that ships: real German networks with references."""
    return Path(__file__).parent.parent / "examples" / "german"
