"""Compare the results of two checkouts, byte by byte: indexes, hit lists and tables.

    python -m benchmarks.unchanged DATA --output before.json            # in the old checkout
    python -m benchmarks.unchanged DATA --compare before.json           # in the new one
    python -m benchmarks.unchanged DATA --couchdb couchdb://127.0.0.1:5984/ --output ...

The development sets are the folders of DATA with ``ecf.xml``, ``ref.rttm``, ``terms.xml`` and
``mesh`` or ``networks.jsonl`` or both. Each set is indexed from each of its formats: as a whole,
file by file, file by file and merged, with a recording deleted, in two shards, and (``--couchdb``)
in a database. The whole index is searched with every file of ``configs/``, tuned on, and searched
with the model, and its hit lists are scored in several groups; the others are searched with the
plain and the default configuration. Five recordings of the German example get the drawn sound of
the tests: one of their words is written otherwise there, and found by the phones heard.

DATA may be at another place in the two runs: indexes keep the paths of their inputs, so all inputs
are read below one path.

A result is the SHA-256 of what a command wrote, without what differs between two runs of the same
code: seconds, dates and memory. Results that differ are printed; the exit status is 1 if there are
any.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.heard_sound import MESHES, frames_of, write_sound

ROOT = Path(__file__).parent.parent
CONFIGS = ("plain", "thesis", "default")
MODULES = {
    "std-index": "indexer.cli",
    "std-store": "indexer.store_cli",
    "std-search": "searcher.commands.search",
    "std-tune": "searcher.commands.tune",
    "std-score": "scoring.cli",
}
VARIES = re.compile(
    rb' (?:term_)?(?:search|index(?:ing)?)_(?:time|size)="[^"]*"'
    rb'|"(?:(?:split_|cpu_|compile_)?seconds|ssf|peak_memory_gb|round_trips|real_time_factor)": '
    rb"[^,}\n]*,?"
)
TABLES = ("*.csv", "summary.json")
PLACE = Path(tempfile.gettempdir()) / "std-unchanged"
SAID, WRITTEN = "historische", "lawine"  # a word of the example, and what is written in its place
GROUPS = ("oov", "length", "recording", "frequency")


def main() -> int:
    """Write the digests of all results, or say which differ."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("data", type=Path)
    parse.add_argument("--output", type=Path, help="write the digests here")
    parse.add_argument("--compare", type=Path, help="digests of another checkout")
    parse.add_argument("--couchdb", help="a server: couchdb://127.0.0.1:5984/")
    parse.add_argument("--only", default="", help="sets whose path contains this")
    parse.add_argument("--jobs", type=int, default=2)
    args = parse.parse_args()
    with same_place(args.data) as data, ThreadPoolExecutor(args.jobs) as pool:
        sets = [one for one in development_sets(data) if args.only in str(one.relative_to(data))]
        parts = pool.map(lambda one: dict(results(one, data, args.couchdb)), sets)
        digests = {name: digest for part in parts for name, digest in sorted(part.items())}
        digests |= heard() if args.only in "sound" else {}
    if args.output:
        args.output.write_text(json.dumps(digests, indent=1) + "\n")
    differences: list[str] = []
    if args.compare:
        before = json.loads(args.compare.read_text())
        before = {name: value for name, value in before.items() if args.only in name}
        names = sorted(before.keys() | digests.keys())
        differences = [name for name in names if before.get(name) != digests.get(name)]
    print("\n".join(differences))
    print(f"{len(digests)} results of {len(sets)} sets, {len(differences)} differ")
    return int(bool(differences))


@contextmanager
def same_place(data: Path) -> Iterator[Path]:
    """The folder of the sets under a path that is the same in each run."""
    try:
        PLACE.mkdir()
    except FileExistsError:
        raise SystemExit(f"another comparison runs in {PLACE}, or ended early: remove it") from None
    try:
        (PLACE / "data").symlink_to(data.resolve(), target_is_directory=True)
        yield PLACE / "data"
    finally:
        shutil.rmtree(PLACE)


def heard() -> Iterator[tuple[str, str]]:
    """Name and digest of an index with phones heard, and of the hits of a word that nobody wrote.

    Raises:
        SystemExit: the word is not found by the phones heard.
    """
    folder = PLACE / "sound"
    folder.mkdir()
    for file, frames in frames_of(MESHES, folder / "words").items():
        write_sound(folder, file, frames)
    for mesh in MESHES:
        text = mesh.read_text(encoding="utf-8").replace(SAID, WRITTEN)
        (folder / mesh.name).write_text(text, encoding="utf-8")
    meshes = [mesh.name for mesh in MESHES]
    run(folder, "std-index", *meshes, "--store=heard", "--language=German")
    yield "sound index", tree_digest(folder / "heard")
    for phones in ("both", "sound", "words"):
        setting = f"--set=phonetic_search.phones={phones}"
        found = run(folder, "std-search", "--store=heard", SAID, "spreewald", "--json", setting)
        yield f"sound {phones} hits", digest(found)
        if phones != "words" and b'"method": "heard"' not in found:
            raise SystemExit(f"{SAID} is not found by the phones heard")


def development_sets(data: Path) -> list[Path]:
    """Folders with an ECF, a reference, terms and networks."""
    folders = sorted(ecf.parent for ecf in data.rglob("ecf.xml"))
    return [one for one in folders if (one / "ref.rttm").exists() and inputs(one)]


def inputs(folder: Path) -> dict[str, list[str]]:
    """What std-index is given, by the name of the format."""
    found = {}
    if meshes := sorted(map(str, folder.glob("mesh/*"))):
        found["mesh"] = meshes
    if transcripts := sorted(map(str, folder.glob("whisper_json/*"))):
        found["whisper"] = transcripts
    for name in ("networks.jsonl", "onebest.ctm", "hyb_sketch.jsonl"):
        if (folder / name).exists():
            found[name] = [str(folder / name)]
    if (folder / "kaldi_sausages.txt").exists():
        words, times = f"--words={folder}/words.txt", f"--times={folder}/kaldi_times.txt"
        segments = f"--segments={folder}/utts.tsv"
        found["kaldi"] = [str(folder / "kaldi_sausages.txt"), words, times, segments]
    return found


def results(folder: Path, data: Path, couchdb: str | None) -> Iterator[tuple[str, str]]:
    """Name and digest of every result of one development set."""
    name = str(folder.relative_to(data))
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        for format_name, files in inputs(folder).items():
            run(work, "std-index", *files, "--store", format_name, f"--ecf={folder}/ecf.xml")
            yield f"{name} {format_name} index", tree_digest(work / format_name)
            yield from searched(folder, f"{name} {format_name}", work, [format_name], ("default",))
        whole = "mesh" if "mesh" in inputs(folder) else next(iter(inputs(folder)))
        files = inputs(folder)[whole]
        for cut, stores in cuts(work, files, couchdb).items():
            if "://" not in stores[0]:
                digests = [tree_digest(work / store) for store in stores]
                yield f"{name} {cut} index", " ".join(digests)
            yield from searched(folder, f"{name} {cut}", work, stores, ("plain", "default"))
        yield from searched(folder, name, work, [whole], CONFIGS)
        yield from tuned_and_scored(folder, name, work, whole)


def cuts(work: Path, files: list[str], couchdb: str | None) -> dict[str, list[str]]:
    """Stores that hold the same files in other pieces."""
    for file in files:
        run(work, "std-index", file, "--store", "pieces")
    shutil.copytree(work / "pieces", work / "merged")
    run(work, "std-store", "merge", "merged")
    run(work, "std-index", *files, "--store", "fewer")
    run(work, "std-store", "delete", "fewer", Path(files[-1]).stem, check=False)
    run(work, "std-index", *files, "--store", "shard_1", "--store", "shard_2", "--jobs", "2")
    stores = {
        "pieces": ["pieces"],
        "merged": ["merged"],
        "fewer": ["fewer"],
        "shards": ["shard_1", "shard_2"],
    }
    if couchdb:
        url = f"{couchdb.rstrip('/')}/unchanged-{uuid.uuid4().hex}"
        run(work, "std-index", *files, "--store", url)
        stores["couchdb"] = [url]
    return stores


def searched(
    folder: Path, name: str, work: Path, stores: list[str], configs: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Hit lists of one index, by configuration."""
    for config in configs:
        output = work / f"{config}.xml"
        search(folder, work, stores, output, f"--config={ROOT}/configs/{config}.toml")
        yield f"{name} {config} hits", file_digest(output)


def search(folder: Path, work: Path, stores: list[str], output: Path, *options: str) -> None:
    """One batch."""
    given = [f"--store={store}" for store in stores]
    speech = (f"--terms={folder}/terms.xml", f"--ecf={folder}/ecf.xml", f"--output={output}")
    run(work, "std-search", *given, *speech, *options)


def tuned_and_scored(folder: Path, name: str, work: Path, store: str) -> Iterator[tuple[str, str]]:
    """A model learned from the set, hits found with it, tables of these and of plain hits."""
    reference = [f"--{kind}={folder}/{file}" for kind, file in
                 (("ecf", "ecf.xml"), ("rttm", "ref.rttm"), ("terms", "terms.xml"))]  # fmt: skip
    run(work, "std-tune", f"--store={store}", *reference, "--output=model.json")
    search(folder, work, [store], work / "tuned.xml", "--model=model.json")
    yield f"{name} tuned hits", file_digest(work / "tuned.xml")
    for system in ("tuned", "default", "plain"):
        search_options = [f"--group-by={group}" for group in GROUPS]
        scores = f"scores-{system}"
        run(work, "std-score", f"{system}.xml", *reference, f"--output={scores}", *search_options)
        for table in sorted(one for kind in TABLES for one in (work / scores).rglob(kind)):
            yield f"{name} {table.relative_to(work)}", file_digest(table)
    term = "burganlagen" if "german" in name else "waterkracht"
    split = run(
        work, "std-search", f"--store={store}", "--explain-query", term, "polizeigewalt", "--json"
    )
    yield f"{name} query", digest(split)


def run(work: Path, command: str, *options: str, check: bool = True) -> bytes:
    """Run one of our commands, as this checkout has it; returns what it printed."""
    start = f"import sys; from {MODULES[command]} import main; sys.exit(main())"
    code = [sys.executable, "-c", start, *options, "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(code, cwd=work, env=environment, capture_output=True, check=False)
    if check and done.returncode:
        raise SystemExit(f"{' '.join(code)}: {done.stderr.decode()}")
    return done.stdout


def tree_digest(folder: Path) -> str:
    """Of a folder's files: their names and contents."""
    files = sorted(one for one in folder.rglob("*") if one.is_file())
    return digest(
        b"".join(f"{one.relative_to(folder)} {file_digest(one)}\n".encode() for one in files)
    )


def file_digest(path: Path) -> str:
    """Of a file, without what varies between runs."""
    content = path.read_bytes()
    return digest(gzip.decompress(content) if path.suffix == ".gz" else content)


def digest(content: bytes) -> str:
    """SHA-256, shortened, without what varies between runs."""
    return hashlib.sha256(VARIES.sub(b"", content)).hexdigest()[:20]


if __name__ == "__main__":
    sys.exit(main())
