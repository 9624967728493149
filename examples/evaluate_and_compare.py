"""Search a term list with two configurations, score both, and ask whether they differ.

python examples/evaluate_and_compare.py
"""

from pathlib import Path

from indexer import index_files
from scoring import compare_systems, read_reference, score_hits
from searcher import open_index, write_hits

HERE = Path(__file__).parent
GERMAN, STORE = HERE / "german", "demo/index"
CONFIGS = {"default": None, "plain": HERE.parent / "configs" / "plain.toml"}

index_files(GERMAN / "mesh", STORE, ecf=GERMAN / "ecf.xml")
reference = read_reference(GERMAN / "ecf.xml", GERMAN / "ref.rttm", GERMAN / "terms.xml")

evaluations = []
for name, config in CONFIGS.items():
    with open_index(STORE, config=config) as index:
        found = index.search_terms(reference.terms, reference.ecf)
    hits = Path(f"demo/{name}.xml")
    write_hits(found, hits, terms=reference.terms, system_id=name)
    evaluations.append(score_hits(hits, reference))

statistics = compare_systems(evaluations, replicates=1000)  # intervals and permutation test
for evaluation, intervals in zip(evaluations, statistics.systems, strict=True):
    measures, (low, high) = evaluation.groups[0].measures, intervals["terms"]["ATWV"]
    print(f"{evaluation.system_id:8} ATWV {measures['ATWV']:.3f}, 95 % {low:.3f} to {high:.3f}")
    print(
        f"{'':8} misses {measures['P_miss']:.1%}, best threshold: {measures['MTWV_threshold']:.3f}"
    )
(pair,) = statistics.comparisons
print(f"difference {pair.differences['ATWV'].value:.3f}, p = {pair.p_value:.4f}")
