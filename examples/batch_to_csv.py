"""Search a list of terms and write a table for a spreadsheet: one hit a row.

python examples/batch_to_csv.py
"""

import csv
from pathlib import Path

from indexer import index_files
from searcher import open_index
from std import Term, TermList

GERMAN = Path(__file__).parent / "german"
STORE, TABLE = "demo/index", Path("demo/hits.csv")
WANTED = "spreewald, zentrum der stadt, bundesland, burganlagen, polizei gewalt"

terms = TermList(
    tuple(Term(f"T{i}", text.strip()) for i, text in enumerate(WANTED.split(","), start=1))
)
index_files(GERMAN / "mesh", STORE, ecf=GERMAN / "ecf.xml")
with open_index(STORE) as index, TABLE.open("w", newline="", encoding="utf-8") as sink:
    found = index.search_terms(terms)
    hits = [hit for hit in index.hits(found) if hit.probability >= 0.05]
    table = csv.writer(sink)
    table.writerow(["term", "file", "start_s", "end_s", "probability", "decision", "words"])
    for hit in hits:
        times = f"{hit.start_s:.2f}", f"{hit.start_s + hit.duration_s:.2f}"
        words = " ".join(hit.context)
        table.writerow([hit.term, hit.file, *times, f"{hit.probability:.3f}", hit.decision, words])
print(f"{len(hits)} hits of {len(terms.terms)} terms -> {TABLE}")
print(TABLE.read_text(encoding="utf-8"))
