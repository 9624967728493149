"""What a file of strangers can make FFmpeg do: decode itself, and nothing else.

It runs in a separate process here, so that a fault of a decoder is one line of this test.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from std.errors import InputError

pytestmark = pytest.mark.skipif(find_spec("av") is None, reason="PyAV is not installed")
ROOT = Path(__file__).parents[2]
SPEECH = ROOT / "examples" / "german" / "audio" / "KERSTIN_00.ogg"

LISTS = {
    "ffconcat": "ffconcat version 1.0\nfile secret.ogg\n",
    "HLS": "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{secret}\n#EXT-X-ENDLIST\n",
    "HLS of a host": "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:9/a.ts\n",
    "SDP": "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n",
    "DASH": "<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'><Period><AdaptationSet><Representation "
    "id='0'><BaseURL>{secret}</BaseURL></Representation></AdaptationSet></Period></MPD>",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_other_files_is_no_audio(tmp_path, name):
    from std.audio.samples import samples

    secret = tmp_path / "secret.ogg"
    secret.write_bytes(SPEECH.read_bytes())
    path = tmp_path / "audio.ogg"
    path.write_text(LISTS[name].format(secret=secret.as_uri()))
    with pytest.raises(InputError):
        list(samples(path, 16_000))


CODE = """
import random, sys
from pathlib import Path
from std.audio.samples import samples
from std.errors import InputError
whole, path, chance = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]), random.Random(32)
for _ in range(60):
    damaged = bytearray(whole[: chance.randrange(1, len(whole))])
    for _ in range(chance.choice([0, 1, 30, 3000])):
        place = chance.randrange(min(len(damaged), chance.choice([300, len(whole)])))
        damaged[place] = chance.randrange(256)
    path.write_bytes(damaged)
    try:
        count = sum(len(block) for block in samples(path, 16_000))
        assert count <= 600 * 16_000, count
    except InputError:
        pass
print("alive")
"""


@pytest.mark.slow
def test_a_damaged_file_is_read_or_refused(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", CODE, str(SPEECH), str(tmp_path / "a.ogg")],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.stdout == "alive\n", ran.stderr[-2000:]
