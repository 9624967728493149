"""STM: reference transcripts with alternatives."""

from indexer.formats.readers import stm
from tests.indexer.formats.captions.conftest import options, parsed, read, said


def test_stm():
    own = options()
    networks = read("reference.stm", own)
    assert said(networks)[1] == (1000, 2500, "ist gut")
    assert own.nonwords.dropped == {"%hesitation": 1}
    (network,) = parsed(stm, "f 1 s 1.0 3.0 or { je / e / { fr / sdg } } not { a / { b / @ } }\n")
    assert network.words == ("or", "je", "not", "a")
