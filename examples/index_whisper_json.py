"""Search Whisper's own JSON, and what std-recognise keeps beside Whisper's transcript.

python examples/index_whisper_json.py

std-index reads the JSON of Whisper, faster-whisper, WhisperX, whisper.cpp and others as it is. A
transcript has one word per place; the networks of std-recognise have others that were possible.
"""

from pathlib import Path

from indexer import index_files
from searcher import open_index

WHISPER = Path(__file__).parent / "english" / "whisper"

for name in ("kathleen.json", "kathleen.jsonl"):  # the transcript, the networks
    store = f"demo/{name}"
    report = index_files(WHISPER / name, store, language="English")
    print(f"\n{name}: {report.words} words, {report.postings} postings in {report.slots} slots")
    with open_index(store) as index:
        for hit in index.search("aurora borealis", "Whittemore", "Philip Steels")[:4]:
            print(f"  {hit.term:16}{hit.start_s:6.1f} s  {hit.probability:.2f}  {hit.found_as}")
