"""What several tests of the page look at: sound that plays, the width."""


def moves(page):
    """Wait until the sound really moves; the times between which it did."""
    before = page.evaluate("document.getElementById('audio').currentTime")
    page.wait_for_function(
        "before => { const audio = document.getElementById('audio');"
        " return !audio.paused && audio.currentTime > before + 0.2; }",
        arg=before,
    )
    return before, page.evaluate("document.getElementById('audio').currentTime")


def is_narrow_with_long_names(page):
    """Whether the page fits also if recordings have names of 200 letters."""
    return page.evaluate("""() => {
        for (const one of document.querySelectorAll("a.long")) one.textContent = "w".repeat(200);
        return document.documentElement.scrollWidth <= innerWidth;
    }""")
