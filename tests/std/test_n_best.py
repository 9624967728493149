import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from std import networks
from std.networks import GAP_COST, TimedWord, aligned

NAN = float("nan")


def untimed(text):
    return [TimedWord(token, NAN, NAN) for token in text.split()]


def side_by_side(*hypotheses):
    """Slots as text, one row per hypothesis, '-' for none."""
    slots = aligned(hypotheses)
    table = [["-"] * len(slots) for _ in hypotheses]
    for column, slot in enumerate(slots):
        for number, place in slot:
            table[number][column] = hypotheses[number][place].token
    return [" ".join(row) for row in table]


def test_without_times_words_decide():
    assert side_by_side(
        *map(untimed, ["das ist ein haus", "das ein haus", "dass ist ein haus da"])
    ) == [
        "das ist ein haus -",
        "das - ein haus -",
        "dass ist ein haus da",
    ]


def test_times_decide_between_equal_edits():
    # "kosten" lasts as long as "kostengünstige" begins: it belongs there, not to "und"
    first = [TimedWord("und", 0.0, 0.2), TimedWord("kostengünstige", 0.2, 1.0)]
    second = [TimedWord("kosten", 0.2, 0.6)]
    assert side_by_side(first, second) == ["und kostengünstige", "- kosten"]


def test_the_same_word_at_another_time_is_another_slot():
    first = [TimedWord("ja", 0.0, 0.2), TimedWord("gut", 0.2, 0.5)]
    second = [TimedWord("gut", 0.2, 0.5), TimedWord("ja", 5.0, 5.2)]
    assert side_by_side(first, second) == ["ja gut -", "- gut ja"]


@example([["a", "c", "b", "a"], ["a", "a", "a", "c", "b"], []])  # sums of gap costs are rounded
@given(st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=4))
def test_every_word_once_and_in_order(texts):
    hypotheses = [untimed(" ".join(text)) for text in texts]
    places = [place for slot in aligned(hypotheses) for place in slot]
    for number, words in enumerate(hypotheses):
        assert [at for which, at in places if which == number] == list(range(len(words)))


@given(st.lists(st.sampled_from("abc"), max_size=6), st.integers(1, 3))
def test_equal_hypotheses_share_all_slots(text, copies):
    slots = aligned([untimed(" ".join(text))] * copies)
    assert len(slots) == len(text)
    assert all(len(slot) == copies for slot in slots)


def least_cost(first, second):
    """Of aligning two hypotheses without times, as anybody would write it."""
    if not first or not second:
        return GAP_COST * (len(first) + len(second))
    return min(
        least_cost(first[1:], second[1:]) + (0 if first[0] == second[0] else 0.5),
        least_cost(first[1:], second) + GAP_COST,
        least_cost(first, second[1:]) + GAP_COST,
    )


@given(*[st.lists(st.sampled_from("abc"), max_size=5)] * 2)
def test_no_alignment_is_cheaper(first, second):
    """What the two have in common at either end is not searched: it must cost nothing."""
    texts = first, second
    cost = 0.0
    for slot in aligned([untimed(" ".join(text)) for text in texts]):
        tokens = {texts[number][place] for number, place in slot}
        cost += GAP_COST if len(slot) == 1 else 0.5 * (len(tokens) - 1)
    assert cost == pytest.approx(least_cost(first, second))


def test_two_transcripts_of_hours_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="2 that differ in too many words"):
        aligned([untimed("a " * 4000), untimed("b " * 4000)])
    monkeypatch.setattr(networks, "MAX_CELLS", 3)
    with pytest.raises(ValueError, match="5 that differ in too many words"):
        aligned([untimed(word) for word in "abcde"])
