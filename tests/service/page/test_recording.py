"""The page of a recording: words, sound, hits in it."""

import re

import pytest

from indexer import index_files
from service.settings import Settings
from tests.service.page.playing import moves

pytestmark = [pytest.mark.slow, pytest.mark.browser]


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
    assert page.locator(".w[tabindex='0']").inner_text() == "hand"  # which `c` corrects
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
    page.emulate_media(media="print")  # the words, without what nobody can press on paper
    assert page.locator(".w").first.is_visible()
    assert not any(page.locator(one).first.is_visible() for one in (".sound", "#find", ".back"))


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
