"""Score search on real speech, each file with a model tuned on other files.

    python -m benchmarks.german DATA/calibrated_v100k [DATA/clean_v25k ...] [--folds 5]

Each folder has ``networks.jsonl``, ``ecf.xml``, ``ref.rttm`` and ``terms.xml``. Systems:

    plain    configs/plain.toml: lexical search only
    thesis   configs/thesis.toml: the best system of Wu's thesis
    prior    the default configuration without a model
    tuned    the default configuration; fold k's files (every k-th of the sorted names) are
             searched with a model that std-tune's code learned from the other files

Printed for each operating point (NIST 2006, beta 999.9; MediaEval SWS 2013, beta 66.7), for all
terms and by the term list's attribute OOV: ATWV, MTWV, OTWV, STWV, mean P_miss and P_fa, computed
by std-score's code.
"""

import argparse
import contextlib
import io
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

import scoring.cli
from indexer.formats.readers import jsonl
from indexer.segments.invert import invert
from indexer.segments.phone_columns import PhoneColumnBuilder
from searcher.calibration.model import Model
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.output.hit_files import hit_list
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.results.candidates import concatenate
from searcher.results.search_result import SearchResult
from searcher.search import search
from searcher.tuning.development_set import lexical_candidates
from searcher.tuning.gain import Transcribed
from searcher.tuning.labels import make_transcript
from searcher.tuning.learning import learned_model
from std.config import Config, load_config
from std.nist import ecf, rttm, std_list, term_list
from std.nist.ecf import speech_s
from std.store.resident import ResidentSegment
from std.values import ECF, ConfusionNetwork, Lexemes, TermList
from tests.networks import networks_in

CONFIGS = Path(__file__).parent.parent / "configs"
POINTS = {"nist2006": 999.9, "sws2013": (1 / 0.00015 - 1) / 100}
MEASURES = ("ATWV", "MTWV", "OTWV", "STWV", "P_miss", "P_fa")


@dataclass(frozen=True)
class Data:
    """One folder."""

    folder: Path
    networks: list[ConfusionNetwork]
    ecf: ECF
    lexemes: Lexemes
    terms: TermList


def read(folder: Path) -> Data:
    """Read a folder's files."""
    parts = []
    for parse, name in (
        (lambda stream, path: list(networks_in(jsonl.parse(stream, path))), "networks.jsonl"),
        (ecf.parse, "ecf.xml"),
        (rttm.parse, "ref.rttm"),
        (term_list.parse, "terms.xml"),
    ):
        path = folder / name
        with path.open("rb") as stream:
            parts.append(parse(stream, path))
    return Data(folder, *parts)


def indexed(networks: list[ConfusionNetwork], config: Config) -> ResidentSegment:
    """One segment with sounds."""
    columns = invert(networks)
    return ResidentSegment("all", replace(columns, extra=PhoneColumnBuilder(config)(columns)))


def tuned_on(networks: list[ConfusionNetwork], data: Data, config: Config) -> Model:
    """What std-tune learns from some recordings."""
    segment = indexed(networks, config)
    recordings = tuple(one.recording for one in segment.recordings)
    places = {one: i for i, one in enumerate(recordings)}
    ears, _ = open_phonetic_indexes([segment], places, config, None)
    assert ears is not None
    transcribed = Transcribed(
        make_transcript(data.lexemes, recordings, config.text),
        [config.text.phrase(term.text) for term in data.terms.terms],
        data.ecf.excerpts,
    )
    written = partial(lexical_candidates, segments=[segment], config=config)
    return learned_model(transcribed, (), ears, written)


def cross_validated(
    data: Data, config: Config, models: list[Model], fold_of: Mapping[str, int] | None = None
) -> SearchResult:
    """Search everything with each fold's model; each hit from the fold that did not see it.

    Args:
        fold_of: the fold of each file; None = every so many-th of the sorted names.
    """
    if fold_of is None:
        files = sorted({one.recording.file for one in data.networks})
        fold_of = {file: i % len(models) for i, file in enumerate(files)}
    segment = indexed(data.networks, config)
    speech = SearchedSpeech(data.ecf.excerpts, speech_s(data.ecf.excerpts))
    keep = replace(config, decision=replace(config.decision, rule="global"))  # score = probability
    folds = [search(data.terms.terms, prepare([segment], keep, model), speech) for model in models]
    variants: list = []
    parts = []
    for k, found in enumerate(folds):
        fold = np.array([fold_of[one.file] for one in found.recordings])
        mine = np.flatnonzero(fold[found.candidates.recording] == k)
        part = found.candidates._replace(probability=found.probability).rows(mine)
        parts.append(part._replace(variant=part.variant + len(variants)))
        variants += found.variants
    candidates = concatenate(parts)
    return replace(
        folds[0], candidates=candidates, probability=candidates.probability,
        decision_score=candidates.probability, variants=tuple(variants),
    )  # fmt: skip


def decided(found: SearchResult, data: Data, config: Config) -> SearchResult:
    """Apply the decision rule for calibrated scores; copies are decided on as their originals."""
    from searcher.decisions import rule_for

    is_original = np.array([one not in found.copies for one in found.recordings])
    originals = found.rows(is_original[found.candidates.recording])
    rule = rule_for(config.decision, calibrated=True)
    score = rule(
        originals.candidates.term,
        originals.probability,
        len(found.terms),
        speech_s(found.copies.searched(data.ecf.excerpts)),
        config.decision,
    )
    originals = replace(originals, decision_score=score)
    row, recording = originals.reported()
    decided = originals.rows(row)
    return replace(decided, candidates=decided.candidates._replace(recording=recording))


def scored(found: SearchResult, data: Data, point: str) -> dict[str, dict[str, float]]:
    """Measures by group, as std-score says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hits.xml"
        with path.open("wb") as sink:
            std_list.dump(hit_list(found, data.terms, "terms.xml", "x"), sink, "std2006", "UTF-8")
        argv = [str(path), "--json", "--quiet", "--operating-point", point]
        for option, name in (("ecf", "ecf.xml"), ("rttm", "ref.rttm"), ("terms", "terms.xml")):
            argv += [f"--{option}", str(data.folder / name)]
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            assert scoring.cli.main([*argv, "--group-by", "attribute:OOV"]) == 0
    return {one["name"]: one["measures"] for one in json.loads(out.getvalue())["groups"]}


def at(config: Config, point: str) -> Config:
    """The configuration, deciding for an operating point."""
    return replace(config, decision=replace(config.decision, beta=POINTS[point]))


def row(system: str, point: str, group: str, measures: dict[str, float]) -> str:
    """One line of the table."""
    numbers = (measures.get(name) for name in MEASURES)
    cells = ("" if x is None else f"{x:.3f}" if x > 0.001 else f"{x:.1e}" for x in numbers)
    return f"| {system} | {point} | {group} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print one table per folder."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parse.add_argument("folder", nargs="+", type=Path)
    parse.add_argument("--folds", type=int, default=5)
    args = parse.parse_args()
    default = Config()
    for folder in args.folder:
        data = read(folder)
        print(f"\n{folder.name}\n\n| system | point | terms | {' | '.join(MEASURES)} |")
        print("|" + "---|" * (3 + len(MEASURES)))
        files = sorted({one.recording.file for one in data.networks})
        models = []
        for k in range(args.folds):
            rest = set(files) - set(files[k :: args.folds])
            networks = [one for one in data.networks if one.recording.file in rest]
            models.append(tuned_on(networks, data, default))
        cross = cross_validated(data, default, models)
        for point in POINTS:
            systems = {
                name: (load_config(CONFIGS / f"{name}.toml"), None) for name in ("plain", "thesis")
            } | {"prior": (default, None)}
            results = {}
            for name, (config, model) in systems.items():
                segment = indexed(data.networks, default)
                found = search(
                    data.terms.terms, prepare([segment], at(config, point), model),
                    SearchedSpeech(data.ecf.excerpts, speech_s(data.ecf.excerpts)),
                )  # fmt: skip
                results[name] = scored(found, data, point)
            results["tuned"] = scored(decided(cross, data, at(default, point)), data, point)
            for name, groups in results.items():
                for group, measures in groups.items():
                    print(row(name, point, group, measures), flush=True)


if __name__ == "__main__":
    main()
