"""Slots of a real recogniser, with what was said there: of the German example, or of a set."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from benchmarks.archives.words import Counted, of_speech
from benchmarks.calibration import Material, material
from benchmarks.german import Data, indexed
from benchmarks.simulated_recognisers import RealSlot, slots_with_words
from std.config import Config
from std.files import read
from std.nist import ecf, rttm, term_list
from tests.networks import networks_of

EXAMPLE = Path(__file__).parents[2] / "examples/german"


def example() -> Material:
    """The German example."""
    config = Config()
    config = replace(config, pronunciation=replace(config.pronunciation, language="de"))
    networks = [
        one for path in sorted((EXAMPLE / "mesh").glob("*.mesh")) for one in networks_of(path)
    ]
    data = Data(
        EXAMPLE,
        networks,
        read(ecf.parse, EXAMPLE / "ecf.xml"),
        read(rttm.parse, EXAMPLE / "ref.rttm"),
        read(term_list.parse, EXAMPLE / "terms.xml"),
    )
    return Material("example", "de", data, config, indexed(networks, config))


def slots_of(networks: Path | None, language: str) -> list[tuple[str, RealSlot]]:
    """What was said in each slot, and what a recogniser wrote.

    Args:
        networks: of a set, see `benchmarks.calibration`; None = the German example.
        language: of the set.
    """
    one = material(networks.parent, networks.name, language) if networks else example()
    return list(slots_with_words(one))


def words_of_example() -> Counted:
    """What the German example says, and what its recogniser wrote besides, seldom."""
    one = example()
    said = [word.lower() for word in one.data.lexemes.words if word.isalpha()]
    counts = Counter(said)
    others = {word for network in one.data.networks for word in network.words if word.isalpha()}
    return of_speech([list(counts.elements()), sorted(others)])
