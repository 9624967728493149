# ruff: noqa: RUF001  # other scripts are meant
"""Whatever espeak-ng is asked, in any of its languages, its process may end, but not ours.

The library is C without bounds. Built with an address sanitiser, espeak-ng 1.52 wrote past its
buffers from 158 letters of Danish up; in Greenlandic it ended at seven letters.
"""

import os
import random
import signal
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest

from std.errors import ConfigError
from std.phonetics import g2p_espeak
from std.phonetics.g2p_espeak import Espeak

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("espeakng_loader") is None, reason="espeakng-loader is not installed"
    ),
]

WORDS = {
    "da": "smørrebrød kærlighed rødgrød politimester undervisning elektrificering solidarisk",
    "de": "dort bundesverfassungsgericht dahin überschrift straße landeshauptstadt vorgehen",
    "nl": "wankel hottentotten tentoonstelling onafhankelijkheid verzekering selfs",
    "kl": "åååååå ækssåhhksll nalunaarasuartaatilioqateeraliorfinnialikkersaatiginialik hhksll",
    "hi": "नमस्ते स्वतंत्रता हिन्दी विश्वविद्यालय",
    "ta": "தமிழ் வணக்கம் பல்கலைக்கழகம்",
    "ru": "превысокомногорассмотрительствующий здравствуйте",
    "ar": "مرحبا فأسقيناكموه",
}
KINDS = {
    "letters": "abcdefghijklmnopqrstuvwxyzäöüßåæøéèñçğışőž",
    "digits": "0123456789",
    "digits and letters": "0123456789abcdeIVXLCM.,-'",
    "punctuation": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~…–—«»",
    "marks": "ae\u0301\u0308\u0323\u20dd\u200d\ufe0f\u0335",
    "scripts": "धमகॐлжяαωאבعة中漢あア한글ሀกᏣ",
    "markup": "<speak>/&amp;[[_^\"='0",
    "controls": "a\0\n\r\t\x1b\x7f\u2028\ufeff\ud800😀",
}


def voices():
    import espeakng_loader

    folder = Path(espeakng_loader.get_data_path()) / "lang"
    return sorted({path.name for path in folder.rglob("*") if path.is_file()})


def hostile(language, chance):
    """Words of all kinds, shorter and longer than espeak-ng's buffers."""
    for alphabet in KINDS.values():
        for length in (3, 58, 60, 61, 190, 400):
            yield "".join(chance.choices(alphabet, k=length))
    own = WORDS.get(language, " ".join(WORDS.values())).split()
    for _ in range(8):
        yield "".join(chance.choices(own, k=chance.randrange(1, 40)))
    yield chance.choice(own) * 45


def test_no_word_of_any_language_ends_this_process():
    asked = 0
    for language in voices():
        words = [*hostile(language, random.Random(f"{language} 32"))]
        found = Espeak(language).pronounce(words)
        assert len(found) == len(words), language
        asked += len(words)
    assert asked > 5000


def test_a_long_word_is_its_pieces():
    german = Espeak("de")
    (once,), (often,) = german.pronounce(["dort"]), german.pronounce(["dort" * 45])
    assert len(often) == 45 * len(once)


def test_what_ends_the_library_costs_its_own_phones_only(ended_by_x):
    assert Espeak("de").pronounce(["ab", "abxab", "x", "ba"]) == [
        ("a", "b"),
        ("a", "b", "a", "b"),
        (),
        ("b", "a"),
    ]
    many = ["ab"] * 300
    many[150] = "abx"
    assert Espeak("de").pronounce(many) == [("a", "b")] * 300


@pytest.fixture
def ended_by_x(monkeypatch, tmp_path):
    """A library that spells, and ends at an x, and hangs at a y."""
    monkeypatch.setattr(g2p_espeak, "ANSWER_S", 0.3)
    yield from library(monkeypatch, tmp_path, """
import os, signal, sys, time
for line in sys.stdin:
    if "x" in line:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "y" in line:
        time.sleep(60)
    print("ok" if line[0] == "=" else "_".join(line[1:-1]), flush=True)
""")  # fmt: skip


def library(monkeypatch, tmp_path, source):
    script = tmp_path / "library.py"
    script.write_text(source)
    g2p_espeak._end()
    monkeypatch.setattr(g2p_espeak.espeak_process, "__file__", str(script))
    yield
    g2p_espeak._end()


def test_what_hangs_the_library_does_so_too(ended_by_x):
    assert Espeak("de").pronounce(["ab", "y", "ba"]) == [("a", "b"), (), ("b", "a")]


def test_a_library_that_does_not_start_is_one_line(monkeypatch, tmp_path):
    for _ in library(monkeypatch, tmp_path, "raise SystemExit(1)"):
        with pytest.raises(ConfigError, match="espeak-ng could not load its data"):
            Espeak("de")


def test_no_process_for_the_library_is_one_line(monkeypatch):
    g2p_espeak._end()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ConfigError, match=r"could not be started: .* No such file"):
        Espeak("de")


def test_a_library_that_somebody_ended_is_started_again():
    german = Espeak("de")
    before = german.pronounce(["zeit"])
    os.kill(g2p_espeak._process._process.pid, signal.SIGKILL)
    assert german.pronounce(["zeit"]) == before


def test_threads_take_turns():
    expected = {code: Espeak(code).pronounce(["restaurant"] * 50) for code in ("de", "fr", "en-us")}
    found = []

    def ask(language):
        found.extend((language, Espeak(language).pronounce(["restaurant"] * 50)) for _ in range(5))

    threads = [threading.Thread(target=ask, args=(code,)) for code in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 15
    assert all(phones == expected[language] for language, phones in found)


def test_a_forked_process_has_a_library_of_its_own():
    german = Espeak("de")
    before, ours = german.pronounce(["zeit"]), g2p_espeak._process
    child = os.fork()
    if not child:
        same = german.pronounce(["zeit"]) == before and g2p_espeak._process is not ours
        g2p_espeak._end()
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert german.pronounce(["zeit"]) == before
    assert g2p_espeak._process is ours


def test_the_library_ends_with_who_asks():
    code = (
        "from std.phonetics import g2p_espeak as g; g.Espeak('de');"
        "print(g._process._process.pid, flush=True); import os; os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    library = int(killed.stdout)
    for _ in range(100):
        try:
            os.kill(library, 0)
        except ProcessLookupError:
            return
        threading.Event().wait(0.05)
    pytest.fail("it lives on")
