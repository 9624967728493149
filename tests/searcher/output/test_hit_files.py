"""Hit lists from Python are those of std-search, and scoring reads them."""

import csv
from dataclasses import replace

import pytest

from scoring import read_reference, score_hits
from searcher import open_index, write_hits
from searcher.commands.search import main
from searcher.output.hit_files import write_stretches
from std import StdError, load_config
from std.nist import std_list
from std.values import Term


@pytest.fixture(scope="module")
def searched(german_store, german, request):
    """A store, the reference, and a search of its terms by their words only."""
    root = request.config.rootpath
    reference = read_reference(german / "ecf.xml", german / "ref.rttm", german / "terms.xml")
    config = root / "configs" / "plain.toml"
    with open_index(german_store, config=load_config(config)) as index:
        found = index.search_terms(reference.terms, reference.ecf)
    return german_store, reference, found, german, config


@pytest.mark.parametrize("dialect", ["std2006", "kws2013"])
def test_the_files_are_those_of_the_command(searched, tmp_path, dialect):
    store, reference, found, german, config = searched
    files = [tmp_path / name for name in ("a.xml", "a.p.xml", "b.xml", "b.p.xml")]
    write_hits(
        found, files[0], terms=reference.terms, terms_filename="terms.xml",
        probabilities=files[1], dialect=dialect,
    )  # fmt: skip
    arguments = ["--store", store, "--terms", german / "terms.xml", "--ecf", german / "ecf.xml"]
    arguments += ["--config", config, "--output", files[2], "--probabilities", files[3]]
    assert main([*map(str, arguments), "--dialect", dialect, "--quiet"]) == 0
    own, own_probabilities, of_command, probabilities = (without_times(file) for file in files)
    assert len(own) > 300
    assert own == of_command
    assert own_probabilities == probabilities
    assert own != own_probabilities


def default_score(path):
    with path.open("rb") as stream:
        return std_list.parse(stream).default_score


def test_a_list_says_what_a_place_without_a_hit_is_worth(searched, tmp_path):
    """Of 265 terms in 1479 s; as a score, .03 of an occurrence against beta whatever the speech."""
    _, reference, found, *_ = searched
    files = [tmp_path / "hits.xml", tmp_path / "probabilities.xml"]
    settings = {"terms": reference.terms, "probabilities": files[1]}
    write_hits(found, files[0], dialect="kws2013", **settings)
    score, probability = map(default_score, files)
    expected = 0.03 * found.probability.sum() / (265 * 1479.4 - len(found.probability))
    assert probability == pytest.approx(expected, rel=1e-4)
    assert score == pytest.approx(0.03 / 999.9, rel=0.05)
    write_hits(found, files[0], dialect="kws2013", default_score=False, **settings)
    assert [*map(default_score, files)] == [None, None]


def test_cnxe_does_not_depend_on_where_the_list_was_cut(searched, tmp_path):
    """The same hits with and without those that are NO: .5 apart, not 90."""
    _, reference, found, *_ = searched
    path = tmp_path / "hits.xml"
    write_hits(found, path, terms=reference.terms, dialect="kws2013")
    yes = tmp_path / "yes.xml"
    lines = path.read_text().splitlines()
    yes.write_text("\n".join(line for line in lines if 'decision="NO"' not in line))
    whole, cut = (score_hits(one, reference).groups[0].measures["Cnxe"] for one in (path, yes))
    assert whole < cut < whole + 0.5
    assert cut < 1


def without_times(path):
    """The lines of a hit list that hold hits."""
    return [line for line in path.read_text().splitlines() if "decision=" in line]


def test_scoring_reads_it(searched, tmp_path):
    _, reference, found, *_ = searched
    write_hits(found, tmp_path / "hits.xml", terms=reference.terms, system_id="plain")
    evaluation = score_hits(tmp_path / "hits.xml", reference)
    assert evaluation.system_id == "plain"
    assert evaluation.groups[0].measures["ATWV"] == pytest.approx(0.568, abs=5e-4)  # benchmarks.md


def test_a_name_that_xml_cannot_hold(searched, tmp_path):
    _, reference, found, *_ = searched
    with pytest.raises(StdError, match="system_id: expected text that XML"):
        write_hits(found, tmp_path / "hits.xml", terms=reference.terms, system_id="a\0")
    assert not [*tmp_path.iterdir()]


def test_a_term_is_one_prompt_however_it_is_written(searched, tmp_path):
    """The column of words has semicolons between them."""
    found = searched[2]
    found = replace(found, oov_words=tuple(("x",) for _ in found.terms))
    written = tuple(Term(term.term_id, f"{term.text};\tad hoc; ") for term in found.terms)
    path = tmp_path / "again.csv"
    assert write_stretches(path, replace(found, terms=written)) > 10
    with path.open(newline="") as stream:
        told = {word for row in csv.DictReader(stream) for word in row["words"].split("; ")}
    assert told <= {f"{term.text} ad hoc" for term in found.terms}
