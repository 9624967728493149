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
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.german import Data, read
from indexer import index_files
from scoring.evaluate import evaluate
from scoring.measures.twv import NAMED_POINTS, OperatingPoint
from scoring.options import ScoringOptions
from searcher.heard.chance import Chance, learn_chance
from searcher.heard.index import HeardIndex, open_heard
from searcher.heard.places import Places, find_places
from searcher.phonetic.decoys import draw_decoys, phone_chain
from searcher.phonetic.index import PhoneticIndex, open_phonetic_index
from searcher.phonetic.pronunciations import pronounced
from std.config import Config
from std.phonetics.lexicon import lexicon_in
from std.phonetics.phones import Pronunciation
from std.store import open_store
from std.values import Detections, Float64s, STDList, TermSearch

LIKELY = float(np.log(60))  # log E-value of the places that are listed
MEASURES = ("MTWV", "OTWV", "MAP")


class Found(NamedTuple):
    """The places of a term."""

    places: Places
    log_e_value: Float64s  # (n,)


def places_of(
    ways: Sequence[Pronunciation], indexes: Sequence[HeardIndex | None], chance: Chance
) -> Found | None:
    """Those of the pronunciation whose best place is least likely by chance."""
    found = []
    for phones in ways:
        places = find_places(phones, indexes)
        log_e = chance.log_e_value(places.score, len(phones))
        likely = np.flatnonzero(log_e < LIKELY)
        found.append(Found(places.rows(likely), log_e[likely]))
    return min(found, key=lambda one: float(one.log_e_value.min(initial=np.inf)), default=None)


def search(data: Data, phonetic: Sequence[PhoneticIndex], language: str) -> Detections:
    """The places of all terms."""
    indexes = [open_heard(one.columns, one.live) for one in phonetic]
    decoys = draw_decoys(phone_chain(phonetic))
    chance = learn_chance(decoys, lambda decoy: find_places(decoy, indexes).score)
    config = Config()
    lexicon = lexicon_in(language, config.pronunciation, config.text)
    words = [config.text.phrase(term.text) for term in data.terms.terms]
    of_terms = [places_of(ways, indexes, chance) for ways in pronounced(words, lexicon)]
    recordings = [one.recording for index in phonetic for one in index.columns.recordings]
    first = np.cumsum([0, *(len(index.columns.recordings) for index in phonetic)])
    some = [(row, one) for row, one in enumerate(of_terms) if one is not None]
    places = Places(
        *(np.concatenate(column) for column in zip(*(one.places for _, one in some), strict=True))
    )
    return Detections(
        tuple(term.term_id for term in data.terms.terms),
        tuple(recordings),
        np.repeat([row for row, _ in some], [len(one.log_e_value) for _, one in some]).astype("i4"),
        (first[places.segment] + places.recording).astype(np.int32),
        places.start_ms / 1000,
        (places.end_ms - places.start_ms) / 1000,
        -np.concatenate([one.log_e_value for _, one in some]),
        np.ones(len(places.score), dtype=bool),
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
        phonetic = [one for segment in segments if (one := open_phonetic_index(segment))]
        begin = time.process_time()
        hits = search(data, phonetic, args.language)
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
