import csv
import json
from collections import Counter

import pytest

import indexer.cli
import searcher.commands.search
from searcher import open_fused, open_index
from searcher.output.explain import kind_of
from searcher.terms.related_forms import RelatedForms
from searcher.terms.vocabulary import of_counts


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    path = tmp_path_factory.mktemp("within") / "index"
    files = [str(german / "mesh" / f"KERSTIN_{i}.mesh") for i in ("00", "04", "08", "14")]
    assert indexer.cli.main([*files, "--store", str(path), "--quiet"]) == 0
    return str(path)


@pytest.fixture(scope="module")
def index(store):
    with open_index(store) as opened:
        yield opened


@pytest.mark.parametrize(("term", "written", "kind"), [
    ("jüngling", "des jünglings", ("form", "jünglings")),
    ("científica", "científicas", ("form", "científicas")),
    ("москва", "в москве", ("form", "москве")),
    ("nacional", "ferias internacionales", ("part", "internacionales")),
    ("meter", "kilometer", ("part", "kilometer")),
    ("polizei gewalt", "polizeigewalten", ("part", "polizeigewalten")),
    ("hierdoor", "en hier door", ("apart", "hier door")),
    ("burganlagen", "burg an lagen", ("apart", "burg an lagen")),
    ("baden-württemberg", "in baden württemberg", ("apart", "baden württemberg")),
    ("d'orléans", "rue d orléans", ("apart", "d orléans")),
    ("polizei gewalt", "polizei gewalt", None),
    ("polizei gewalt", "polizeigewalt", None),  # joined, but nothing else
    ("haus", "hans hof", None),
    ("ei", "polizei", None),  # too short to be anything but chance
    ("haus", "", None),
])  # fmt: skip
def test_kinds(term, written, kind):
    forms = RelatedForms(of_counts(Counter(written.split() + term.split())))
    assert kind_of(term.split(), written.split(), forms) == kind


def test_hits_say_what_they_are_inside_and_how_sure_that_is(index):
    hits = {
        hit.searched: hit.within_word for hit in index.search("wissenschaftler", min_probability=0)
    }
    for written in ("wissenschaftlern", "wissenschaftlichen"):
        within = hits[written]
        assert (within.kind, within.word) == ("form", written)
        assert within.posterior == pytest.approx(1, abs=0.01)
    assert index.search("landkreis")[0].within_word is None
    apart = index.search("ungleichung")[0]
    assert (apart.within_word.kind, apart.within_word.word) == ("apart", "un gleichung")
    document = apart.document()["within_word"]
    assert document.keys() == {"kind", "word", "posterior"}
    assert "(written apart: un gleichung)" in apart.found_as


def test_a_search_may_leave_them_out(index):
    found = index.find("wissenschaftler", "ungleichung", min_probability=0.0)
    kinds = [hit.within_word and hit.within_word.kind for hit in index.hits(found)]
    assert {"form", "apart", None} <= {*kinds}
    for but in ((), ("apart",), ("form", "part")):
        left = index.hits(index.outside_words(found, but))
        assert len(left) == sum(kind is None or kind in but for kind in kinds)


def test_the_command_leaves_them_out_of_answers_and_lists(store, german, tmp_path, capsys):
    search = searcher.commands.search.main
    term = ["--store", store, "wissenschaftler", "--json", "--min-probability", "0"]
    assert search(term) == 0
    everything = json.loads(capsys.readouterr().out)
    assert search([*term, "--within-words", "none"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert [hit for hit in everything if not hit.get("within_word")] == whole != everything
    terms = tmp_path / "terms.txt"
    terms.write_text("wissenschaftler\nungleichung\n")
    assert (
        search(["--store", store, "--terms", str(terms), "--csv", "--within-words", "apart"]) == 0
    )
    rows = [*csv.DictReader(capsys.readouterr().out.splitlines())]
    assert {row["within_word"] for row in rows} == {"", "written apart: un gleichung"}
    with pytest.raises(SystemExit):
        search([*term, "--within-words", "word"])


def test_fused_hits_say_it_too(store, german, tmp_path):
    other = str(tmp_path / "other")
    mesh = str(german / "mesh" / "KERSTIN_08.mesh")
    assert indexer.cli.main([mesh, "--store", other, "--quiet"]) == 0
    with open_fused(store, other) as fused:
        found = fused.search("wissenschaftler", min_probability=0.3)
    assert {"form"} == {hit.within_word.kind for hit in found}
