"""Start the search service on this machine and ask it over HTTP (needs the extra serve).

python examples/rest_client.py
"""

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from indexer import index_files

GERMAN, STORE = Path(__file__).parent / "german", "demo/index"

index_files(GERMAN / "mesh", STORE, ecf=GERMAN / "ecf.xml")
command = [sys.executable, "-m", "service.cli", "--store", STORE, "--port", "0"]
command += ["--audio", str(GERMAN / "audio")]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
    try:
        url = service.stdout.readline().strip()  # printed when the service is ready
        question = urlencode({"term": "spreewald", "min_probability": 0.5, "limit": 2})
        with urlopen(f"{url}api/search?{question}", timeout=60) as answer:
            found = json.load(answer)
        for hit in found["hits"]:
            print(f"{hit['term']} in {hit['file']} at {hit['start_s']} s: {hit['probability']:.3f}")
        recording, start_s = found["hits"][0]["file"], found["hits"][0]["start_s"]
        span = urlencode({"from": start_s - 0.5, "to": start_s + 1.5, "format": "wav"})
        with urlopen(f"{url}api/clips/{recording}?{span}", timeout=60) as clip:
            print(f"a clip of {len(clip.read())} bytes of {clip.headers['Content-Type']}")
    finally:
        service.terminate()
