"""The HTML report in a real browser, opened from disk."""

import json

import numpy as np
import pytest

from scoring.evaluate import evaluate
from scoring.options import ScoringOptions
from scoring.report.html_report import render
from std.values import (
    ECF,
    Detections,
    Excerpt,
    Lexemes,
    Recording,
    STDList,
    Term,
    TermList,
    TermSearch,
)
from tests.scoring.nist_sets import evaluated

pytestmark = [pytest.mark.slow, pytest.mark.browser]
HOSTILE = '<script>document.title="broken"</script>'
MANY = 10_000


def many_terms():
    """Each term is said once, found once, and found wrongly once; the first one is hostile."""
    where = (Recording("long", 1),)
    words = (HOSTILE.replace(" ", "_"), *(f"term{i}" for i in range(1, MANY)))
    zeros, at = np.zeros(MANY, np.int32), 10.0 * np.arange(MANY)
    lexemes = Lexemes(
        where, ("one",), zeros, zeros, at, np.ones(MANY), words, ("lex",) * MANY
    )  # fmt: skip
    terms = TermList(tuple(Term(f"T-{i:05}", word) for i, word in enumerate(words)))
    index, score = np.arange(MANY, dtype=np.int32), (np.arange(MANY) + 0.5) / MANY
    hits = Detections(
        tuple(term.term_id for term in terms.terms),
        where,
        np.concatenate([index, index]),
        np.zeros(2 * MANY, np.int32),
        np.concatenate([at, at + 5]),
        np.ones(2 * MANY),
        np.concatenate([score, score / 2]),
        np.concatenate([score, score / 2]) > 0.25,
    )
    speech = ECF((Excerpt(where[0], 0, 10.0 * MANY + 20),))
    searches = (TermSearch(),) * MANY
    return evaluate(speech, lexemes, terms, STDList(hits, searches, system_id=HOSTILE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("report with a space")
    documents = {
        "one": render([evaluated("s9")]),
        "several": render(
            [evaluated("s1"), evaluated("s9"), evaluated("s6")], names=["first", HOSTILE, "third"]
        ),
        "groups": render([evaluated("s9", ScoringOptions(group_by=("source-type",)))]),
        "many": render([many_terms()]),
    }
    for name, text in documents.items():
        (made / f"{name}.html").write_text(text, "utf-8")
    return made


@pytest.fixture
def show(browser, folder):
    """Open a report; a complaint of the browser or a call to the network fails the test."""
    contexts, complaints = [], []

    def asked(url):
        if not url.startswith(("file:", "data:")):
            complaints.append(url)

    def opened(name, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked(request.url))
        page.goto((folder / f"{name}.html").as_uri())
        return page

    opened.complaints = complaints
    yield opened
    for context in contexts:
        context.close()
    assert not complaints


def numbers(page):
    return json.loads(page.locator("#numbers").text_content())


def readout(page, name):
    return page.locator(f"#now-{name}").inner_text().replace("\N{MINUS SIGN}", "-")


def column(page, table, index):
    cells = page.locator(f"[data-table={table}] tbody tr > :nth-child({index + 1})")
    return cells.all_inner_texts()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["one", "several", "groups", "many"])
def test_opens_without_a_complaint(show, name, scheme):
    page = show(name, color_scheme=scheme)
    assert page.locator("h1").is_visible()
    assert page.locator("[data-table=terms] tbody tr").count() == min(
        25, numbers(page)["views"][0]["terms"]["total"]
    )
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 27)")


def test_slider_moves_numbers_and_lines(show):
    page = show("one")
    (view,) = numbers(page)["views"]
    curve = view["curve"]

    def shows(index):
        assert float(readout(page, "threshold")) == pytest.approx(
            curve["threshold"][index], rel=1e-5
        )
        assert float(readout(page, "twv")) == pytest.approx(curve["twv"][index], abs=6e-5)
        assert float(readout(page, "p_miss")) == pytest.approx(curve["p_miss"][index], abs=6e-5)
        assert float(readout(page, "p_fa")) == pytest.approx(curve["p_fa"][index], abs=6e-7)
        assert int(readout(page, "correct")) == curve["correct"][index]
        assert int(readout(page, "missed")) == view["targets"] - curve["correct"][index]
        assert int(readout(page, "alarms")) == curve["alarms"][index]
        circle = page.locator("#det-cursor circle")
        assert float(circle.get_attribute("cx")) == curve["x"][index]
        assert float(circle.get_attribute("cy")) == curve["y"][index]
        line = page.locator(".threshold-cursor").first
        assert line.get_attribute("transform") == f"translate({curve['at'][index]:g} 0)"
        assert f"TWV {readout(page, 'twv')}".replace("-", "\N{MINUS SIGN}") in page.locator(
            "#slider"
        ).get_attribute("aria-valuetext")

    shows(view["best"])
    slider = page.locator("#slider")
    slider.focus()
    slider.press("Home")
    shows(0)
    slider.press("ArrowRight")
    shows(1)
    slider.press("End")
    shows(len(curve["threshold"]) - 1)
    page.locator("#exact").fill("0.5")
    shows(next(i for i, one in enumerate(curve["threshold"]) if one >= 0.5))
    page.locator("#exact").fill("7")
    shows(len(curve["threshold"]) - 1)
    page.locator("#to-best").click()
    shows(view["best"])
    page.locator("#to-own").click()
    shows(next(i for i, one in enumerate(curve["threshold"]) if one >= view["own"]))


def test_tables_sort_filter_and_turn(show):
    page = show("many")
    terms = page.locator("[data-table=terms]")
    status = terms.locator("output")
    assert status.inner_text() == "Rows 1 to 25 of 10,000 terms."

    head = terms.locator("th[data-key=id]")
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert terms.locator("th[aria-sort]").count() == 1
    assert column(page, "terms", 1) == [f"T-{i:05}" for i in range(25)]
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "terms", 1)[0] == "T-09999"
    terms.get_by_role("button", name="Next").click()
    assert column(page, "terms", 1)[0] == "T-09974"
    assert status.inner_text() == "Rows 26 to 50 of 10,000 terms."
    terms.get_by_label("Rows").select_option("500")
    assert len(column(page, "terms", 1)) == 500

    terms.get_by_label("Filter").fill("term123")
    assert status.inner_text() == "Rows 1 to 11 of 11 terms, filtered from 10,000."
    terms.get_by_label("Filter").fill("no such term")
    assert status.inner_text() == "No terms, filtered from 10,000."
    assert not terms.locator("table").is_visible()
    terms.get_by_label("Filter").fill("")
    terms.get_by_label("Show").select_option(label="with misses")
    group_misses = numbers(page)["views"][0]["misses"]["total"]
    assert status.inner_text().endswith(f"of {group_misses:,} terms, filtered from 10,000.")

    alarms = page.locator("[data-table=alarms]")
    assert "The first 2,000 of" in alarms.locator("output").inner_text()
    score = alarms.locator("th[data-key=score]")
    assert score.get_attribute("aria-sort") == "descending"
    score.locator("button").click()
    values = [float(one) for one in column(page, "alarms", 5)]
    assert values == sorted(values)


def test_ten_thousand_terms_stay_usable(show):
    page = show("many")
    sort_ms, filter_ms = page.evaluate(
        """() => {
            const place = document.querySelector("[data-table=terms]");
            const timed = (act) => {
                const from = performance.now();
                act();
                document.body.offsetHeight;  // lays the page out
                return performance.now() - from;
            };
            const field = place.querySelector("input");
            return [timed(() => place.querySelector("th[data-key=text] button").click()),
                    timed(() => { field.value = "9"; field.dispatchEvent(new Event("input")); })];
        }"""
    )
    assert sort_ms < 1500
    assert filter_ms < 1500


def test_text_is_inert(show):
    page = show("many")
    assert page.title() != "broken"
    assert page.locator("h1").inner_text() == HOSTILE
    page.locator("[data-table=terms]").get_by_label("Filter").fill("<script>")
    assert column(page, "terms", 0) == [HOSTILE.replace(" ", "_")]
    refused = page.evaluate(
        """() => new Promise((done) => {
            document.addEventListener("securitypolicyviolation", () => done(true), { once: true });
            const made = document.createElement("script");
            made.textContent = "window.broken = true";
            try { document.body.append(made); } catch { done(true); }
            setTimeout(() => done(!window.broken), 200);
        })"""
    )
    assert refused
    (complaint,) = show.complaints
    assert "Content Security Policy" in complaint
    show.complaints.clear()


def test_choosing_a_system_changes_everything_below(show):
    page = show("several")
    views = numbers(page)["views"]
    for index, view in enumerate(views):
        page.get_by_label("Shown in detail").select_option(str(index))
        assert int(page.locator("#slider").get_attribute("max")) == len(view["curve"]["twv"]) - 1
        assert page.locator(".of-view:visible").count() == 2
        assert page.locator(f"#calibration-{index}").is_visible()
        shown = page.locator("[data-table=misses] output").inner_text()
        assert f"{len(view['misses']['columns']['why']):,} misses" in shown
    assert page.locator("#det .line").count() == 3


def test_keyboard_reaches_everything(show):
    page = show("one")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to the report"
    assert skip.bounding_box()["x"] >= 0
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()")
        )
        if "alarms-filter" in reached:
            break
        style = page.evaluate(
            "(({outlineStyle, outlineWidth}) => [outlineStyle, outlineWidth])"
            "(getComputedStyle(document.activeElement))"
        )
        assert style == ["solid", "3px"]
    assert {"slider", "exact", "to-best", "terms-filter", "terms-kind", "false alarms"} <= reached


@pytest.mark.parametrize("width", [360, 800])
def test_small_screens_scroll_only_tables(show, width):
    page = show("several", viewport={"width": width, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_prints_whole_and_without_controls(show):
    page = show("one", color_scheme="dark")
    page.emulate_media(media="print")
    for hidden in ("nav", ".control", ".tools", ".pager button >> nth=0"):
        assert not page.locator(hidden).first.is_visible()
    for shown in ("#det", "#readout", "[data-table=misses] table", "#ignored table"):
        assert page.locator(shown).first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_without_scripts_the_rest_is_there(show):
    page = show("one", java_script_enabled=False)
    assert page.locator("noscript").is_visible()
    assert page.locator("#summary table tbody tr").count() == 1
    assert page.locator("#det .line").is_visible()
