"""Preview of indexing, without an index: `std-index --dry-run`.

Every file is read as in indexing, so the same files are refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from indexer.file_columns import FileColumns, index_file
from indexer.formats.detect import HEAD_BYTES, detect
from indexer.formats.shared.reader import ReaderOptions
from indexer.index_report import Skipped
from indexer.inputs import Input, InputOptions
from indexer.origins import Origins
from std.config import Config
from std.errors import InputError, StdError
from std.execution.workers import IN_PROCESS, Executor
from std.files import is_regular, open_input
from std.repairs import Repair, mended
from std.values import Recording

UNKNOWN_JSON = "JSON"  # of no known service; some reader may find words in it


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of one input file."""

    path: Path
    format: str = ""  # a name of `indexer.formats.registry.all_readers`
    recordings: Mapping[Recording, int] = field(default_factory=dict)  # utterances of each
    postings: int = 0
    repairs: Mapping[str, Repair] = field(default_factory=dict)  # by kind
    problem: str = ""  # reason of a refusal
    skipped: str = ""  # kind of a skipped file

    @property
    def utterances(self) -> int:
        """The number of utterances of all recordings."""
        return sum(self.recordings.values())

    def document(self) -> dict[str, Any]:
        """The preview as `std-index --dry-run --json` writes it."""
        return {
            "path": str(self.path),
            "format": self.format or None,
            "utterances": self.utterances,
            "postings": self.postings,
            "recordings": [
                {"file": one.file, "channel": one.channel, "utterances": n}
                for one, n in self.recordings.items()
            ],
            "repairs": {
                kind: {"count": one.times, "first": one.place}
                for kind, one in mended([(self.path, self.repairs)]).items()
            },
            "problem": self.problem or None,
            "skipped": self.skipped or None,
        }


def previews(
    files: Sequence[Input],
    config: Config,
    input_format: str,
    options: ReaderOptions,
    indexed: dict[str, set[str]] | None = None,
    workers: Executor = IN_PROCESS,
) -> Iterator[Preview]:
    """Preview each input file, in order.

    Args:
        indexed: the inputs of each audio file in the index.
    """
    admission = Origins(files, indexed or {}, options.segments is not None)
    work = partial(preview_file, config=config, input_format=input_format, options=options)
    for source, format_name, result in workers.map(work, files):
        if isinstance(result, FileColumns):
            refused = admission.admit(source, result.utterances)
            yield Preview(
                source.path,
                format_name,
                result.indexed.utterances,
                result.indexed.postings,
                result.indexed.repairs,
                str(refused) if refused else "",
            )
        elif isinstance(result, Skipped):
            yield Preview(source.path, skipped=result.what)
        else:
            yield Preview(source.path, problem=str(result))


def fit(paths: Sequence[Path], options: InputOptions) -> bool:
    """Whether inputs can be indexed together: all can be read, and nothing is in two of them."""
    files = [Input(path) for path in paths]
    return not any(
        one.problem for one in previews(files, Config(), options.input_format, options.load())
    )


def preview_file(
    source: Input, config: Config, input_format: str, options: ReaderOptions
) -> tuple[Input, str, FileColumns | Skipped | StdError]:
    """The preview of a file; runs in a worker."""
    name = input_format
    if name == "auto" and is_regular(source.path):
        name = _detected(source.path)
    if name not in ("auto", UNKNOWN_JSON):
        result = index_file(source, config, name, options, 1)
        if input_format != "auto" or (isinstance(result, FileColumns) and result.indexed.postings):
            return source, name, result
    return source, name, index_file(source, config, input_format, options, 1)


def _detected(path: Path) -> str:
    """The format of a file by its first bytes; `UNKNOWN_JSON` if they do not determine it."""
    try:
        with open_input(path) as stream:
            return detect(stream.read(HEAD_BYTES), path)
    except InputError:
        return UNKNOWN_JSON
