"""Several recognisers of the same speech, from the command and from Python."""

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

import indexer.cli
import searcher.commands.search
from searcher import open_fused, open_index
from searcher.calibration.model import DOUBT, default_model
from searcher.fusion.fused_candidates import FusedRecogniser, fuse
from std.errors import StoreError
from std.numbers import written

TERMS = ["landkreis", "hahnenfedern", "spreewald", "im bran*"]


@pytest.fixture(scope="module")
def stores(german, tmp_path_factory):
    """Two recognisers of KERSTIN_00: the second lost its alternatives; it alone has KERSTIN_04."""
    folder = tmp_path_factory.mktemp("fused")
    thin = folder / "thin"
    thin.mkdir()
    for name in ("KERSTIN_00", "KERSTIN_04"):
        shutil.copy(german / "mesh" / f"{name}.mesh", thin)
    first, second = str(folder / "first"), str(folder / "second")
    config = folder / "thin.toml"
    config.write_text("[index]\nmax_alternatives = 2\n")
    index = [str(german / "mesh" / "KERSTIN_00.mesh"), "--store", first, "--quiet"]
    assert indexer.cli.main([*index, "--language", "German"]) == 0
    index = [str(thin), "--store", second, "--config", str(config), "--quiet"]
    assert indexer.cli.main([*index, "--language", "German"]) == 0
    return first, second


@pytest.fixture(scope="module")
def fused(stores):
    with open_fused(*stores) as index:
        yield index


def test_columns_of_fused_hits_are_the_hits(fused):
    result = fused.find("landkreis")
    hits = fused.hits(result)
    assert hits
    documents = json.dumps(fused.hit_columns(result).documents(), sort_keys=True)
    assert documents == json.dumps(written([hit.document() for hit in hits]), sort_keys=True)


def test_a_closed_index_refuses_to_list_its_recordings(stores):
    with open_fused(*stores) as index:
        assert index.recordings()
    with pytest.raises(ValueError, match="closed"):
        index.recordings()


def test_the_last_recogniser_may_find_nothing(stores, german, tmp_path):
    other = str(tmp_path / "z")
    mesh = str(german / "mesh" / "KERSTIN_07.mesh")
    assert indexer.cli.main([mesh, "--store", other, "--quiet"]) == 0
    with open_fused(stores[0], other) as index:
        forms = index.find_forms("landkreise")
        assert [one.form for one in forms.forms] == ["landkreis"]
        (hit,) = index.hits(forms)
    assert (hit.form_of, [one.method for one in hit.found_by]) == ("landkreise", ["exact", ""])


def test_hits_at_one_place_are_one(stores, fused):
    hits = [hit for hit in fused.search("landkreis") if hit.file == "KERSTIN_00"]
    with open_index(stores[0]) as first, open_index(stores[1]) as second:
        single = [first.search("landkreis")[0], second.search("landkreis")[0]]
    assert abs(hits[0].start_s - single[0].start_s) < 0.5
    assert min(hit.probability for hit in single) - 1e-9 <= hits[0].probability
    assert hits[0].probability <= max(hit.probability for hit in single) + 1e-9
    assert {finding.store for finding in hits[0].found_by} == set(stores)
    assert sum(finding.weight for finding in hits[0].found_by) == pytest.approx(1)
    assert hits[0].how.startswith("found by ")
    near = [hit for hit in hits[1:] if abs(hit.start_s - hits[0].start_s) < 0.3]
    assert not near


def test_a_term_occurs_as_probably_as_the_surest_recogniser_says(stores, fused):
    """In what a hit has, each recogniser's doubt whether its term occurs is pooled, once."""
    found = fused.find(*TERMS)
    with open_index(stores[0]) as first, open_index(stores[1]) as second:
        of_each = np.array([index.find(*TERMS).occurs for index in (first, second)])
    assert (of_each[0] != of_each[1]).any()
    assert found.occurs.tolist() == of_each.max(axis=0).tolist()
    for hit in fused.hits(found, decided=False):
        squares = [finding.weight * finding.probability**2 for finding in hit.found_by]
        assert hit.probability == pytest.approx(math.sqrt(sum(squares)), rel=1e-12)


def test_a_recording_that_one_store_lacks_keeps_the_others_probability(stores, fused):
    def elsewhere(index):
        return {
            (hit.term, hit.file, hit.start_s, hit.duration_s): hit.probability
            for hit in index.search(*TERMS, min_probability=0)
            if hit.file == "KERSTIN_04"
        }

    with open_index(stores[1]) as second:
        assert elsewhere(fused) == pytest.approx(elsewhere(second), rel=1e-12) != {}
    every = fused.search(*TERMS, min_probability=0)
    hit = next(hit for hit in every if hit.file == "KERSTIN_04")
    assert [finding.weight for finding in hit.found_by if not finding.method] == [0.0]
    assert "not by" not in hit.how


def test_the_order_of_the_stores_changes_nothing(stores, fused):
    with open_fused(*reversed(stores)) as turned:
        assert turned.search(*TERMS, decide=True) == fused.search(*TERMS, decide=True)


def test_an_index_fused_with_its_copy_says_what_it_says_alone(stores, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(stores[0], copy)
    with open_index(stores[0]) as alone, open_fused(stores[0], str(copy)) as twice:
        expected, found = alone.search(*TERMS), twice.search(*TERMS)
    assert [(hit.term, hit.start_s, hit.context) for hit in found] == [
        (hit.term, hit.start_s, hit.context) for hit in expected
    ]
    assert [hit.probability for hit in found] == pytest.approx(
        [hit.probability for hit in expected]
    )


def test_a_search_may_be_about_some_recordings(fused):
    hits = fused.search(*TERMS, recordings=["*_00"])
    assert {hit.file for hit in hits} == {"KERSTIN_00"}
    assert len(hits) == sum(hit.file == "KERSTIN_00" for hit in fused.search(*TERMS))


def test_context_is_that_of_the_surest_recogniser(stores, fused):
    found = fused.search(*TERMS)
    with open_index(stores[0]) as first, open_index(stores[1]) as second:
        of_store = {
            store: {(hit.term, hit.file, hit.start_s): hit for hit in index.search(*TERMS)}
            for store, index in zip(stores, (first, second), strict=True)
        }
    for hit in found:
        own = of_store[hit.found_by[0].store][hit.term, hit.file, hit.start_s]
        assert (hit.context, hit.slots, hit.likeliest) == (own.context, own.slots, own.likeliest)
        assert hit.found_by[0].probability == own.probability


def test_a_place_is_that_of_its_recogniser_also_where_a_list_turns_their_order(fused):
    """Slots of one, read in the index of the other, were other words, or none."""
    terms, speech = fused.adhoc_terms(TERMS), fused.searched_speech(None, None, ())
    found = [index.candidates(terms, speech, mode="adhoc") for index in fused._indexes.values()]
    likely = found[0].candidates.probability > 0.5
    less = np.where(likely, 0.01, 1.0) * found[0].probability  # judged with other terms
    found[0] = replace(found[0], probability=less)
    doubts = [{one.recording: 0.1 for one in fused.recordings()}] * 2
    both = fuse([*map(FusedRecogniser, fused._indexes, found, doubts)])
    own = [{*places_of(one)} for one in found]
    turned = 0
    for variant, place in zip(both.candidates.variant.tolist(), places_of(both), strict=True):
        given = both.variants[variant]
        assert place in own[given.recogniser]
        turned += given.found_by[0].store != [*fused._indexes][given.recogniser]
    assert turned


def places_of(found):
    table = found.candidates
    recordings = [found.recordings[row] for row in table.recording.tolist()]
    columns = (table.start_ms, table.end_ms, table.first_slot, table.last_slot)
    return [*zip(recordings, *(column.tolist() for column in columns), strict=True)]


def test_a_batch_from_the_command(stores, german, tmp_path, capsys):
    output, why = tmp_path / "hits.xml", tmp_path / "why.jsonl"
    batch = [f"--terms={german / 'terms.xml'}", f"--ecf={german / 'ecf.xml'}"]
    batch += ["--store", stores[0], "--store", stores[1], "--fuse", "--json", "--quiet"]
    assert searcher.commands.search.main([*batch, f"--output={output}", f"--explain={why}"]) == 0
    figures = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in why.read_text().splitlines()]
    assert len(lines) == figures["detections"] > 100
    assert figures["yes"] == sum(line["decision"] == "YES" for line in lines) > 0
    assert all({finding["store"] for finding in line["found_by"]} == set(stores) for line in lines)
    assert output.stat().st_size


def test_hits_of_one_index_have_no_findings(stores, capsys):
    searcher.commands.search.main(["--store", stores[0], "--json", "landkreis"])
    assert "found_by" not in json.loads(capsys.readouterr().out)[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fuse"], "--fuse needs two --store"),
        (["--store", "B", "--store", "C", "--fuse", "--model=a", "--model=b"], "one for each of 3"),
        (["--model=a", "--model=b"], "several --model are for --fuse"),
    ],
)
def test_what_does_not_fit_is_refused(options, message, capsys):
    with pytest.raises(SystemExit) as stopped:
        searcher.commands.search.main(["--store", "A", *options, "word"])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_python_refuses_one_store_and_odd_models(stores):
    with pytest.raises(ValueError, match="at least two stores, got 1"):
        open_fused(stores[0])
    with pytest.raises(ValueError, match="1 or 2 models, got 3"):
        open_fused(*stores, model=["a", "b", "c"])
    with pytest.raises(StoreError, match="each index once"):
        open_fused(stores[0], stores[0])


def model_of(doubt):
    """A model that a transcript was learned from, with the shipped weights."""
    return replace(default_model(), pronouncer="espeak-ng:de", tuned_on={DOUBT: doubt})


def weight_of_first(stores, models):
    with open_fused(*stores, model=models) as index:
        hits = [hit for hit in index.search("hahnenfedern") if hit.file == "KERSTIN_00"]
    (weight,) = {finding.weight for finding in hits[0].found_by if finding.store == stores[0]}
    return weight


def test_transcripts_say_how_much_a_recogniser_counts(stores):
    unmeasured = weight_of_first(stores, None)
    assert weight_of_first(stores, [model_of(0.1), model_of(0.3)]) > 0.9 > unmeasured
    assert weight_of_first(stores, [model_of(0.3), model_of(0.1)]) < 0.2
    # One model for all, or one without a transcript, says nothing of which is better.
    assert weight_of_first(stores, [model_of(0.1)]) == unmeasured
    assert weight_of_first(stores, [model_of(0.1), model_of(0.1)]) == unmeasured
    french = replace(model_of(0.3), pronouncer="espeak-ng:fr")
    assert weight_of_first(stores, [model_of(0.1), french]) == unmeasured
    of_marks = replace(model_of(0.1), tuned_on={"marks": 50})
    assert weight_of_first(stores, [model_of(0.1), of_marks]) == unmeasured


def test_recognisers_of_other_speech_are_told_of(stores, german, tmp_path, capsys):
    other = str(tmp_path / "other")
    assert indexer.cli.main([str(german / "mesh" / "KERSTIN_07.mesh"), "--store", other]) == 0
    capsys.readouterr()
    searcher.commands.search.main(["--store", stores[0], "--store", other, "--fuse", "landkreis"])
    assert "no recording is in two of the --store" in capsys.readouterr().err
    searcher.commands.search.main(
        ["--store", stores[0], "--store", stores[1], "--fuse", "landkreis"]
    )
    assert "no recording is in two" not in capsys.readouterr().err
