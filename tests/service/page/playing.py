"""Sound on the page."""


def moves(page):
    """Wait until the sound really moves; the times between which it did."""
    before = page.evaluate("document.getElementById('audio').currentTime")
    page.wait_for_function(
        "before => { const audio = document.getElementById('audio');"
        " return !audio.paused && audio.currentTime > before + 0.2; }",
        arg=before,
    )
    return before, page.evaluate("document.getElementById('audio').currentTime")
