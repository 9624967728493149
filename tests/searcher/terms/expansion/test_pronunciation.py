import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searcher.terms.expansion.pronunciation import LEFT_OUT, arranged, build
from searcher.terms.vocabulary import of_words
from std.config import Config, PronunciationConfig
from std.phonetics.confusion import Counts, empty, probabilities, widened
from std.phonetics.lexicon import Lexicon, made

WORDS = st.text("abdtk", min_size=1, max_size=5)


class Letters:
    name = "letters:xx"

    def pronounce(self, words):
        return [tuple(word.replace("-", "")) for word in words]


def table(words, counts=None):
    vocabulary, lexicon = of_words(words), Lexicon(Letters())
    return arranged(vocabulary, lexicon, made(vocabulary.words, lexicon), counts)


def distance(said, heard, counts, inventory):
    """The textbook recursion."""
    both = sorted({*said, *inventory})
    row = {phone: i for i, phone in enumerate(both)}
    observed, deleted = probabilities(widened(counts, both))

    def cost(a, b):
        return max(0.0, np.log(observed[row[a], row[a]] / observed[row[a], row[b]]))

    left_out = -np.log(LEFT_OUT)
    cells = {(0, 0): 0.0}
    for i in range(len(said) + 1):
        for j in range(len(heard) + 1):
            ways = [cells[i, j]] if (i, j) == (0, 0) else []
            if i:
                a = row[said[i - 1]]
                gone = max(np.log(observed[a, a] / deleted[a]), left_out)
                ways.append(cells[i - 1, j] + gone)
            if j:
                ways.append(cells[i, j - 1] + left_out)
            if i and j:
                ways.append(cells[i - 1, j - 1] + cost(said[i - 1], heard[j - 1]))
            cells[i, j] = min(ways)
    return cells[len(said), len(heard)]


@settings(max_examples=50)
@given(st.lists(WORDS, min_size=1, max_size=8, unique=True), WORDS, st.integers(0, 9))
def test_the_closest_words_against_the_textbook(words, query, n):
    counts, inventory = empty([]), {letter for word in words for letter in word}
    expected = sorted(
        (
            (word, np.exp(-distance(query, word, counts, inventory) / len(query)))
            for word in words
            if word != query
        ),
        key=lambda one: -one[1],
    )[:n]
    (found,) = table(words, counts).similar([query], n)
    assert [one[1] for one in found] == pytest.approx([one[1] for one in expected], rel=1e-4)
    assert query not in [one[0] for one in found]


def test_many_words_of_one_length_go_through_several_blocks():
    words = [a + b + c for a in "abdtk" * 1 for b in "abdtkmnlr" for c in "abdtkmnlr"]
    (found,) = table(words).similar(["dab"], 50)
    assert {"tab", "dad"} <= {one[0] for one in found[:4]}  # voice or place alone differs
    assert len(found) == 50
    assert [one[1] for one in found] == sorted((one[1] for one in found), reverse=True)


def test_what_was_counted_changes_what_sounds_alike():
    phones = tuple("abk")
    substituted = np.zeros((3, 3))
    substituted[1, 2] = 1000  # b is taken for k
    zeros = np.zeros(3)
    counts = Counts(phones, substituted, zeros, zeros, zeros)
    (found,) = table(["aka", "ala"], counts).similar(["aba"], 1)
    assert found == [("aka", pytest.approx(1.0))]


def test_words_without_sound_are_similar_to_nothing():
    some = table(["-", "ab"])
    assert some.similar(["-", "ad"], 5) == [
        [],
        [("ab", pytest.approx(some.similar(["ad"])[0][0][1]))],
    ]
    assert table(["-"]).similar(["ab"], 5) == [[]]


def test_english_words_that_sound_the_same():
    vocabulary = of_words(["knight", "the", "of", "and", "night", "kite"])
    english = Config(pronunciation=PronunciationConfig(language="en"))
    (found,) = build(vocabulary, english).similar(["nite"], 2)
    assert {one[0] for one in found} == {"knight", "night"}
    assert found[0][1] == 1.0
