"""Draw the folders of the packages and the values between them, checked against the imports.

    python tools/structure.py             print the diagram
    python tools/structure.py --write     put it into docs/architecture.md

The boxes are the folders that exist. The arrows are `FLOW` below; each is checked: the value is a
class of the packages, and modules of both folders define or import it. A folder of `FLOW` that does
not exist stands for the one above it.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
PACKAGES = ("recogniser", "indexer", "std", "searcher", "scoring", "service")
FLOW = (  # from, value, to; a value in <> is a file or a text, not a class
    ("audio files", "<files>", "recogniser"),
    ("recogniser", "Window", "recogniser.whisper"),
    ("recogniser.whisper", "Recognition", "recogniser"),
    ("recogniser", "ConfusionNetwork", "std"),
    ("std", "<networks>", "indexer.formats"),
    ("recogniser output", "<files>", "indexer.formats"),
    ("indexer.formats.readers", "Lattice", "indexer.lattices"),
    ("indexer.formats.readers", "UtteranceHypothesis", "indexer.networks"),
    ("indexer.lattices", "ConfusionNetwork", "indexer.segments"),
    ("indexer.networks", "ConfusionNetwork", "indexer.segments"),
    ("indexer.segments", "SegmentColumns", "indexer.languages"),
    ("indexer.segments", "SegmentColumns", "std.store"),
    ("std.store", "SegmentColumns", "std.store.couchdb"),
    ("std.languages", "Guess", "indexer.languages"),
    ("std.phonetics", "Lexicon", "indexer.segments"),
    ("std.phonetics", "Confusion", "searcher.phonetic"),
    ("std.execution", "Executor", "indexer"),
    ("std.execution", "Executor", "searcher"),
    ("std", "Config", "indexer"),
    ("std", "Config", "searcher"),
    ("std.nist", "Term", "searcher"),
    ("std.store", "Segment", "searcher.index"),
    ("searcher.index", "RecordingTable", "searcher.terms"),
    ("searcher.terms", "Vocabulary", "searcher.terms.splitting"),
    ("searcher.terms", "Vocabulary", "searcher.terms.expansion"),
    ("searcher.terms.splitting", "Variant", "searcher.terms"),
    ("searcher.terms", "Request", "searcher.lexical"),
    ("searcher.terms", "Variant", "searcher.lexical"),
    ("searcher.terms", "Request", "searcher.phonetic"),
    ("std.store", "Postings", "searcher.lexical"),
    ("std.metadata", "Metadata", "std.store"),
    ("std.metadata", "Metadata", "indexer"),
    ("std.metadata", "Metadata", "searcher"),
    ("std.store", "Segment", "searcher.phonetic"),
    ("searcher.lexical", "LexicalResult", "searcher.evidence"),
    ("searcher.phonetic", "PhoneticResult", "searcher.evidence"),
    ("searcher.evidence", "Evidence", "searcher.calibration"),
    ("searcher.evidence", "Candidates", "searcher"),
    ("searcher.tuning", "Model", "searcher.calibration"),
    ("searcher.calibration", "Model", "searcher.phonetic"),
    ("searcher.results", "SearchResult", "searcher.output"),
    ("searcher", "TermCandidates", "searcher.fusion"),
    ("searcher", "SearchResult", "searcher.commands"),
    ("indexer", "SpokenQueries", "std"),
    ("std", "SpokenQueries", "searcher"),
    ("std", "DecisionConfig", "searcher.decisions"),
    ("searcher", "Candidates", "searcher.output"),
    ("searcher.output", "STDList", "std.nist"),
    ("std.nist", "STDList", "scoring"),
    ("std.display", "Rows", "indexer"),
    ("std.display", "Rows", "searcher.output"),
    ("std.display", "Rows", "scoring.report"),
    ("std.matching", "Occurrences", "searcher.tuning"),
    ("std.matching", "Alignment", "scoring.matching"),
    ("std.matching", "Alignment", "scoring"),
    ("scoring", "OperatingPoint", "scoring.measures"),
    ("scoring", "Group", "scoring.statistics"),
    ("scoring.statistics", "Statistics", "scoring"),
    ("scoring", "Evaluation", "scoring.report"),
    ("scoring.measures", "DET", "scoring.report"),
    ("scoring.report", "Evaluation", "scoring.report.html_report"),
    ("searcher", "SearchResult", "service"),
    ("searcher", "Hit", "service"),
    ("std", "Mark", "service"),
    ("service", "Selection", "service.api"),
    ("service", "RecordingEntry", "service.audio"),
    ("service.api", "<JSON>", "service.page"),
    ("scoring.discovery.formats", "Classes", "scoring.discovery"),
)


def modules() -> dict[str, Path]:
    """Each module of the packages by its dotted name; a package is its ``__init__``."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def folder_of(path: Path) -> str:
    """The dotted name of the folder that a module lies in."""
    return ".".join(path.relative_to(ROOT).parent.parts)


def imports(path: Path, known: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """(module, name) of everything that a module imports from the packages."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in known:
                    yield full, ""
                elif node.module in known:
                    yield node.module, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in known:
                    yield alias.name, ""


def values_named(known: Mapping[str, Path]) -> tuple[set[str], dict[str, set[str]]]:
    """The classes of the packages, and of each folder those that it defines or imports."""
    classes, named = set(), defaultdict(set)
    for path in known.values():
        tree = ast.parse(path.read_text())
        own = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        classes |= own
        named[folder_of(path)] |= own | {name for _, name in imports(path, known)}
    return classes, named


def nearest(folder: str, folders: set[str]) -> str:
    """A folder, or the one above it that exists; what is outside the packages stays as it is."""
    while folder not in folders and "." in folder:
        folder = folder.rpartition(".")[0]
    return folder


def diagram() -> str:
    """The diagram in Mermaid's language.

    Raises:
        ValueError: an arrow has a value that one of its ends does not know.
    """
    known = modules()
    folders = {folder_of(path) for path in known.values()}
    classes, named = values_named(known)
    lines = ["flowchart LR"]
    for package in PACKAGES:
        lines.append(f"  subgraph {package}_package[{package}]")
        lines += [f"    {folder}" for folder in sorted(folders) if folder.split(".")[0] == package]
        lines.append("  end")
    arrows = defaultdict(list)
    for source, value, target in FLOW:
        ends = nearest(source, folders), nearest(target, folders)
        if ends[0] != ends[1] and value not in arrows[ends]:
            arrows[ends].append(value)
    for ends, values in arrows.items():
        for value in values:
            unknown = [end for end in ends if value not in named[end] or value not in classes]
            if not value.startswith("<") and unknown:
                raise ValueError(f"{ends[0]} -> {ends[1]}: {value} is not known to {unknown[0]}")
        label = ", ".join(value.strip("<>") for value in values)
        source, target = (_box(end) for end in ends)
        lines.append(f'  {source} -- "{label}" --> {target}')
    return "\n".join(lines) + "\n"


def _box(end: str) -> str:
    return end if end.split(".")[0] in PACKAGES else f"{end.replace(' ', '_')}([{end}])"


def circles() -> list[tuple[str, str]]:
    """Pairs of neighbours (modules or folders of one folder) that import each other, however far.

    A module ``a.b.c`` that imports ``a.d.e`` is an import of ``d`` by ``b`` inside ``a``.
    """
    known = modules()
    inside = defaultdict(lambda: defaultdict(set))
    for name, path in known.items():
        for imported, _ in imports(path, known):
            one, other = name.split("."), imported.split(".")
            shared = 0
            while shared < min(len(one), len(other)) and one[shared] == other[shared]:
                shared += 1
            if shared < len(one) and shared < len(other):
                inside[".".join(one[:shared])][one[shared]].add(other[shared])
    return sorted(
        (f"{folder}.{first}".strip("."), f"{folder}.{second}".strip("."))
        for folder, edges in inside.items()
        for first in edges
        for second in edges
        if first < second and second in _reached(first, edges) and first in _reached(second, edges)
    )


def _reached(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    reached, waiting = set(), [start]
    while waiting:
        for following in edges.get(waiting.pop(), ()):
            if following not in reached:
                reached.add(following)
                waiting.append(following)
    return reached


def with_diagram(page: str, drawn: str) -> str:
    """A page whose first Mermaid block is the diagram."""
    before, _, rest = page.partition("```mermaid\n")
    return f"{before}```mermaid\n{drawn}```{rest.partition('```')[2]}"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(with_diagram(PAGE.read_text(), diagram()))
    else:
        print(diagram(), end="")
