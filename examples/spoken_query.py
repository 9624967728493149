"""Search for words that were spoken, not written: a place in one recording is the query.

python examples/spoken_query.py

The query is what a recogniser heard in that place, with its doubts; nobody types a word.
"""

from pathlib import Path

from indexer import index_files, read_spoken_queries
from searcher import open_index

GERMAN = Path(__file__).parent / "german"
STORE, EXAMPLES = "demo/index", Path("demo/queries.csv")

index_files(GERMAN / "mesh", STORE, ecf=GERMAN / "ecf.xml")
EXAMPLES.write_text("query,recording,start_s,end_s\nregion,KERSTIN_00,5.0,5.8\n")
spoken = read_spoken_queries(GERMAN / "mesh", examples=EXAMPLES, language="German").spoken
for query in spoken.queries:
    print(f"heard in {', '.join(query.examples)}:")
    for words, weight in query.alternatives[:5]:
        print(f"  {weight:.3f}  {words}")

with open_index(STORE) as index:
    found = index.search_queries(spoken)
    for hit in sorted(index.hits(found), key=lambda hit: -hit.probability)[:5]:
        print(f"{hit.probability:.3f}  {hit.file} at {hit.start_s:.1f} s: {' '.join(hit.context)}")
