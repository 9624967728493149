"""The four sets of NIST's scorer in tests/data/nist, each read once."""

from functools import lru_cache
from pathlib import Path

from scoring.evaluate import evaluate
from std.files import open_input
from std.nist import ecf, rttm, std_list, term_list

NIST = Path(__file__).parents[1] / "data" / "nist"


def read(parse, path):
    with open_input(path) as stream:
        return parse(stream, path)


@lru_cache
def inputs(name):
    """ECF, words of the reference, terms, hits."""
    folder = NIST / name
    return (
        read(ecf.parse, folder / "ecf.xml"),
        read(rttm.parse, folder / "ref.rttm.gz"),
        read(term_list.parse, folder / "kwlist.xml"),
        read(std_list.parse, folder / "kwslist.xml.gz"),
    )


@lru_cache
def evaluated(name, options=None):
    return evaluate(*inputs(name), options)
