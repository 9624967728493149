import pytest

from searcher.terms.request import SpokenWords, Variant
from searcher.terms.variants import RAREST, VariantGenerator, as_terms, replaced
from searcher.terms.vocabulary import of_counts
from std.config import Config, ExpansionConfig, SplittingConfig

WORDS = of_counts(
    {"die": 9, "burg": 5, "anlagen": 4, "von": 9, "burganlage": 1, "startmenge": 2, "start": 3}
)
NOTHING = SplittingConfig(words="none")


def looked_up(term, **settings):
    (found,) = VariantGenerator(WORDS, Config(**settings)).variants([tuple(term.split())])
    return [" ".join(one.words) for one in found]


@pytest.mark.parametrize(
    ("term", "among"),
    [
        ("burganlagen", "burg anlagen"),
        ("die burganlagen von", "die burg anlagen von"),
        ("start menge", "startmenge"),
        ("burg-anlagen", "burg anlagen"),
    ],
)
def test_unknown_words_are_split_and_known_ones_joined(term, among):
    found = looked_up(term)
    assert found[0] == term
    assert among in found
    assert len(set(found)) == len(found)


def test_known_terms_stay_as_they_are_unless_all_are_wanted():
    assert looked_up("startmenge") == ["startmenge"]
    assert looked_up("burganlagen", splitting=NOTHING) == ["burganlagen"]
    all_words = ExpansionConfig(words="all", methods=("levenshtein",), candidates=2)
    assert "start" in looked_up("startmenge", splitting=NOTHING, expansion=all_words)


@pytest.mark.parametrize("method", ["levenshtein", "dice"])
def test_unknown_words_are_replaced_by_similar_ones(method):
    config = ExpansionConfig(words="unknown", methods=(method,), candidates=1)
    found = looked_up("die burganlagen von", splitting=NOTHING, expansion=config)
    assert found == ["die burganlagen von", "die burganlage von"]


def test_the_best_method_of_a_word_weights_it():
    config = ExpansionConfig(words="unknown", methods=("levenshtein", "dice"), exponent=2.0)
    generator = VariantGenerator(WORDS, Config(expansion=config))
    found = generator.expansions(["burganlagen"])["burganlagen"]
    best = found[0]
    # eq. 2.3: (11 + 10 - 2) / 21; eq. 2.4: 2 * 9 / (10 + 9), squared
    assert (best.words, best.method) == (("burganlage",), "dice")
    assert best.similarity == pytest.approx((18 / 19) ** 2)
    assert [one.similarity for one in found] == sorted(
        (one.similarity for one in found), reverse=True
    )


def test_several_unknown_words_share_the_candidates():
    similar = {
        "x": [Variant((f"a{i}",), 1 - i / 10, "dice", f"x → a{i}") for i in range(9)],
        "y": [Variant((f"b{i}",), 1 - i / 10, "dice", f"y → b{i}") for i in range(9)],
    }
    found = replaced(["x", "und", "y"], similar, 9)
    assert len(found) == 9
    assert found[0].words == ("a0", "und", "b0")
    assert found[0].how == "x → a0, y → b0"
    assert found[-1].similarity == pytest.approx(0.8 * 0.8)
    assert replaced(["und"], similar, 9) == []


def test_words_too_long_for_anything_are_looked_up_as_they_are():
    assert looked_up("donau" * 1000) == ["donau" * 1000]


def test_an_empty_index_has_no_variants():
    found = VariantGenerator(of_counts({}), Config()).variants([("a",)])
    assert found == [[Variant(("a",))]]


def test_the_tree_of_an_index_is_built_once_and_kept_with_it(tmp_path):
    config, asked = Config(splitting=SplittingConfig(method="bktree")), [("burganlagen",)]
    expected = VariantGenerator(WORDS, config).variants(asked)
    assert VariantGenerator(WORDS, config, tmp_path).variants(asked) == expected
    (tree,) = (tmp_path / "bktree").iterdir()
    before = {path.name: path.stat().st_mtime_ns for path in tree.iterdir()}
    assert VariantGenerator(WORDS, config, tmp_path).variants(asked) == expected
    assert {path.name: path.stat().st_mtime_ns for path in tree.iterdir()} == before
    other = of_counts({"burg": 1, "anlagen": 1})
    assert VariantGenerator(other, config, tmp_path).variants(asked)
    assert [path.name for path in (tmp_path / "bktree").iterdir()] != [tree.name]
    (next((tmp_path / "bktree").iterdir()) / "edge.npy").write_bytes(b"damaged")
    assert VariantGenerator(other, config, tmp_path).variants(asked)


def test_the_tree_leaves_files_of_the_user_alone(tmp_path):
    config, asked = Config(splitting=SplittingConfig(method="bktree")), [("burganlagen",)]
    mine = ["notes.txt", "thesis/edge.npy", "0" * 16 + "/notes.txt"]
    for name in mine:
        (tmp_path / "bktree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bktree" / name).write_text("mine")
    expected = VariantGenerator(WORDS, config).variants(asked)
    assert VariantGenerator(WORDS, config, tmp_path).variants(asked) == expected
    assert {(tmp_path / "bktree" / name).read_text() for name in mine} == {"mine"}


@pytest.mark.parametrize("name", ["", "tree"])
def test_the_tree_is_not_kept_through_a_link(tmp_path, name):
    config, asked = Config(splitting=SplittingConfig(method="bktree")), [("burganlagen",)]
    index, home = tmp_path / "index", tmp_path / "home"
    index.mkdir()
    home.mkdir()
    (home / "edge.npy").write_text("mine")
    if name:
        (index / "bktree").mkdir()
        name = WORDS.digest()[:16]
    (index / "bktree" / name).symlink_to(home)
    expected = VariantGenerator(WORDS, config).variants(asked)
    assert VariantGenerator(WORDS, config, index).variants(asked) == expected
    assert [path.read_text() for path in home.iterdir()] == ["mine"]


COUNTS = {"aus": 899, "haus": 99, "hauses": 2}  # of 1,000 postings


def weights(*alternatives, counts=COUNTS, doubt=0.1):
    query = [SpokenWords(tuple(words.split()), weight) for words, weight in alternatives]
    (weighed,) = as_terms([query], counts, doubt)
    return {" ".join(one.words): one.weight for one in weighed}


def test_weights_are_divided_by_the_frequency_of_words():
    # sqrt(.6) / .8993 = .86133, sqrt(.3) / .0993 = 5.51584; what else, .15 * .1 / .0003 = 50
    found = weights(("aus", 0.6), ("haus", 0.3))
    assert found == pytest.approx({"haus": 5.51584 / 56.37717, "aus": 0.86133 / 56.37717}, rel=1e-5)
    assert list(found) == ["haus", "aus"]  # the likeliest first


def test_a_query_heard_as_a_frequent_word_is_mostly_something_else():
    assert weights(("aus", 1.0)) == pytest.approx({"aus": 1.11198 / 51.11198}, rel=1e-5)
    # 1 / .0023 = 434.7826
    assert weights(("hauses", 1.0)) == pytest.approx({"hauses": 434.7826 / 484.7826}, rel=1e-5)
    assert weights(("hauses", 1.0), doubt=0.3) == pytest.approx({"hauses": 434.7826 / 584.7826})


def test_unlikely_alternatives_are_left_out():
    # sqrt(.0001) / .0023 = 4.34783 of 489.130 is below .01
    assert weights(("hauses", 1.0), ("hauses aus", 1e-4)) == weights(("hauses", 1.0))


def test_a_sequence_is_as_frequent_as_its_rarest_word():
    found = weights(("aus hauses", 0.5), ("hauses", 0.5))
    assert found["aus hauses"] == found["hauses"]


def test_words_that_are_not_there_are_as_frequent_as_the_rarest():
    found = weights(("hauses", 0.5), ("klaus", 0.5))
    assert found["klaus"] / found["hauses"] == pytest.approx((0.002 + RAREST) / RAREST)
    found = weights(("aus", 0.7), ("haus", 0.2), counts={})
    assert found["aus"] / found["haus"] == pytest.approx(3.5**0.5)


def test_sequences_with_the_same_words_are_one():
    assert weights(("hauses", 0.3), ("hauses", 0.7)) == weights(("hauses", 1.0))


def test_a_query_in_which_no_word_was_heard_has_none():
    assert weights() == {}
