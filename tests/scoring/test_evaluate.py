"""The reference program's numbers on its four sets; see tests/data/nist/README.md."""

import csv
import dataclasses
import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from scoring.evaluate import evaluate
from scoring.group import decision_threshold
from scoring.measures.cnxe import cross_entropy, effective_prior, from_probabilities
from scoring.measures.twv import twv_of_terms
from scoring.options import ScoringOptions
from scoring.report.html_report import render
from scoring.report.summary import summary_document, summary_text, summary_warnings
from std.errors import InputError
from std.files import open_input
from std.values import Recording
from tests.scoring.nist_sets import NIST, evaluated, inputs

SETS = ("s1", "s2", "s6", "s9")


def table(path):
    with open_input(path) as stream:
        return list(csv.reader(stream.read().decode().splitlines()))


@pytest.mark.parametrize("name", SETS)
def test_measures_and_counts(name):
    whole = evaluated(name).groups[0]
    totals, measures = whole.counts.totals(whole.counted), whole.measures
    got = {
        "TotDur": whole.speech_s,
        "TotTrials": whole.trials,
        "Keywords": whole.counted.sum(),
        "Targ": totals.targets,
        "Sys": whole.counted[whole.hits.term].sum(),
        "Corr": totals.corr,
        "FA": totals.fa,
        "Miss": totals.miss,
        "CorrNonDet": totals.corr_nondet,
        "ATWV": measures["ATWV"],
        "APmiss": measures["P_miss"],
        "APfa": measures["P_fa"],
        "MTWV": measures["MTWV"],
        "MThr": measures["MTWV_threshold"],
        "MPmiss": measures["MTWV_P_miss"],
        "MPfa": measures["MTWV_P_fa"],
        "OTWV": measures["OTWV"],
        "STWV": measures["STWV"],
        "DETpoints": len(whole.det),
    }
    expected = json.loads((NIST / name / "expected.json").read_text())
    assert got == pytest.approx(expected, abs=1e-9, rel=1e-11)


@pytest.mark.parametrize("name", SETS)
def test_every_det_point(name):
    rows = table(NIST / name / "expected_points.csv.gz")
    expected = np.array(rows[1:], float).T  # printed with ten significant digits
    det = evaluated(name).groups[0].det
    columns = (det.threshold, det.p_miss, det.p_fa, det.twv)
    columns += (det.sd_p_miss, det.sd_p_fa, det.sd_twv)
    assert (expected[-1] == det.terms).all()
    for got, want in zip(columns, expected, strict=False):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_every_pair(name):
    # Hits are told apart by score, not by time: two that cover an occurrence wholly with the same
    # score are equally good, and the reference takes either.
    expected = Counter(
        (row[1], int(row[2]), row[3], *(float(one or "nan") for one in (row[5], row[9])), *row[-2:])
        for row in table(NIST / name / "expected_alignment.csv.gz")[1:]
    )
    whole = evaluated(name).groups[0]
    hits, occurrences, alignment = whole.hits, whole.occurrences, whole.alignment
    got = Counter()
    for r, h in enumerate(alignment.hit_of.tolist()):
        where = occurrences.recordings[occurrences.recording[r]]
        term = whole.units[occurrences.term[r]].term_id
        yes = h >= 0 and hits.yes[h]
        score = float(hits.score[h]) if h >= 0 else float("nan")
        decision = ("YES" if yes else "NO") if h >= 0 else ""
        verdict = (decision, "CORR" if yes else "MISS")
        got[(*where, term, float(occurrences.start_s[r]), score, *verdict)] += 1
    for h in np.flatnonzero(alignment.occurrence_of < 0).tolist():
        where, term = hits.recordings[hits.recording[h]], hits.terms[hits.term[h]]
        verdict = ("YES", "FA") if hits.yes[h] else ("NO", "CORR!DET")
        got[(*where, term, float("nan"), float(hits.score[h]), *verdict)] += 1
    # NaN never equals itself: compare as text.
    assert Counter(map(repr, got.elements())) == Counter(map(repr, expected.elements()))


@pytest.mark.parametrize("name", ["s1", "s2", "s9"])
def test_every_term(name):
    whole = evaluated(name).groups[0]
    rows = {row[0].rpartition("|")[2]: row for row in table(NIST / name / "expected_bsum.csv.gz")}
    header = rows["MasterKey"] if "MasterKey" in rows else next(iter(rows.values()))
    column = {name: i for i, name in enumerate(header)}
    compared = 0
    for i, term in enumerate(whole.units):
        row = rows[term.term_id]
        blank = not row[column["Occurrence|#Targ"]]
        assert blank == (not whole.counted[i])
        if blank:
            continue
        counts = whole.counts
        got = [counts.targets[i], counts.corr[i], counts.fa[i], counts.miss[i]]
        got += [whole.twv[i], whole.p_fa[i], whole.p_miss[i]]
        best = whole.best
        best_twv = twv_of_terms(best.p_miss, best.p_fa, whole.point.beta)[i]
        got += [best_twv, best.threshold[i]]
        names = ["#Targ", "#Corr", "#FA", "#Miss", "TWV", "PFA", "PMISS"]
        names = [f"Occurrence|{one}" for one in names]
        names += ["Optimum TWV|TWV", "Optimum TWV|Dec. Thresh"]
        for value, printed in zip(got, (row[column[one]] for one in names), strict=True):
            digits = len(printed.partition(".")[2])
            assert f"{value:.{digits}f}" == printed.strip()
            compared += 1
    assert compared == 9 * whole.counted.sum()


def test_what_lies_outside_is_counted():
    evaluation = evaluated("s9")
    # 800 hits in the file, 726 in the reference program's `-inc` table (#Sys).
    assert evaluation.ignored["hits_outside_ecf"] == 800 - 726
    assert len(evaluation.hits_outside) == 800 - 726
    # 726 of all terms, 651 of those with references (#Sys of the plain table).
    assert evaluation.ignored["hits_of_terms_without_references"] == 726 - 651
    assert evaluation.ignored["references_outside_ecf"] == len(evaluation.occurrences_outside)


def test_inconsistent_decisions_have_no_threshold_but_a_summary():
    # The reference program refuses any summary here.
    assert np.isnan(evaluated("s6").groups[0].measures["decision_threshold"])
    # (min YES + max NO) / 2, from the reference program's table of s9.
    assert evaluated("s9").groups[0].measures["decision_threshold"] == 0.5025


@pytest.mark.parametrize(("lowest_yes", "highest_no", "expected"), [
    (np.inf, -np.inf, np.nan),
    (1.7e308, 1.6e308, 1.65e308),
    (np.inf, 0.5, np.inf),
])  # fmt: skip
def test_the_decision_threshold_of_extreme_scores(lowest_yes, highest_no, expected):
    hits = SimpleNamespace(score=np.array([highest_no, lowest_yes]), yes=np.array([False, True]))
    assert decision_threshold(hits) == pytest.approx(expected, nan_ok=True)


def replaced(hits, **changes):
    names = ("terms", "recordings", "term", "recording", "start_s", "duration_s", "score", "yes")
    found = hits.detections
    columns = {name: changes.get(name, getattr(found, name)) for name in names}
    return type(hits)(type(found)(**columns), hits.searches)


def test_hits_of_terms_that_the_list_lacks_are_left_out_and_counted():
    """As if the hit list did not have the term at all; the other terms keep their hits."""
    *others, hits = inputs("s1")
    first = hits.detections.term == 0
    strange = replaced(hits, terms=("KW-X", *hits.detections.terms[1:]))
    without = evaluate(*others, strange)
    assert without.terms_not_listed == {"KW-X": first.sum()}
    assert without.ignored["hits_of_terms_not_in_the_term_list"] == first.sum()
    whole = evaluate(*others, hits).groups[0]
    others_of = np.flatnonzero(whole.chosen)[1:]
    assert (
        without.groups[0].counts.corr[others_of].tolist() == whole.counts.corr[others_of].tolist()
    )
    (line,) = [line for line in summary_warnings({"s": without}) if "left out" in line]
    assert line == f"left out: 1 term not in the term list, with {first.sum()} hits (KW-X)"


def test_hits_in_a_recording_without_a_word_in_the_reference_are_told():
    """A reference that lacks a recording of the ECF makes every hit there a false alarm."""
    speech, lexemes, *others = inputs("s1")
    lost = lexemes.recordings[0]
    kept = np.flatnonzero(lexemes.recording != 0)
    columns = ("recording", "speaker", "start_s", "duration_s")
    lexemes = dataclasses.replace(
        lexemes,
        **{name: getattr(lexemes, name)[kept] for name in columns},
        words=tuple(lexemes.words[i] for i in kept),
        subtypes=tuple(lexemes.subtypes[i] for i in kept),
    )
    evaluation = evaluate(speech, lexemes, *others)
    group = evaluation.groups[0]
    there = np.array([one == lost for one in group.hits.recordings])[group.hits.recording]
    number = int((there & group.counted[group.hits.term]).sum())
    assert number > 1
    (line,) = [line for line in summary_warnings({"s": evaluation}) if "no word" in line]
    assert line == (
        "no word in the reference of 1 recording of the ECF, where "
        f"{number} hits can only be wrong ({lost.file}/{lost.channel})"
    )
    assert line in summary_document({"s": evaluation})["warnings"]
    assert f'<p class="note">{line}</p>' in render([evaluation])
    assert not any("no word" in line for line in summary_warnings({"s": evaluate(*inputs("s1"))}))


def test_a_list_of_which_no_hit_counts_and_words_that_are_there_twice_are_told():
    """Times in milliseconds; a reference that was written twice into one file."""
    speech, lexemes, terms, hits = inputs("s1")
    again = dataclasses.replace(
        lexemes,
        **{
            name: np.tile(getattr(lexemes, name), 2)
            for name in ("recording", "speaker", "start_s", "duration_s")
        },
        words=lexemes.words * 2,
        subtypes=lexemes.subtypes * 2,
    )
    late = dataclasses.replace(hits.detections, start_s=hits.detections.start_s * 1000 + 1e6)
    evaluation = evaluate(speech, again, terms, dataclasses.replace(hits, detections=late))
    first, second = summary_warnings({"s": evaluation})[:2]
    assert first.startswith(f"no hit counts: {len(late)} hits, all outside the excerpts of the ECF")
    lasting = np.count_nonzero(lexemes.duration_s)
    assert second.startswith(f"repeated in the reference: {lasting:,} words, with recording")
    told = summary_warnings({"s": evaluate(*inputs("s1"))})
    assert not any("no hit counts" in line or "repeated" in line for line in told)


def test_terms_with_letters_composed_in_one_file_only_are_told():
    speech, lexemes, terms, hits = inputs("s1")
    term, *rest = terms.terms
    lexemes = dataclasses.replace(lexemes, words=("\u00fcber", *lexemes.words[1:]))
    counted = []
    for text in ("\u00fcber", "u\u0308ber"):
        given = dataclasses.replace(term, text=text)
        listed = dataclasses.replace(terms, terms=(given, *rest))
        evaluation = evaluate(speech, lexemes, listed, hits)
        warnings = [line for line in summary_warnings({"s": evaluation}) if "composed" in line]
        counted.append((evaluation.groups[0].counts.targets[0], warnings))
    (often, none), (never, warnings) = counted
    assert (often > 0, none, never) == (True, [], 0)
    assert warnings == [
        "1 term with occurrences that do not count, as letters are composed in one file only "
        f"({term.term_id}): bring both to NFC"
    ]


def test_the_summary_says_what_the_scores_of_each_system_are():
    *others, hits = inputs("s1")
    ratios = replaced(hits, score=hits.detections.score - 2.0)
    both = {"a": evaluate(*others, hits), "b": evaluate(*others, ratios)}
    (line, *_) = summary_text(both).splitlines()
    assert line.endswith(
        "a: scores taken as probabilities; b: scores taken as log-likelihood ratios"
    )
    (line, *_) = summary_text({"a": both["a"], "c": both["a"]}).splitlines()
    assert line.endswith(", scores taken as probabilities")


def test_a_hit_list_of_other_terms_only_is_refused():
    *others, hits = inputs("s1")
    strange = replaced(hits, terms=tuple(f"X-{name}" for name in hits.detections.terms))
    with pytest.raises(InputError, match=r"hits.xml: expected terms of the term list, got 'X-"):
        evaluate(*others, strange, hits_path="hits.xml")


def test_hits_of_other_recordings_are_refused():
    *others, hits = inputs("s1")
    elsewhere = tuple(Recording(f"x{one.file}", 1) for one in hits.detections.recordings)
    with pytest.raises(InputError, match="hits in recordings of the ECF, got 'xcts_001 channel 1'"):
        evaluate(*others, replaced(hits, recordings=elsewhere))


def test_a_reference_of_other_recordings_is_refused():
    excerpts, lexemes, terms, hits = inputs("s1")
    elsewhere = type(lexemes)(
        tuple(Recording(f"x{one.file}", 1) for one in lexemes.recordings), lexemes.speakers,
        lexemes.recording, lexemes.speaker, lexemes.start_s, lexemes.duration_s, lexemes.words,
        lexemes.subtypes,
    )  # fmt: skip
    with pytest.raises(InputError, match=r"ref.rttm: expected words in recordings of the ECF"):
        evaluate(excerpts, elsewhere, terms, hits, reference_path="ref.rttm")


def test_slices_take_the_lowest_score_of_the_whole_for_trials_without_hits():
    # Equation 42 speaks of the system's scores, not of those of some of its terms.
    evaluation = evaluate(*inputs("s9"), ScoringOptions(group_by=("attribute:NGram Order",)))
    whole, *slices = evaluation.groups
    lowest = whole.hits.score[whole.counted[whole.hits.term]].min()
    p_tar = effective_prior(1e-4, 1.0, 0.1)
    part = slices[2]
    counted = part.counted[part.hits.term]
    llr = from_probabilities(np.append(part.hits.score[counted], lowest), p_tar)
    paired = np.append(part.alignment.occurrence_of[counted] >= 0, False)
    trials = part.counted.sum() * part.speech_s
    # The lowest score in place of one of the trials without a hit changes nothing.
    expected = cross_entropy(llr, paired, int(part.counts.targets.sum()), trials, p_tar)
    assert part.measures["Cnxe"] == pytest.approx(expected.actual, abs=1e-12)
    assert part.measures["Cnxe_min"] == pytest.approx(expected.minimum, abs=1e-9)


def test_a_reference_without_any_term_is_an_error():
    excerpts, lexemes, terms, hits = inputs("s1")
    unspoken = type(lexemes)(
        lexemes.recordings, lexemes.speakers, lexemes.recording, lexemes.speaker,
        lexemes.start_s, lexemes.duration_s, ("-",) * len(lexemes.words), lexemes.subtypes,
    )  # fmt: skip
    with pytest.raises(InputError, match=r"ref.rttm: expected an occurrence of a term"):
        evaluate(excerpts, unspoken, terms, hits, reference_path="ref.rttm")


def test_no_hits_at_all():
    excerpts, lexemes, terms, hits = inputs("s1")
    none = {
        name: getattr(hits.detections, name)[:0]
        for name in ("term", "recording", "start_s", "duration_s", "score", "yes")
    }
    whole = evaluate(excerpts, lexemes, terms, replaced(hits, **none), ScoringOptions()).groups[0]
    measures = whole.measures
    assert (measures["ATWV"], measures["MTWV"], measures["OTWV"], measures["STWV"]) == (0, 0, 0, 0)
    assert np.isnan(measures["MTWV_threshold"])
    assert (measures["P_miss"], measures["P_fa"]) == (1, 0)


def test_the_part_of_trials_without_a_hit():
    """Two hits, of which one is right, and 98 trials at the lowest score, one a target."""
    found = cross_entropy(np.array([3.0, 1.0]), np.array([True, False]), 2, 100.0, 0.5)
    missed, rejected = np.log2(1 + np.exp(-1)), np.log2(1 + np.exp(1))
    assert found.unlisted == pytest.approx(0.5 * missed / 2 + 0.5 * rejected * 97 / 98)
    listed = 0.5 * np.log2(1 + np.exp(-3)) / 2 + 0.5 * rejected / 98
    assert found.actual == pytest.approx(found.unlisted + listed)
