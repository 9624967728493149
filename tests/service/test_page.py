"""The page in a real browser: Chromium driven by Playwright, as a person would use it.

Needs the ``playwright`` package and a Chromium (Debian: ``apt install chromium``, or STD_CHROMIUM).
Nothing is downloaded. A message on the console, an error or a request to another host fails a test.
"""

import csv
import errno
import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from indexer import index_files
from service.settings import Settings
from std.errors import InputError

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is missing: the page is not tried in a browser"
)
CHROMIUM = os.environ.get("STD_CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="Chromium is missing (Debian: apt install chromium): no page is tried in it",
    ),
]
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--autoplay-policy=no-user-gesture-required", "--mute-audio"),
)
TOKEN = "a-secret-of-enough-letters"
WAIT_MS = 120_000


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def marks(tmp_path_factory):
    return tmp_path_factory.mktemp("marks") / "marks.jsonl"


@pytest.fixture(scope="module")
def served(serve, german_settings, marks):
    with serve(replace(german_settings, feedback=marks)) as client:
        client("/api/search", term="hahnenfedern")  # kernels are ready
        yield client


@pytest.fixture
def opened(browser):
    """Open a page; whatever the browser complains of fails the test."""
    contexts, complaints = [], []

    def open_page(client, path="/", **options):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        context.set_default_timeout(WAIT_MS)
        contexts.append(context)
        page = context.new_page()
        host = urlsplit(client.url).netloc

        def asked(url):
            if urlsplit(url).netloc != host and not url.startswith(f"blob:{client.url}"):
                complaints.append(url)

        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked(request.url))
        page.goto(client.url + path)
        return page

    def close():
        while contexts:
            contexts.pop().close()

    open_page.complaints, open_page.close = complaints, close
    yield open_page
    close()
    assert not complaints


@pytest.fixture
def serve_pages(serve, opened):
    """Serve settings until the pages are closed: one that asks a stopped service complains."""

    @contextmanager
    def served_until_closed(settings):
        with serve(settings) as client:
            yield client
            opened.close()

    return served_until_closed


def moves(page):
    """Wait until the sound really moves; the times between which it did."""
    before = page.evaluate("document.getElementById('audio').currentTime")
    page.wait_for_function(
        "before => { const audio = document.getElementById('audio');"
        " return !audio.paused && audio.currentTime > before + 0.2; }",
        arg=before,
    )
    return before, page.evaluate("document.getElementById('audio').currentTime")


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


def test_hints_are_taken_by_key(served, opened):
    page = opened(served)
    box = page.locator("#q")
    box.press_sequentially("und, poliz")
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
    assert page.locator(".hit").first.inner_text() != first
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


def test_marks_are_kept_over_a_restart(serve_pages, german_settings, opened, tmp_path):
    settings = replace(german_settings, feedback=tmp_path / "marks.jsonl")
    with serve_pages(settings) as client:
        page = opened(client, "/?term=spreewald")
        page.get_by_role("button", name="Right").click()
        page.locator("#marked").filter(has_text="1 right").wait_for()
        page.close()
    with serve_pages(settings) as client:
        page = opened(client, "/?term=spreewald")
        assert page.get_by_role("button", name="Right").get_attribute("aria-pressed") == "true"
        assert "1 right, 0 wrong" in page.locator("#marked").inner_text()


def test_the_view_of_a_recording(served, opened):
    page = opened(served, "/recordings/KERSTIN_00?term=hahnenfedern&term=spreewald&at=10.45")
    page.locator(".w.current").first.wait_for()
    assert page.locator("#title").inner_text() == "Radio lesson 1"
    assert page.locator("#metadata").inner_text().split() == [
        "date",
        "2019-03",
        "speaker",
        "Kerstin",
    ]
    assert page.locator(".w.current").all_inner_texts() == ["hand", "in", "vielen"]
    assert page.locator(".w.hit-word").count() == 4
    assert (
        "Hit 2 of 2: hahnenfedern at 0:10.4, 98 % likely"
        in page.locator("#hit-caption").inner_text()
    )

    page.locator("#spectrum").wait_for()
    size = page.locator("#picture").evaluate("image => [image.naturalWidth, image.naturalHeight]")
    assert size[0] > 500
    assert size[1] == 96
    page.wait_for_function(
        "() => document.getElementById('wave').getAttribute('aria-valuemax') > 100"
    )
    drawn = page.locator("#wave").evaluate(
        "canvas => new Set(canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height).data).size"
    )
    assert drawn > 5

    page.locator(".w", has_text="vielen").first.hover()
    table = page.locator("#alternatives")
    table.wait_for()
    assert "federn" in table.inner_text()
    assert "%" in table.inner_text()

    page.locator(".w", has_text="spreewald").nth(1).click()
    moves(page)
    page.locator(".w.now").wait_for()
    followed = set()
    for _ in range(300):  # at most a minute
        followed.add(page.locator(".w.now").inner_text())
        if len(followed) == 3:
            break
        page.wait_for_timeout(200)
    else:
        pytest.fail("the highlight does not follow the sound")
    page.keyboard.press(" ")
    page.wait_for_function("() => document.getElementById('audio').paused")

    page.get_by_role("button", name="Previous hit").click()
    page.locator("#hit-caption").filter(has_text="Hit 1 of 2: spreewald").wait_for()
    assert page.get_by_role("button", name="Previous hit").is_disabled()
    page.locator("#wave").click(position={"x": 600, "y": 40})
    page.wait_for_function("() => document.getElementById('audio').currentTime > 40")
    page.keyboard.press("0")
    assert page.locator("#wider").is_disabled()
    with page.expect_response(re.compile(r"/peaks\?from=")):  # finer than the overview
        for _ in range(3):
            page.keyboard.press("+")
    shown = page.locator("#wave-span").inner_text()
    assert re.fullmatch(r"\d:\d\d\.\d to \d:\d\d\.\d", shown)
    page.locator("#whole").click()
    assert page.locator("#wave-span").inner_text() == ""


def test_words_by_keyboard(served, opened):
    page = opened(served, "/recordings/KERSTIN_00")
    first = page.locator(".w").first
    first.wait_for()
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert (
        page.evaluate("document.activeElement.textContent")
        == page.locator(".w").nth(2).inner_text()
    )
    assert page.locator("#alternatives").is_visible()
    page.keyboard.press("Enter")
    moves(page)


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


def test_find_judge_and_take_away_by_keyboard(serve_pages, german_settings, opened, tmp_path):
    """All places where two words are said, and the good ones as a table."""
    with serve_pages(replace(german_settings, feedback=tmp_path / "marks.jsonl")) as client:
        page = opened(client)
        page.keyboard.type("spreewald, hahnenfedern")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.activeElement.id === 'count'")
        first = page.locator(".hit").first.get_attribute("data-term")
        for key in "jyjn":
            page.keyboard.press(key)
        page.locator("#marked").filter(has_text="1 right, 1 wrong (50 % right)").wait_for()
        page.keyboard.press("e")
        page.keyboard.press("Space")
        assert page.locator("#only-right").is_checked()
        page.keyboard.press("Tab")
        with page.expect_download() as saved:
            page.keyboard.press("Enter")
        text = Path(saved.value.path()).read_text("utf-8-sig")
        rows = list(csv.DictReader(text.splitlines()))
        assert [(row["term"], row["right"]) for row in rows] == [(first, "right")]


def test_nothing_found_says_so_and_offers_words(served, opened):
    page = opened(served, "/?term=quetzalcoatl&min_probability=0.9")
    assert page.locator("#count").inner_text() == "Nothing found"
    assert "quetzalcoatl" in page.locator("#nothing").inner_text()
    link = page.locator(".nearest a").first
    link.wait_for()
    link.click()
    page.wait_for_url(re.compile(r"\?term=(?!quetzalcoatl)\w+"))
    page.locator(".hit, #nothing").first.wait_for()


def test_a_token_is_asked_for_once(serve_pages, german_settings, opened):
    with serve_pages(replace(german_settings, token=TOKEN)) as client:
        page = opened(client, "/?term=spreewald")
        field = page.get_by_label("This service asks for a token.")
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


def test_new_hits_of_standing_searches_are_shown(serve, german, opened, tmp_path):
    from indexer import index_files
    from service.settings import Settings

    store, terms = str(tmp_path / "index"), tmp_path / "terms.txt"
    mesh = german / "mesh"
    index_files([str(mesh / "KERSTIN_01.mesh")], store=store)
    terms.write_text("spreewald\n")
    with serve(Settings((store,), alerts=terms, poll_s=0.1)) as client:
        page = opened(client)
        page.get_by_text("Nothing new in the archive").wait_for()
        told = tmp_path / "terms.txt.hits.jsonl"
        while not (told.exists() and told.stat().st_size):
            page.wait_for_timeout(100)
        index_files([str(mesh / "KERSTIN_00.mesh")], store=store)
        while not client("/api/alerts").json["hits"]:
            page.wait_for_timeout(100)
        page.reload()
        page.get_by_role("link", name="KERSTIN_00, 0:05.1").wait_for()
        page.fill("#q", "und")
        page.keyboard.press("Enter")
        page.locator(".hit").first.wait_for()
        assert page.locator("#news").is_hidden()


@pytest.fixture(scope="module")
def many(serve, tmp_path_factory):
    """A recording in which a word is said 600 times, every four seconds."""
    folder = tmp_path_factory.mktemp("many")

    def time(seconds):
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000"

    cues = (f"{time(4 * i)} --> {time(4 * i + 3)}\nheute steht das haus {i}" for i in range(600))
    (folder / "many.vtt").write_text("WEBVTT\n\n" + "\n\n".join(cues) + "\n")
    index_files([folder / "many.vtt"], folder / "index")
    with serve(Settings((str(folder / "index"),))) as client:
        yield client


def test_a_hit_beyond_the_500th_opens_at_its_place(many, opened):
    hit = many("/api/search", term="haus", sort="time", limit=50, cursor=550).json["hits"][1]
    page = opened(many, f"/recordings/many?term=haus&at={hit['start_s']:.2f}")
    page.locator(".hit-word.current").wait_for()
    words = page.locator("#words .w").all_text_contents()
    assert words.count("haus") == 600
    now = page.locator(".hit-word.current")
    assert now.inner_text() == "haus"
    assert words[int(now.get_attribute("data-i")) + 1] == "551"
    assert page.evaluate("document.querySelectorAll('.hit-word').length") == 600


def test_words_are_found_in_a_recording(many, opened):
    page = opened(many, "/recordings/many")
    page.locator(".w").first.wait_for()
    page.keyboard.press("f")
    page.keyboard.type("Haus 59")
    assert page.locator("#found").inner_text() == "11 found"  # 59, and 590 to 599
    page.keyboard.press("Enter")
    assert page.locator("#found").inner_text() == "1 of 11"
    assert page.locator(".found-word.here").all_inner_texts() == ["haus", "59"]
    page.keyboard.press("Shift+Enter")
    assert page.locator("#found").inner_text() == "11 of 11"
    page.locator("#find").fill("nothing")
    assert page.locator("#found").inner_text() == "0 found"
    assert page.locator("#found-next").is_disabled()


def test_speed_and_repetition_of_a_hit(served, opened):
    page = opened(served, "/recordings/KERSTIN_00?term=hahnenfedern&at=10.45")
    page.locator("#hit-caption:not(:empty)").wait_for()
    page.wait_for_function("() => document.getElementById('audio').readyState > 0")
    page.keyboard.press(">")
    assert page.evaluate("document.getElementById('audio').playbackRate") == 1.25
    page.keyboard.press("l")
    assert page.locator("#loop").get_attribute("aria-pressed") == "true"
    page.wait_for_function("() => !document.getElementById('audio').paused")
    page.evaluate("document.getElementById('audio').currentTime = 13")
    page.wait_for_function("() => document.getElementById('audio').currentTime < 11.8")


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
    page.keyboard.press("Enter")
    page.wait_for_url("**where=date%3A2019-03**")
    page.get_by_text("understood: “die” or “der”").wait_for()
    titles = {*page.locator(".hit .open").all_inner_texts()}
    assert titles <= {"Radio lesson 1", "Radio lesson 2"}


def test_a_query_holds_in_recordings(served, opened):
    page = opened(served, "/?term=die+-polizei")
    page.get_by_role("link", name="as recordings").click()
    page.locator(".unit").first.wait_for()
    assert "recordings, about" in page.locator("#count").inner_text()
    page.go_back()
    page.locator(".hit").first.wait_for()


def test_a_mark_that_cannot_be_written_waits_in_the_browser(served, opened, monkeypatch):
    page = opened(served, "/?term=polizei")
    hit = page.locator(".hit").first
    key = {"term": "polizei", "recording": "KERSTIN_12"}

    def full(file, lines):
        cause = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise InputError(file.path, 0, "room on the disk", str(cause)) from cause

    monkeypatch.setattr("std.appended.AppendedFile.append", full)
    hit.locator(".wrong").click()
    page.locator("#marked").filter(has_text="kept in this browser and sent again").wait_for()
    monkeypatch.undo()
    opened.complaints[:] = [one for one in opened.complaints if "507" not in one]
    assert not [one for one in served("/api/feedback").json if key.items() <= one.items()]
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_function("() => localStorage.getItem('std-marks') === '[]'")
    (mark,) = [one for one in served("/api/feedback").json if key.items() <= one.items()]
    assert mark["right"] is False


@pytest.mark.parametrize("width", [1280, 390])
def test_recordings_are_added_described_and_deleted(
    serve_pages, german, german_settings, opened, tmp_path, width
):
    audio, store, kept = tmp_path / "audio", str(tmp_path / "index"), tmp_path / "Zeit & Raum.vtt"
    audio.mkdir()
    index_files([str(german / "mesh/KERSTIN_00.mesh")], store=store, language="German")
    kept.write_text("WEBVTT\n\n00:00.000 --> 00:02.000\nein ganz neues wort\n")
    settings = replace(
        german_settings, stores=(store,), audio=audio, metadata=None, allow_uploads=True
    )
    with serve_pages(settings) as client:
        page = opened(
            client, "/recordings", viewport={"width": width, "height": 800}, bypass_csp=True
        )
        page.locator("#files").set_input_files([kept])
        row = page.locator("#uploads li")
        row.get_by_role("link", name="Zeit & Raum").wait_for()  # it can be searched
        assert "can be searched" in row.inner_text()
        row.get_by_label("Describe").click()
        row.get_by_label("title").fill("Time")
        row.get_by_label("date").press("Enter")  # keeps it
        row.get_by_text("saved").wait_for()
        row.locator(".name", has_text="Time").wait_for()
        if AXE.exists():
            page.add_script_tag(path=str(AXE))
            assert not page.evaluate("axe.run().then((found) => found.violations.length)")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        row.get_by_role("button", name="Delete").press("Enter")
        back = page.get_by_role("button", name="Bring back Zeit_Raum")
        back.wait_for()
        assert back.evaluate("one => one === document.activeElement")
        back.press("Enter")
        row.locator(".name", has_text="Time").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_words_are_corrected_by_keyboard(
    serve_pages, german_settings, german_index, opened, tmp_path, width
):
    store = tmp_path / "index"
    shutil.copytree(german_index, store)
    settings = replace(german_settings, stores=(str(store),), allow_corrections=True)
    with serve_pages(settings) as client:
        size = {"width": width, "height": 800}
        page = opened(client, "/recordings/KERSTIN_00", viewport=size, bypass_csp=True)
        page.locator(".w").first.wait_for()
        page.keyboard.press("d")
        assert page.evaluate("document.activeElement.textContent") == "pronomen"
        page.keyboard.press("c")
        box = page.get_by_label("Said at 0:31.7")
        assert box.input_value() == "pronomen"
        box.fill("Xylofon Probe")
        box.press("Enter")
        page.locator(".w.corrected").nth(1).wait_for()
        assert page.locator(".w.corrected").all_inner_texts() == ["xylofon", "probe"]
        assert page.evaluate("document.activeElement.textContent") == "xylofon"
        assert "certain" in page.locator("#alternatives").inner_text()
        page.keyboard.press("u")
        page.wait_for_function("!document.querySelector('.w.corrected')")
        page.keyboard.press("c")
        box.fill("Pronom")
        page.get_by_role("button", name="Everywhere").press("Enter")
        page.get_by_text("“pronomen” is written at 1 place.").wait_for()
        if AXE.exists():
            page.add_script_tag(path=str(AXE))
            assert not page.evaluate("axe.run().then((found) => found.violations.length)")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.keyboard.press("Enter")  # on: correct the ticked places
        page.locator(".w.corrected", has_text="pronom").wait_for()
        page.keyboard.press("c")
        page.get_by_role("button", name="Take the correction back").press("Enter")
        page.wait_for_function("!document.querySelector('.w.corrected')")


def test_searches_are_saved_watched_and_counted(serve_pages, german_settings, opened, tmp_path):
    settings = replace(german_settings, alerts=tmp_path / "watched.txt")
    with serve_pages(settings) as client:
        page = opened(client, "/?term=und")
        page.get_by_role("button", name="Save this search").click()
        page.get_by_role("button", name="Saved").wait_for()
        page.get_by_role("button", name="Watch for new hits").click()
        page.locator(".watch[aria-pressed=true]").wait_for()
        assert (tmp_path / "watched.txt").read_text() == "und\n"
        page.get_by_role("group", name="Hits by date").get_by_role("link").nth(1).click()
        page.get_by_role("link", name="All dates").click()
        page.get_by_role("link", name="All dates").wait_for(state="detached")
        page.get_by_role("link", name="Spoken terms").click()
        page.get_by_role("heading", name="Saved searches").wait_for()
        assert page.locator("#searches li").all_inner_texts()[:2] == [
            "und Remove", "und Forget",
        ]  # fmt: skip
        page.get_by_role("button", name="Watch und no longer").press("Enter")
        page.locator("#news").wait_for(state="hidden")
        page.get_by_role("button", name="Remove und").press("Enter")
        page.get_by_role("heading", name="Saved searches").wait_for(state="detached")
        page.get_by_role("link", name="Lists").click()
        page.get_by_label("Terms, one a line").fill("und\nspreewald")
        page.get_by_role("button", name="Count").press("Enter")
        page.get_by_role("row", name="spreewald").get_by_role("link", name="spreewald").click()
        page.locator(".hit mark", has_text="spreewald").first.wait_for()


def test_a_mark_is_taken_back_by_key_and_values_are_found(serve_pages, german_settings, opened):
    with serve_pages(replace(german_settings, feedback=None)) as client:
        page = opened(client, "/?term=und")
        page.locator(".hit").first.wait_for()
        page.keyboard.press("j")
        right = page.locator(".hit .right").first
        wrong = page.locator(".hit .wrong").first
        page.keyboard.press("n")
        page.locator("#marked", has_text="1 wrong").wait_for()
        page.keyboard.press("y")
        page.locator("#marked", has_text="1 right, 0 wrong").wait_for()
        page.keyboard.press("z")
        page.locator("#marked", has_text="0 right, 1 wrong").wait_for()
        assert wrong.get_attribute("aria-pressed") == "true"
        page.reload()  # another session
        page.locator(".past").first.click()
        page.locator(".past-list li").first.wait_for()
        assert page.locator(".past-list li").count() == 3
        assert "a change was taken back" in page.locator(".past-list li").first.inner_text()
        assert page.locator(".past-list button").count() == 1
        page.keyboard.press("z")
        page.wait_for_function("() => !document.getElementById('marked').textContent.trim()")
        assert right.get_attribute("aria-pressed") == "false"
        assert client("/api/feedback").json == []
        page.get_by_label("Find in recording").fill("lesson 2")
        shown = page.locator(".facet", has=page.get_by_label("Find in recording")).locator(
            "li:visible"
        )
        assert shown.count() == 1
        assert "Radio lesson 2" in shown.inner_text()


@pytest.mark.parametrize("width", [390, 1280])
def test_notes_are_written_changed_and_taken_back(serve_pages, german_settings, opened, width):
    with serve_pages(german_settings) as client:
        size = {"width": width, "height": 800}
        page = opened(client, "/recordings/KERSTIN_00", viewport=size, bypass_csp=True)
        page.locator(".w").nth(3).wait_for()
        page.locator(".w").first.press("ArrowRight")
        page.keyboard.press("a")
        box = page.get_by_label("Note at 0:")
        box.fill("Who is this?")
        box.press("Tab")
        page.keyboard.press("Enter")  # on: keep
        mark = page.get_by_role("button", name="Note: Who is this?")
        mark.wait_for()
        assert page.evaluate("document.activeElement.dataset.i") == "1"
        assert page.locator(".w.noted").count() == 1
        mark.press("Enter")
        box.fill("Maria")
        box.press("Control+Enter")
        page.locator("#notes .note-text", has_text="Maria").wait_for()
        if AXE.exists():
            page.add_script_tag(path=str(AXE))
            assert not page.evaluate("axe.run().then((found) => found.violations.length)")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.keyboard.press("z")
        page.locator("#notes .note-text", has_text="Who is this?").wait_for()
        mark.press("Enter")
        page.get_by_role("button", name="Delete").press("Enter")
        mark.wait_for(state="detached")
        assert client("/api/feedback", kind="note").json == []
