"""Each line of docs/nist-differences.md: what the reference program makes of it, and what we do."""

import io
import re
from pathlib import Path

import numpy as np
import pytest

from scoring.evaluate import evaluate
from scoring.measures import WEIGHED
from scoring.options import ScoringOptions
from scoring.report.csv_tables import alignment_csv
from scoring.report.summary import summary_warnings
from scoring.statistics.sample import sample
from scoring.statistics.weighed import UnitWeights, weighed
from std.errors import InputError
from std.nist import ecf, rttm, std_list, term_list
from std.nist.audio_names import recording_name
from std.nist.ecf import speech_s
from std.values import Excerpt, Recording

DOCUMENT = (Path(__file__).parents[2] / "docs" / "nist-differences.md").read_text()


def excerpts(*rows, name="x.sph"):
    inner = "".join(
        f'<excerpt audio_filename="{name}" channel="1" tbeg="{start}" dur="{duration}" '
        'source_type="bnews"/>'
        for start, duration in rows or [(0, 100)]
    )
    return f'<ecf source_signal_duration="1" language="x" version="1">{inner}</ecf>'


def words(*rows):
    return "".join(f"LEXEME x 1 {start} 0.2 {word} lex s <NA>\n" for start, word in rows)


def terms(*rows):
    inner = "".join(f'<kw kwid="{i}"><kwtext>{text}</kwtext></kw>' for i, text in rows)
    return f'<kwlist compareNormalize="lowercase">{inner}</kwlist>'


def hits(*lists):
    inner = ""
    for term_id, *found in lists:
        kws = "".join(
            f'<kw file="{file}" channel="1" tbeg="{start}" dur="0.2" score="{score}" '
            f'decision="{decision}"/>'
            for file, start, score, decision in found
        )
        inner += f'<detected_kwlist kwid="{term_id}">{kws}</detected_kwlist>'
    return f"<kwslist>{inner}</kwslist>"


def spoken(*rows):
    """Turns of start and end."""
    return "".join(f"SPEAKER x 1 {a} {b - a:.5f} <NA> <NA> s <NA>\n" for a, b in rows)


def scored(ecf_text, rttm_text, terms_text, hits_text, options=None):
    turns = rttm.parse_turns(io.BytesIO(rttm_text.encode()))
    modules = (ecf, rttm, term_list, std_list)
    texts = (ecf_text, rttm_text, terms_text, hits_text)
    values = [
        module.parse(io.BytesIO(text.encode())) for module, text in zip(modules, texts, strict=True)
    ]
    return evaluate(*values, options, turns=turns)


def targets(evaluation):
    return evaluation.groups[0].counts.targets.tolist()


def test_transcript_out_of_order():
    rows = [(1.2, "b"), (1.0, "a")]
    in_file_order = [word for _, word in rows]  # the reference links these
    assert "a b" not in " ".join(in_file_order)
    evaluation = scored(excerpts(), words(*rows), terms(("T", "a b")), hits(("T",)))
    assert targets(evaluation) == [1]


def test_doubles_at_the_end_of_an_excerpt():
    raw_says_inside = 0.1 + 0.2 <= 0.3
    assert not raw_says_inside
    found = hits(("T", ("x", 0.1, 0.9, "YES")))
    evaluation = scored(excerpts((0, 0.3), (1, 50)), words((0.1, "a")), terms(("T", "a")), found)
    assert evaluation.ignored["hits_outside_ecf"] == 0
    assert evaluation.groups[0].counts.corr.tolist() == [1]


def test_entities():
    undecoded = "A&amp;T".lower() == "a&t"
    assert not undecoded
    evaluation = scored(excerpts(), words((1, "A&T")), terms(("T", "A&amp;T")), hits(("T",)))
    assert targets(evaluation) == [1]


def test_audio_extension_in_a_hit_list():
    reference_key_of_ecf, reference_key_of_hit = "x", "x.wav"  # only sph is dropped
    assert reference_key_of_ecf != reference_key_of_hit
    found = hits(("T", ("d/x.wav", 1, 0.9, "YES")))
    evaluation = scored(excerpts(name="d/x.wav"), words((1, "a")), terms(("T", "a")), found)
    assert evaluation.groups[0].counts.corr.tolist() == [1]


def test_a_dot_in_a_name():
    assert Path("f.v1").stem == "f"  # the reference
    assert recording_name("f.v1") == "f.v1"


def test_a_term_detected_twice():
    one = ("T", ("x", 1, 0.9, "YES"))
    evaluation = scored(excerpts(), words((1, "a")), terms(("T", "a")), hits(one, one))
    in_the_reference = 2 * 1  # once per detected_kwlist
    assert targets(evaluation) == [1] != [in_the_reference]


def test_term_id_zero():
    ids = ["7", "0", "8"]
    in_the_reference = ids[: ids.index("0")]  # Perl: "0" is false and ends the loop
    assert in_the_reference == ["7"]
    evaluation = scored(
        excerpts(), words((1, "a"), (2, "b"), (3, "c")),
        terms(*zip(ids, "abc", strict=True)), hits(*((i,) for i in ids)),
    )  # fmt: skip
    assert targets(evaluation) == [1, 1, 1]


def test_inconsistent_decisions():
    found = hits(("T", ("x", 1, 0.2, "YES"), ("x", 5, 0.9, "NO")))
    evaluation = scored(excerpts(), words((1, "a")), terms(("T", "a")), found)
    measures = evaluation.groups[0].measures
    assert np.isnan(measures["decision_threshold"])  # where the reference stops with status 1
    assert measures["ATWV"] == 1.0


def test_optimum_with_terms_without_references():
    # By hand: both terms are perfect above 0.5 and the third has no hit.
    found = hits(
        ("1", ("x", 1, 0.9, "YES"), ("x", 9, 0.5, "NO")), ("2", ("x", 2, 0.9, "YES")), ("3",)
    )
    evaluation = scored(
        excerpts(), words((1, "a"), (2, "b")), terms(("1", "a"), ("2", "b"), ("3", "c")), found,
        ScoringOptions(all_terms=True),
    )  # fmt: skip
    assert evaluation.groups[0].measures["OTWV"] == 1.0


def test_nested_excerpts():
    spans = [(0.0, 10.0), (2.0, 2.0)]
    begins = sorted(start for start, _ in spans)
    in_the_reference = (begins[1] - 0.0) + 2.0  # each is cut where a later one begins
    ours = speech_s([Excerpt(Recording("x", 1), *span) for span in spans])
    assert (ours, in_the_reference) == (10.0, 4.0)


def test_a_comma_in_a_term():
    evaluation = scored(excerpts(), words((1, "a,")), terms(("T", "a,")), hits(("T",)))
    out = io.BytesIO()
    alignment_csv(evaluation, out)
    row = out.getvalue().decode().splitlines()[1]
    assert '"a,"' in row
    assert len(row.replace('"', "").split(",")) == 13  # what a reader of the reference's file sees


def test_source_type_unknown_to_the_schema():
    with pytest.raises(InputError, match=r"source_type as bnews.*got 'telephone'"):
        ecf.parse(io.BytesIO(excerpts().replace("bnews", "telephone").encode()))


def test_score_nan():
    found = hits(("T", ("x", 1, "NaN", "YES")))
    with pytest.raises(InputError, match="score as a number, got 'NaN'"):
        std_list.parse(io.BytesIO(found.encode()))


def test_misspelt_type():
    with pytest.raises(InputError, match="an RTTM type such as LEXEME, got 'LEXEM'"):
        rttm.parse(io.BytesIO(words((1, "a")).replace("LEXEME", "LEXEM").encode()))


def test_trials_per_second():
    evaluation = scored(
        excerpts((0, 695.3085)), words((1, "a")), terms(("T", "a")), hits(("T",)),
        ScoringOptions(trials_per_second=2.0),
    )  # fmt: skip
    assert f"{695.3085 / 2:.0f}" == "348"  # the reference
    assert evaluation.groups[0].trials == 1391


def test_ten_columns():
    ten = words((1, "a")).replace("\n", " <NA>\n")
    assert len(ten.split()) == 10  # where the reference needs 9
    assert targets(scored(excerpts(), ten, terms(("T", "a")), hits(("T",)))) == [1]


def test_more_targets_than_trials():
    said = [(start / 10, "b") for start in range(7)]
    found = hits(("A", ("x", 1, 0.9, "YES")), ("B", ("x", 0, 0.8, "YES"), ("x", 3, 0.6, "YES")))
    evaluation = scored(
        excerpts((0, 4)), words((1, "a"), *said), terms(("A", "a"), ("B", "b")), found
    )
    group = evaluation.groups[0]
    of_the_reference = 1 - (6 / 7 + 999.9 * 1 / (4 - 7))
    assert round(of_the_reference, 4) == 333.4429
    assert group.twv.tolist() == pytest.approx([1.0, np.nan], nan_ok=True)
    assert group.measures["ATWV"] == pytest.approx(1 - (0 + 6 / 7) / 2)
    assert (
        "no P_fa, as every trial is a target: 1 term (B)" in summary_warnings({"s": evaluation})[-1]
    )


def in_two_segments():
    """A is a target in both; B in one, with a false alarm in the other."""
    found = hits(("A", ("x", 1, 0.9, "YES")), ("B", ("x", 2, 0.8, "YES"), ("x", 7, 0.6, "YES")))
    return (
        excerpts((0, 10)), spoken((0, 5), (5, 10)) + words((1, "a"), (2, "b"), (6, "a")),
        terms(("A", "a"), ("B", "b")), found,
    )  # fmt: skip


def test_optimum_with_a_term_that_is_a_target_in_every_trial():
    # The other figures are those that the reference prints for this set: -999.15 and .75.
    evaluation = scored(*in_two_segments(), ScoringOptions(segments=True))
    measures = evaluation.groups[0].measures
    assert measures["ATWV"] == pytest.approx(-999.15)
    assert measures["MTWV"] == pytest.approx(0.75)
    assert measures["OTWV"] == pytest.approx(0.75)  # "NA" there
    one = sample(evaluation.groups[0], evaluation.options, evaluation.scores)
    weights = UnitWeights(np.ones((1, len(one.counted))), np.ones((1, len(one.files))))
    expected = [measures[name] for name in WEIGHED if name != "Cnxe_min"]  # scores separate
    assert weighed(one, weights)[0, :-1] == pytest.approx(expected)


def test_turns_between_tenths_of_a_millisecond():
    said = spoken((0.00004, 5.00004), (5.50004, 9.50004)) + words((1, "a"), (6, "a"))
    found = hits(("T", ("x", 1, 0.9, "YES")))
    evaluation = scored(
        excerpts((0, 10)), said, terms(("T", "a")), found, ScoringOptions(segments=True)
    )
    # The reference counts the turn from 5.50004 s as silence: 3 segments and 1 target.
    assert (evaluation.groups[0].trials, targets(evaluation)) == (4, [2])


def test_segments_by_vocabulary():
    given = list(in_two_segments())
    given[3] = given[3].replace('kwid="B"', 'kwid="B" oov_count="1"')
    groups = scored(*given, ScoringOptions(segments=True, group_by=("oov",))).groups
    assert [(one.name, one.chosen.tolist()) for one in groups[1:]] == [
        ("IV", [True, False]), ("OOV", [False, True]),
    ]  # fmt: skip


def test_segments_of_chosen_recordings():
    options = ScoringOptions(segments=True, recordings=("x/1",))
    assert targets(scored(*in_two_segments(), options)) == [2, 1]


def test_recordings_by_a_part_of_their_name():
    assert re.match("^x$", "x/1") is None  # the reference anchors it
    assert targets(scored(*in_two_segments(), ScoringOptions(recordings=("x",)))) == [2, 1]


def test_nothing_vanishes():
    found = hits(("T", ("x", 1, 0.9, "YES"), ("x", 99.9, 0.9, "YES"), ("y", 1, 0.9, "YES")))
    evaluation = scored(excerpts(), words((1, "a"), (200, "a")), terms(("T", "a")), found)
    assert evaluation.ignored["hits_outside_ecf"] == 2
    assert evaluation.ignored["references_outside_ecf"] == 1


def test_the_document_lists_as_many_differences_as_there_are_tests():
    rows = [line for line in DOCUMENT.splitlines() if line.startswith("| ")][1:]
    tests = [name for name in globals() if name.startswith("test_")]
    assert len(rows) == len(tests) - 1
