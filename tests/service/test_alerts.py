"""Standing searches: their terms, and what is told; on the page: `test_page.py`."""

from itertools import product

import pytest

from searcher.standing_search import TOLD_FROM, StandingSearch
from service.alerts import Alerts
from service.live_index import LiveIndex
from std.errors import InputError

XML = '<term termid="{0}"><termtext>{1}</termtext></term>'
TERM_LIST = (
    '<termlist ecf_filename="e" version="1" language="german" encoding="UTF-8" '
    f'compareNormalize="">{XML.format(1, "spreewald")}{XML.format(2, "rathaus")}</termlist>'
)


@pytest.mark.parametrize(
    "text",
    ["spreewald\n# not a term\n\nrathaus\n", "id,text\n1,spreewald\n2,rathaus\n", TERM_LIST],
    ids=["lines", "csv", "xml"],
)
def test_term_lists_of_any_form_are_read(tmp_path, text):
    (tmp_path / "terms").write_text(text)
    with StandingSearch(tmp_path / "terms") as search:
        assert search.terms == ("spreewald", "rathaus")
    (tmp_path / "names.csv").write_text("Name;Partei\nspreewald;x\n")
    with StandingSearch(tmp_path / "names.csv") as search:
        assert (search.terms, search.column) == (("spreewald",), "column Name")


def test_what_is_no_term_is_named(tmp_path):
    (tmp_path / "terms").write_text("spreewald\n...\n")
    with pytest.raises(InputError, match="terms:2: expected a term with a letter or a digit"):
        StandingSearch(tmp_path / "terms")


def test_a_list_of_names_is_judged_as_one(tmp_path, german_index, german_settings):
    """With each name by itself "pumfen" would be told, which sounds like what somebody says."""
    syllables = ("gor", "lik", "mel", "tor")
    invented = ["pumfen", *map("".join, product(syllables, repeat=3))]
    terms = tmp_path / "terms.txt"
    terms.write_text("\n".join([*invented, "spreewald", "land*"]))
    live = LiveIndex(german_settings)
    alerts = Alerts(terms, "", live)
    told = {line["term"] for line in alerts.look(live.current)}
    assert told == {"spreewald", "land*"}
    by_itself = live.current.index.find("pumfen")
    assert by_itself.probability.max() > TOLD_FROM
    alerts.close()
    live.close()
