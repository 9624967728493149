"""Search the output of two recognisers of the same speech as one index.

python examples/fuse_two_recognisers.py
"""

from pathlib import Path

from indexer import index_files
from searcher import open_fused

GERMAN = Path(__file__).parent / "german"
RECOGNISERS = {  # store: its recogniser's output
    "demo/large_vocabulary": GERMAN / "mesh",
    "demo/small_vocabulary": GERMAN / "other_recognisers" / "small_vocabulary.jsonl.gz",
}

for store, networks in RECOGNISERS.items():
    index_files(networks, store, ecf=GERMAN / "ecf.xml", language="German")

with open_fused(*RECOGNISERS) as index:
    for hit in index.search("spreewald", "landschaftsschutzgebiet", "hahnenfedern")[:8]:
        print(f"{hit.term} in {hit.file} at {hit.start_s:.1f} s: {hit.probability:.3f}")
        for finding in hit.found_by:
            print(
                f"    {finding.store}: {finding.probability:.3f}, {finding.how or finding.method}"
            )
