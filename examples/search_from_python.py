"""Index recogniser output, search words and phrases, and see why each place was found.

python examples/search_from_python.py
"""

from pathlib import Path

from indexer import index_files
from searcher import open_index

GERMAN = Path(__file__).parent / "german"
STORE = "demo/index"

report = index_files(GERMAN / "mesh", STORE, ecf=GERMAN / "ecf.xml")
print(f"{len(report.recordings)} recordings, {report.speech_s:.0f} s, {report.words} words")

with open_index(STORE) as index:
    for term in ("polizei gewalt", "im bran*", "hahnenfedern"):  # * stands for any letters
        found = index.find(term)
        hits = sorted(index.hits(found, decided=False), key=lambda hit: -hit.probability)
        print(f"\n{term}: {found.expected}")
        for remark in index.remarks(found):  # such as: the recogniser does not know the word
            print(f"  {remark}")
        for hit in hits[:3]:
            before, words, after = hit.context
            print(f"  {hit.probability:.3f}  {hit.file} at {hit.start_s:.1f} s: {hit.found_as}")
            print(f"         ... {before} [{words}] {after} ...")

    print("\nWhat else the recogniser thought of in two seconds of KERSTIN_00:")
    for word in index.words("KERSTIN_00", 10.0, 12.0, alternatives=True):
        others = ", ".join(f"{other.word} {other.posterior:.2f}" for other in word.alternatives[:3])
        print(f"  {word.start_s:5.2f} s  {word.word} {word.posterior:.2f}  {others}")
