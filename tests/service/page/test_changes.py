"""What people change on the page: marks, notes, words, recordings, watched searches."""

import csv
import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from indexer import index_files
from service.settings import Settings
from std.errors import InputError
from tests.service.served import archive_with_sound

pytestmark = [pytest.mark.slow, pytest.mark.browser]
AXE = Path(__file__).parents[1] / "axe" / "node_modules" / "axe-core" / "axe.min.js"


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


def test_more_like_those_that_were_just_marked(serve_pages, opened, tmp_path):
    index = str(archive_with_sound(tmp_path) / "index")
    with serve_pages(Settings((index,), feedback=tmp_path / "marks.jsonl")) as client:
        page = opened(client)
        page.wait_for_function("() => document.activeElement.id === 'q'")
        page.keyboard.type("/spreewald")  # as if it had not the focus already
        page.keyboard.press("Enter")
        link = page.get_by_role("link", name="More like those marked right")
        hit = page.locator(".hit").first
        hit.wait_for()
        assert not link.is_visible()
        for key in "jny":
            page.keyboard.press(key)
        link.click()
        page.wait_for_url("**/?term=spreewald+like*b%4010.10-10.50")
        page.locator(".hit[data-recording=a]").wait_for()
        page.goto(f"{client.url}/?term=like:a@6-7")
        page.locator("#nothing").wait_for()  # and nothing is asked about its words


def test_a_second_thought_counts_while_the_first_mark_is_sent(served, opened):
    page = opened(served, "/?term=schule")
    hit = page.locator(".hit").first
    hit.evaluate(
        "hit => { for (const one of ['.right', '.wrong']) hit.querySelector(one).click(); }"
    )
    page.locator("#marked", has_text="0 right, 1 wrong").wait_for()
    assert hit.get_attribute("data-right") == "false"
    hit.locator(".wrong").click()
    page.wait_for_function("() => document.getElementById('marked').textContent === ''")


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


def test_a_kept_mark_that_is_refused_is_called_so(served, opened):
    page = opened(served, "/?term=polizei")
    page.locator(".hit").first.wait_for()
    page.evaluate(
        """() => {
          const key = { term: "polizei", recording: "gone", start: 1, end: 2 };
          localStorage.setItem("std-marks", JSON.stringify([{ key, wanted: true }]));
          dispatchEvent(new Event("online"));
        }"""
    )
    page.locator(
        "#announcement", has_text="a mark that was kept in this browser is not saved"
    ).wait_for(state="attached")
    opened.complaints[:] = [one for one in opened.complaints if "404" not in one]
    assert page.evaluate("localStorage.getItem('std-marks')") == "[]"


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
        assert "a change was undone" in page.locator(".past-list li").first.inner_text()
        assert page.locator(".past-list button").count() == 1
        page.keyboard.press("z")
        page.wait_for_function("() => !document.getElementById('marked').textContent.trim()")
        page.locator(".past-list li").nth(3).wait_for()  # the open history is not an old one
        assert right.get_attribute("aria-pressed") == "false"
        assert client("/api/feedback").json == []
        hit = page.locator(".hit").first  # two other tabs mark it, and this one has not seen that
        key = hit.evaluate("hit => ({ ...hit.dataset })")
        place = {"term": "und", "recording": key["recording"]}
        place |= {name: float(key[name]) for name in ("start", "end")}
        client("/api/feedback", method="POST", body=place | {"right": True})
        wrong.click()
        page.locator("#marked", has_text="Not marked: this hit was marked right").wait_for()
        assert len(opened.complaints) == 1  # the status 412
        opened.complaints.clear()
        wrong.click()
        page.locator("#marked", has_text="0 right, 1 wrong").wait_for()
        page.emulate_media(media="print")  # nobody can press a button, but a mark counts
        assert hit.locator(".context").evaluate("one => one.clientWidth") > 600
        assert hit.locator(".open").is_visible()
        assert (wrong.is_visible(), right.is_visible()) == (True, False)
        page.emulate_media(media="screen")
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
        page.get_by_role("button", name="Undo the correction").press("Enter")
        page.wait_for_function("!document.querySelector('.w.corrected')")


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
        of_others = {"metadata": {"speaker": "Ada"}}  # not seen on this page, and not taken away
        client("/api/uploads/Zeit_Raum", method="PATCH", body=of_others)
        row.get_by_label("date").fill("2024")
        with page.expect_response("**/api/uploads/Zeit_Raum") as sent:
            row.get_by_label("date").press("Enter")
        assert sent.value.json()["metadata"] == {"title": "Time", "speaker": "Ada", "date": "2024"}
        if AXE.exists():
            page.add_script_tag(path=str(AXE))
            assert not page.evaluate("axe.run().then((found) => found.violations.length)")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        row.get_by_role("button", name="Delete").press("Enter")
        back = page.get_by_role("button", name="Restore Zeit_Raum")
        back.wait_for()
        assert back.evaluate("one => one === document.activeElement")
        back.press("Enter")
        row.locator(".name", has_text="Time").wait_for()


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
        (tmp_path / "watched.txt").write_text("und\nhaus, burg\nrathaus, see\n")
        page.get_by_role("button", name="Stop watching und").press("Enter")
        page.locator("#news").get_by_text("several terms with commas").wait_for()
        opened.complaints.clear()  # of the status
        assert page.locator("#announcement").inner_text().startswith("watched.txt: expected")
        (tmp_path / "watched.txt").write_text("und\n")
        page.get_by_role("button", name="Stop watching und").press("Enter")
        page.locator("#news").wait_for(state="hidden")
        page.get_by_role("button", name="Remove und").press("Enter")
        page.get_by_role("heading", name="Saved searches").wait_for(state="detached")
        page.get_by_role("link", name="Lists").click()
        count = page.get_by_role("button", name="Count")
        page.get_by_label("Terms, one a line").fill("spreewald")
        count.press("Enter")
        page.locator("#list-note", has_text="1 term, 1 hit.").wait_for()
        page.get_by_label("Terms, one a line").fill("und\nspreewald")
        count.press("Enter")
        page.locator("#list-note", has_text="2 terms, ").wait_for()
        page.get_by_role("row", name="spreewald").get_by_role("link", name="spreewald").click()
        page.locator(".hit mark", has_text="spreewald").first.wait_for()


def test_new_hits_of_standing_searches_are_shown(serve, german, opened, tmp_path):
    from indexer import index_files

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
