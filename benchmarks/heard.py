"""Find terms by phones heard in the sound alone, without words.

    python -m benchmarks.heard DATA/german/clean_v25k SOUND german

The folder has ``networks.jsonl``, ``ecf.xml``, ``ref.rttm`` and ``terms.xml``; SOUND has NAME.sound
of its recordings (``std-recognise --sound-only``). The networks teach the layer; no term is looked
up by its words. The score of a place is minus the log of its E-value. Printed: the share of
held-out frames that are right, CPU seconds to index and to search, and by std-score's code MTWV,
OTWV (NIST 2006) and MAP of all terms and by the term list's attribute OOV.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.german import Data, read
from indexer import index_files
from scoring.evaluate import evaluate
from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
from searcher.heard.search import heard_archive
from searcher.index.stores import recording_table
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.phonetic.ratios import pronounced
from searcher.results.candidates import NO_SPANS, Spans
from std.config import Config
from std.store import Segment, open_store
from std.values import Detections, STDList, TermSearch

LIKELY = float(np.log(60))  # log E-value of the places that are listed
MEASURES = ("MTWV", "OTWV", "MAP")


def search(data: Data, segments: Sequence[Segment], language: str) -> Detections:
    """The places of all terms."""
    config = Config()
    config = replace(config, pronunciation=replace(config.pronunciation, language=language))
    table = recording_table(segments)
    phonetic, _ = open_phonetic_indexes(segments, table.row_of, config, None)
    archive = heard_archive(phonetic) if phonetic else None
    assert archive is not None
    assert phonetic is not None
    words = [config.text.phrase(term.text) for term in data.terms.terms]
    found = [archive.find(ways) for ways in pronounced(words, phonetic.lexicon)]
    term, parts, log_e_value = [np.empty(0, np.int32)], [NO_SPANS], [np.empty(0)]
    for row, one in enumerate(found):
        if one is not None:
            likely = np.flatnonzero(one.log_e_value < LIKELY)
            term.append(np.full(len(likely), row, np.int32))
            parts.append(one.spans.rows(likely))
            log_e_value.append(one.log_e_value[likely])
    places = Spans.of(*parts)
    return Detections(
        tuple(term.term_id for term in data.terms.terms),
        table.recordings,
        np.concatenate(term),
        places.recording.astype(np.int32),
        places.start_ms / 1000,
        (places.end_ms - places.start_ms) / 1000,
        -np.concatenate(log_e_value),
        np.ones(len(places.recording), dtype=bool),
    )


def main() -> None:
    """Index, search, score."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("sound", type=Path)
    parse.add_argument("language")
    args = parse.parse_args()
    data = read(args.data)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        report = index_files(
            args.data / "networks.jsonl", folder, language=args.language, sound=args.sound
        )
        print(f"{report.heard[0].line()}; {time.process_time() - begin:.1f} s of CPU time")
        segments = open_store(folder).segments()
        begin = time.process_time()
        hits = search(data, segments, args.language)
    n = len(data.terms.terms)
    print(f"{n} terms searched in {time.process_time() - begin:.1f} s of CPU time")
    miss, alarm, prior = NAMED_POINTS["nist2006"]
    assert prior is not None
    options = ScoringOptions(OperatingPoint(miss, alarm, prior), group_by=("attribute:OOV",))
    listed = STDList(hits, (TermSearch(),) * n, language=data.terms.language)
    print(f"| terms | {' | '.join(MEASURES)} |\n|---|{'---|' * len(MEASURES)}")
    for group in evaluate(data.ecf, data.lexemes, data.terms, listed, options).groups:
        values = " | ".join(f"{group.measures[name]:.3f}" for name in MEASURES)
        print(f"| {group.name} | {values} |")


if __name__ == "__main__":
    main()
