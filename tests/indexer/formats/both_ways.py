"""Two parsers of one format, the fast one and the careful one, compared on edited files."""

import pytest

from std.errors import InputError


def plain(network):
    """A network as nested Python values."""
    return (
        *network.recording,
        network.utterance,
        (network.start_ms, network.end_ms),
        network.times_estimated,
        [(s.start_ms, s.end_ms, s.epsilon, [tuple(a) for a in s.alternatives]) for s in network],
    )


def require_agreement(content, edits, parse, carefully):
    """Both refuse an edited file, or the fast parser reads it as the careful one does."""
    for at, length, piece in edits:
        content = content[:at] + piece + content[at + length :]
    try:
        expected = [plain(one) for one in carefully(content)]
    except InputError:
        with pytest.raises(InputError):
            parse(content)
    else:
        if expected:
            assert [plain(one) for one in parse(content)] == expected
