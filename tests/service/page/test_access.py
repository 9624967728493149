"""Who can use the page: with a token, with assistive technology, without scripts; hostile data."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from indexer import index_files
from tests.service.page.playing import is_narrow_with_long_names, moves

pytestmark = [pytest.mark.slow, pytest.mark.browser]
TOKEN = "a-secret-of-enough-letters"
AXE = Path(__file__).parents[1] / "axe" / "node_modules" / "axe-core" / "axe.min.js"


def test_a_token_is_asked_for_once(serve_pages, german_settings, opened):
    with serve_pages(replace(german_settings, token=TOKEN)) as client:
        page = opened(client, "/?term=spreewald")
        field = page.get_by_label("This service needs a token.")
        field.fill("wrong" * 5)
        field.press("Enter")
        page.get_by_text("This token is not right.").wait_for()
        field.fill(TOKEN)
        field.press("Enter")
        page.locator(".hit").first.wait_for()
        page.get_by_role("button", name="Play").click()
        moves(page)
        page.locator("a.open").first.click()
        page.locator(".w.hit-word").first.wait_for()
        page.wait_for_function(
            "() => document.getElementById('wave').getAttribute('aria-valuemax') > 100"
        )
        assert page.context.cookies() == []
        assert TOKEN not in page.url
    opened.complaints[:] = [
        one for one in opened.complaints if "401" not in one
    ]  # of the wrong one


def test_a_late_answer_to_a_wrong_token_does_not_ask_again(serve_pages, german_settings, opened):
    wrong, held = "wrong" * 5, []

    def hold(route):
        if wrong in route.request.headers.get("authorization", ""):
            held.append(route)
        else:
            route.continue_()

    with serve_pages(replace(german_settings, token=TOKEN)) as client:
        page = opened(client, "/?term=spreewald")
        page.route("**/page/results*", hold)
        field = page.get_by_label("This service needs a token.")
        field.fill(wrong)
        field.press("Enter")
        page.get_by_text("This token is not right.").wait_for()
        field.fill(TOKEN)
        field.press("Enter")
        assert held
        for route in held:
            route.continue_()
        page.locator(".hit").first.wait_for()
        assert not field.is_visible()
    opened.complaints[:] = [one for one in opened.complaints if "401" not in one]


def test_a_file_waits_for_the_right_token(serve_pages, german, german_settings, opened, tmp_path):
    store, added = str(tmp_path / "index"), tmp_path / "added.vtt"
    index_files([str(german / "mesh/KERSTIN_00.mesh")], store=store, language="German")
    added.write_text("WEBVTT\n\n00:00.000 --> 00:02.000\nein ganz neues wort\n")
    (tmp_path / "audio").mkdir()
    settings = replace(
        german_settings, stores=(store,), audio=tmp_path / "audio", metadata=None,
        allow_uploads=True, token=TOKEN,
    )  # fmt: skip
    with serve_pages(settings) as client:
        page = opened(client, "/recordings")
        field = page.get_by_label("This service needs a token.")
        field.fill(TOKEN)
        field.press("Enter")
        field.wait_for(state="hidden")
        page.evaluate("sessionStorage.setItem('std-token', 'of yesterday')")
        page.locator("#files").set_input_files([added])
        page.get_by_text("This token is not right.").wait_for()
        assert "not added" not in page.locator("#uploads").inner_text()
        field.fill(TOKEN)
        field.press("Enter")
        page.locator("#uploads li").get_by_role("link", name="added").wait_for()
    opened.complaints[:] = [one for one in opened.complaints if "401" not in one]


def test_hostile_data_do_nothing(served, opened):
    term = "<img src=x onerror=\"document.title='broken'\">"
    page = opened(served)
    page.locator("#q").fill(f"{term}, und")
    page.locator("#q").press("Enter")
    page.locator(".hit").first.wait_for()
    assert page.locator("img").count() == 0
    page = opened(served, "/?term=und&recording=KERSTIN_12&group=recording")
    assert page.locator(".group b").count() == 0
    assert "<b onmouseover" in " ".join(page.locator(".group h3").all_inner_texts())
    assert is_narrow_with_long_names(page)
    assert "broken" not in page.title() or "document.title" in page.title()
    other = opened(served, "/recordings/KERSTIN_12")
    other.locator(".w").first.wait_for()
    assert other.locator("h1 b").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "path", ["/", "/?term=und&term=hahnenfedern", "/?term=quetzalcoatl&min_probability=1",
             "/recordings/KERSTIN_00?term=hahnenfedern", "/api/docs", "/lists", "/recordings"],
)  # fmt: skip
def test_every_view_is_accessible_and_fits(served, opened, path, width):
    if not AXE.exists():
        pytest.skip("axe-core is missing: npm ci --prefix tests/service/axe --ignore-scripts")
    size = {"width": width, "height": 800}
    page = opened(served, path, viewport=size, color_scheme="light", bypass_csp=True)
    page.wait_for_load_state("networkidle")
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0, "nothing is wider than the window"
    page.add_script_tag(path=str(AXE))
    assert brightness(page) > 200
    assert passed(page, "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice") > 10
    page.emulate_media(color_scheme="dark")  # changes colours only
    assert brightness(page) < 60
    assert passed(page, "color-contrast") == 1


def brightness(page):
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", background)[:3])) / 3


def passed(page, *rules):
    """The number of rules, or of the rules with these tags, that a page follows; all of them."""
    found = page.evaluate(f"axe.run({{runOnly: {list(rules)}}})")
    problems = [
        (one["id"], [node["html"][:120] for node in one["nodes"][:3]])
        for one in found["violations"]
    ]
    assert not problems
    return len(found["passes"])


def test_without_scripts_it_still_finds(served, opened):
    page = opened(served, java_script_enabled=False)
    page.locator("#q").fill("spreewald, hahnenfedern")
    page.get_by_role("button", name="Search").click()
    asked = {"term": ["spreewald", "hahnenfedern"], "min_probability": 0.05}
    assert page.locator(".hit").count() == served("/api/search", **asked).json["total"] > 1


def test_the_first_page_is_small(served, opened):
    page = opened(served, "/?term=und")
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate(
        "['resource', 'navigation'].flatMap(kind => performance.getEntriesByType(kind))"
        ".map(entry => entry.transferSize)"
    )
    assert 10_000 < sum(sizes) < 100_000
