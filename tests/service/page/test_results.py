"""Terms typed on the search page: hints, results, facets, pages, exports."""

import csv
import re
from pathlib import Path

import pytest

from tests.service.page.playing import is_narrow_with_long_names, moves

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def test_a_term_is_typed_found_and_played(served, opened):
    page = opened(served)
    box = page.locator("#q")
    box.press_sequentially("hahnenfedern")
    note = page.locator("#typed")
    note.filter(has_text="does not know “hahnenfedern”").wait_for()
    box.press("Enter")
    hit = page.locator(".hit").first
    hit.wait_for()
    assert "hahn federn" in hit.locator("mark").inner_text()
    assert "hand in vielen" in hit.inner_text()
    counted = served("/api/search", term="hahnenfedern", min_probability=0.05).json["total"]
    assert page.locator("#count").inner_text().startswith(f"{counted} place")
    assert "term=hahnenfedern" in page.url
    hit.get_by_role("button", name="Play").click()
    before, after = moves(page)
    assert 9.3 <= before <= 12
    assert after > before
    assert hit.evaluate("hit => hit.classList.contains('playing')")
    hit.get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.getElementById('audio').paused")


def test_what_is_played_is_the_hit_whose_title_stands_there(served, opened):
    """The ticket of another recording comes later, or not at all."""
    page = opened(served, "/?term=und&sort=recording")
    late, failed = [], []

    def ticket(route):
        if route.request.url.endswith("_00"):
            late.append(route)
        elif route.request.url.endswith("_02") and not failed:
            failed.append(route)
            route.fulfill(status=503, body="{}")
        else:
            route.fulfill(json={"ticket": "t"})

    page.route("**/api/tickets/*", ticket)
    page.evaluate("document.body.dataset.needsToken = ''; sessionStorage.setItem('std-token', 'a')")

    def play(name):
        hit = page.locator(f".hit[data-recording={name}]").first
        hit.get_by_role("button", name="Play").click()

    source = "document.getElementById('audio').src"
    play("KERSTIN_00")
    play("KERSTIN_01")
    page.wait_for_function(f"() => {source}.includes('KERSTIN_01')")
    with page.expect_response("**/api/tickets/KERSTIN_00"):
        late[0].fulfill(json={"ticket": "t"})
    page.evaluate("new Promise((resolve) => { setTimeout(resolve, 50); })")
    assert "KERSTIN_01" in page.evaluate(source)
    play("KERSTIN_02")
    page.locator("#announcement", has_text="status 503").wait_for(state="attached")
    opened.complaints.clear()
    assert page.evaluate("document.getElementById('audio').paused")
    play("KERSTIN_02")
    page.wait_for_function(f"() => {source}.includes('KERSTIN_02')")


def test_hints_are_taken_by_key(served, opened):
    page = opened(served)
    box = page.locator("#q")
    box.fill("und, poliz")
    option = page.get_by_role("option").first
    option.wait_for()
    word = option.get_attribute("data-word")
    assert word.startswith("poliz")
    box.press("ArrowDown")
    assert box.get_attribute("aria-activedescendant") == "hint-0"
    box.press("Enter")
    assert box.input_value() == f"und, {word}"
    assert not page.get_by_role("listbox").is_visible()
    box.press("Enter")
    page.locator(".hit").first.wait_for()
    assert page.url.endswith(f"/?term=und&term={word}")


def test_hints_of_another_word_cannot_be_taken(served, opened):
    page = opened(served)
    box = page.locator("#q")
    box.fill("poliz")
    page.get_by_role("option").first.wait_for()
    hidden = (
        "(box, text) => { box.value = text; box.dispatchEvent(new Event('input'));"
        " return document.getElementById('hints').hidden; }"
    )
    assert not box.evaluate(hidden, "polize")  # which the hints shown may be for
    assert box.evaluate(hidden, "poliz, un")


def test_the_slider_counts_before_it_filters(served, opened):
    page = opened(served, "/?term=und&term=hahnenfedern&min_probability=0")
    everything = served(
        "/api/search", term=["und", "hahnenfedern"], limit=500, min_probability=0
    ).json
    assert page.locator("#count").inner_text().startswith(f"{everything['total']} places")
    slider = page.locator("#least")
    slider.evaluate(
        "slider => { slider.value = 0.5;"
        " slider.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    expected = everything["by_probability"]["counts"][50]
    assert page.locator("#count").inner_text().startswith(f"{expected} places, about ")
    assert slider.get_attribute("aria-valuetext").startswith("50 %: ")
    slider.dispatch_event("change")
    page.wait_for_url("**min_probability=0.5**")
    page.locator(f"#count[data-total='{expected}']").wait_for()
    assert page.locator(".hit").count() == min(50, expected)


def test_facets_and_the_address(served, opened):
    page = opened(served, "/?term=und")
    page.get_by_role("checkbox", name="2019-03").click()
    page.wait_for_url("**where=date%3A2019-03**")
    page.locator(".facet .chosen").first.wait_for()
    titles = {*page.locator(".hit .open").all_inner_texts()}
    assert titles <= {"Radio lesson 1", "Radio lesson 2"}
    assert titles
    count, address = page.locator("#count").inner_text(), page.url
    page.go_back()
    page.wait_for_function(
        "count => document.getElementById('count').textContent.trim() !== count", arg=count
    )
    other = opened(served, address.removeprefix(served.url))
    assert other.locator("#count").inner_text() == count
    other.get_by_role("link", name="by recording").click()
    other.locator(".group").first.wait_for()
    assert other.locator(".group h3").all_inner_texts() == sorted(titles)


def test_pages_of_results(served, opened):
    page = opened(served, "/?term=und&term=der&term=die&min_probability=0")
    first = page.locator(".hit").first.inner_text()
    page.get_by_role("link", name="Next").click()
    page.wait_for_url("**cursor=50**")
    page.locator("#hits[start='51']").wait_for()
    second = page.locator(".hit").first.inner_text()
    assert second != first
    page.locator(".hit a.open").first.click()
    page.locator("#back[href*='cursor=50']").click()  # to the page that was left
    page.locator("#hits[start='51']").wait_for()
    assert page.locator(".hit").first.inner_text() == second
    page.get_by_role("link", name="Previous").click()
    page.locator("#hits[start='1']").wait_for()
    assert page.locator(".hit").first.inner_text() == first


def test_the_keyboard_alone(served, opened, marks):
    page = opened(served)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    page.keyboard.type("spreewald, hahnenfedern")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.locator(".hit").first.wait_for()
    page.wait_for_function("() => document.activeElement.id === 'count'")
    first, second = (page.locator(".hit").nth(i).get_attribute("data-term") for i in (0, 1))
    assert {first, second} == {"hahnenfedern", "spreewald"}
    page.keyboard.press("j")
    assert page.locator(".hit.current").get_attribute("data-term") == first
    page.keyboard.press("ArrowDown")
    current = page.locator(".hit.current")
    assert current.get_attribute("data-term") == second
    page.keyboard.press(" ")
    moves(page)
    page.keyboard.press(" ")
    page.wait_for_function("() => document.getElementById('audio').paused")
    page.keyboard.press("y")
    page.locator("#marked").filter(has_text="1 right, 0 wrong (100 % right)").wait_for()
    assert current.get_by_role("button", name="Right").get_attribute("aria-pressed") == "true"
    page.keyboard.press("n")
    page.locator("#marked").filter(has_text="0 right, 1 wrong").wait_for()
    page.keyboard.press("n")
    page.wait_for_function("() => document.getElementById('marked').textContent === ''")
    page.keyboard.press("k")
    assert page.locator(".hit.current").get_attribute("data-term") == first
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_url("**/recordings/KERSTIN_00?**")
    page.locator(".w.hit-word").first.wait_for()
    page.keyboard.press("Escape")
    page.wait_for_url("**/?term=spreewald&term=hahnenfedern")


def test_exports_are_saved(served, opened, tmp_path):
    page = opened(served, "/?term=und&min_probability=0.5")
    with page.expect_download() as saved:
        page.get_by_role("link", name="table (CSV)").click()
    path = tmp_path / "hits.csv"
    saved.value.save_as(path)
    assert saved.value.suggested_filename == "und.csv"
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == int(page.locator("#count").get_attribute("data-total"))
    assert all(float(row["probability"]) >= 0.5 for row in rows)
    for kind in ("JSON", "STD list", "subtitles (SRT)", "WebVTT"):
        with page.expect_download() as saved:
            page.get_by_role("link", name=kind).click()
        assert Path(saved.value.path()).stat().st_size > 100


def test_a_recording_that_is_gone_is_told_to_people(served, opened):
    page = opened(served, "/recordings/KERSTIN_99?term=und&at=1")
    opened.complaints.clear()  # of the status
    assert "has no recording KERSTIN_99" in page.get_by_role("alert").inner_text()
    page.get_by_role("link", name="All recordings").click()
    page.get_by_role("link", name="Radio lesson 1").wait_for()
    page.goto(f"{served.url}/recording/KERSTIN_00")
    opened.complaints.clear()
    assert page.get_by_role("alert").inner_text() == "There is no page at this address."
    # A filter of an old address does not keep a person from searching.
    page.goto(f"{served.url}/?term=spreewald&recording=KERSTIN_99")
    page.get_by_role("link", name="Search without the filters").click()
    page.locator(".hit").first.wait_for()


def test_nothing_found_says_so_and_offers_words(served, opened):
    page = opened(served, "/?term=quetzalcoatl&min_probability=0.9")
    assert page.locator("#count").inner_text() == "Nothing found"
    assert "quetzalcoatl" in page.locator("#nothing").inner_text()
    link = page.locator(".nearest a").first
    link.wait_for()
    link.click()
    page.wait_for_url(re.compile(r"\?term=(?!quetzalcoatl)\w+"))
    page.locator(".hit, #nothing").first.wait_for()


def test_back_returns_to_the_hit(served, opened):
    page = opened(served, "/?term=und")
    page.locator(".hit").nth(20).locator(".context").click()
    for _ in range(3):
        page.keyboard.press("j")
    place = page.evaluate("[scrollY, document.querySelector('.hit.current').dataset.start]")
    assert place[0] > 0
    page.keyboard.press("Enter")
    page.locator("#words .w").first.wait_for()
    page.go_back()
    page.locator(".hit.current").wait_for()
    assert page.locator(".hit.current").get_attribute("data-start") == place[1]
    assert abs(page.evaluate("scrollY") - place[0]) < 50


def test_filters_stay_for_the_next_search(served, opened):
    page = opened(served, "/?term=und&where=date%3A2019-03")
    page.locator(".facet .chosen").wait_for()
    page.locator("#q").fill("die OR der")
    slow = []
    page.route("**/page/results*", lambda route: slow.append(route))  # playwright marks it
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => getComputedStyle(document.getElementById('results')).opacity < .6"
    )
    slow[0].continue_()
    page.unroute("**/page/results*")
    page.wait_for_url("**where=date%3A2019-03**")
    page.get_by_text("understood: “die” or “der”").wait_for()
    titles = {*page.locator(".hit .open").all_inner_texts()}
    assert titles <= {"Radio lesson 1", "Radio lesson 2"}


def test_a_query_holds_in_recordings(served, opened):
    page = opened(served, "/?term=die+-polizei")
    page.get_by_role("link", name="as recordings").click()
    page.locator(".unit").first.wait_for()
    shown = page.locator("#count").inner_text()
    assert re.fullmatch(
        r"\d+ recordings may fit; about \d+ do(, counting less likely ones)?", shown
    )
    assert is_narrow_with_long_names(page)
    page.go_back()
    page.locator(".hit").first.wait_for()
