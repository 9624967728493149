"""What readers return, as networks; and networks as word meshes."""

from indexer.inputs import utterances_in
from indexer.networks.utterances import Utterances

EPSILON = "*DELETE*"


def networks_in(blocks):
    """Each utterance as a network; lattices as they are."""
    for block in blocks:
        if isinstance(block, Utterances):
            yield from block
        else:
            yield block


def networks_of(path, **how):
    """The utterances of a file as networks, one at a time; arguments as of `utterances_in`."""
    return networks_in(utterances_in(path, **how))


def write_meshes(networks, stream):
    """Write networks as word meshes with ``info`` lines, times in the recording.

    A mesh has no place for slot times: reading derives them from the words' times again.

    Raises:
        ValueError: a word contains white space, which the format cannot carry.
    """
    for network in networks:
        lines = [f"name {network.utterance}", f"numaligns {len(network)}", "posterior 1"]
        for i, (_, _, epsilon, words) in enumerate(network):
            pairs = [f"{word.word} {word.posterior:.7g}" for word in words]
            if epsilon or not words:
                pairs.append(f"{EPSILON} {epsilon:.7g}")
            lines.append(f"align {i} {' '.join(pairs)}")
            for word, _, start, end in words:
                if len(word.split()) != 1:
                    raise ValueError(f"a mesh cannot carry the word {word!r}")
                lines.append(
                    f"info {i} {word} {start / 1000:.3f} {(end - start) / 1000:.3f} 0 0 : :"
                )
        stream.write(("\n".join(lines) + "\n").encode())
