"""The six functions of `spoken_terms`.

    recognise   audio files -> a folder of networks            `recogniser.recognise_files`
    index       recogniser output, captions -> an index        `indexer.index_files`
    open        an index, to be searched again and again       `searcher.open_index`
    search      terms in an index -> hits                      `searcher.Index`
    score       a hit list against a reference -> measures     `scoring.score_files`
    score_discovery   classes of a discovery -> measures       `scoring.discovery`

An error in a file is an `std.StdError`, which names the file and the line. An error in a call is
one of Python's exceptions: `TypeError` for a text where a list is expected, `FileNotFoundError` for
a missing model or store, `ClosedIndexError` (a `ValueError`) for a closed index. Each message is
one line.

    >>> import tempfile
    >>> import spoken_terms as st
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = f"{folder.name}/index"
    >>> report = st.index("examples/english/whisper/kathleen.jsonl", store)
    >>> report.utterances > 1
    True
    >>> with st.open(store) as index:
    ...     hits = index.search("the")
    ...     index  # doctest: +ELLIPSIS
    <Index ...: 1 recording, ... min of speech>
    >>> hits[0].file, hits[0].probability > 0.5
    ('kathleen', True)
    >>> st.search(["the", "zebra"], store)[0].term
    'the'
    >>> index.search("the")
    Traceback (most recent call last):
    ...
    std.errors.ClosedIndexError: the index is closed: open it again with open_index
    >>> folder.cleanup()
"""

from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

if TYPE_CHECKING:
    from indexer import IndexReport
    from recogniser import RecogniseReport
    from scoring import Evaluation
    from scoring.discovery import DiscoveryEvaluation
    from searcher import FusedIndex, Index
    from searcher.results.hits import Hits
    from std import Config, TermList

AnyPath = str | PathLike[str]
A_STORE = "a folder, or couchdb://host/database"


def recognise(
    audio: AnyPath | Sequence[AnyPath],
    output: AnyPath,
    *,
    model: str = "",
    backend: str = "whisper",
    jobs: int = 1,
    name_by: str = "stem",
    **options: Any,
) -> "RecogniseReport":
    """Recognise audio files into networks, as ``std-recognise`` does.

    Args:
        audio: files and folders.
        output: a folder for the networks, which `index` reads.
        model: a name or a folder; empty: the recogniser's own default.
        backend: ``whisper`` or ``pocketsphinx``.
        jobs: worker processes.
        name_by: name recordings by the ``stem`` or the ``path`` of their files.
        options: further fields of `recogniser.RecognitionOptions`, as ``language="de"``.

    Raises:
        FileNotFoundError: ``model`` is a path that does not exist.
        StdError: the audio cannot be read, or the recogniser cannot be loaded.

    For example::

        st.recognise("recordings/", "networks/", language="de", jobs=2)
        st.index("networks/", "index")

    >>> import spoken_terms as st
    >>> st.recognise("examples/english", "networks", model="./no-model")
    Traceback (most recent call last):
    ...
    FileNotFoundError: model: expected a name or a folder of a model, got nothing at './no-model'
    """
    from recogniser import RecognitionOptions, recognise_files

    if _is_path(model) and not Path(model).exists():
        message = f"model: expected a name or a folder of a model, got nothing at {model!r}"
        raise FileNotFoundError(message)
    wanted = RecognitionOptions(backend=backend, model=model, **options)
    return recognise_files(audio, output, wanted, jobs=jobs, name_by=name_by)


def index(inputs: AnyPath | Sequence[AnyPath], store: AnyPath, **settings: Any) -> "IndexReport":
    """Index recogniser output, as ``std-index`` does; a recording indexed before is replaced.

    Args:
        inputs: files and folders: networks, lattices, transcripts, captions, services' JSON.
        store: a folder, or ``couchdb://host/database``; it is created if it does not exist.
        settings: further arguments of `indexer.index_files`: ``language="de"``,
            ``metadata="recordings.xlsx"``, ``audio="recordings/"``, ``jobs=4``,
            ``keep_going=True``, ...

    Raises:
        FileNotFoundError: an input does not exist.
        StdError: an input cannot be read, or the store cannot be written.

    >>> import spoken_terms as st
    >>> report = st.index("examples/german/mesh/KERSTIN_00.mesh", "memory:", language="German")
    >>> len(report.recordings), report.utterances
    (1, 20)
    >>> st.index(["examples/none.ctm"], "memory:")
    Traceback (most recent call last):
    ...
    FileNotFoundError: inputs: expected a file or a folder, got nothing at 'examples/none.ctm'
    """
    from indexer import index_files
    from std.files import paths_of

    given = paths_of(inputs)
    for one in given:
        _require("inputs", one, "a file or a folder")
    return index_files(given, store, **settings)


def open(  # noqa: A001  # as in dbm and gzip: st.open
    *stores: AnyPath,
    config: "Config | AnyPath | None" = None,
    model: AnyPath | None = None,
    fuse: bool = False,
) -> "Index | FusedIndex":
    """Open an index to search it; a context manager, which closes it.

    Args:
        stores: one, or several shards of one index.
        config: a configuration, or its TOML file.
        model: a model that ``std-tune`` wrote.
        fuse: each store is another recogniser's index of the same speech.

    Raises:
        FileNotFoundError: a store, the configuration or the model does not exist.
        TypeError: the stores are given as one list.
        StdError: a store, the configuration or the model cannot be read.

    >>> import spoken_terms as st
    >>> st.open("no-index")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    FileNotFoundError: store: expected a folder, or couchdb://host/database, got ...
    >>> st.open(["a", "b"])
    Traceback (most recent call last):
    ...
    TypeError: expected stores as st.open('a', 'b'), got a list
    """
    from searcher import open_fused, open_index
    from std.store.address import kind_of

    for store in stores:
        if not isinstance(store, str | PathLike):
            got = type(store).__name__
            raise TypeError(f"expected stores as st.open('a', 'b'), got a {got}")
        if kind_of(fspath(store)) == "folder" and not Path(store).exists():
            message = f"store: expected {A_STORE}, got nothing at {fspath(store)!r}"
            raise FileNotFoundError(message)
    _require("model", model, "a model of std-tune")
    if isinstance(config, str | PathLike):
        _require("config", config, "a configuration")
        config = Path(config)
    learned = None if model is None else Path(model)
    if fuse:
        return open_fused(*stores, config=config, model=learned and [learned])
    return open_index(*stores, config=config, model=learned)


def search(
    terms: "str | Sequence[str] | TermList | PathLike[str]",
    store: "AnyPath | Index | FusedIndex",
    *,
    where: str | None = None,
    recordings: Sequence[str] = (),
    min_probability: float | None = None,
    ecf: AnyPath | None = None,
    output: AnyPath | None = None,
    **settings: Any,
) -> "Hits":
    """Search terms, the most probable hits first; or a term list, as an evaluation does.

    Args:
        terms: one term, or several; ``*`` stands for any letters of a word. Or a list of terms: a
            `std.TermList`, or the `pathlib.Path` of its file, whose hits have decisions.
        store: the store of the index; or an open index, which stays open.
        where: conditions on metadata, as ``date >= 2024-01 and speaker = "Ada"``.
        recordings: patterns of names, as ``["news_2024*"]``.
        min_probability: leave out less probable hits; None: 0.05 for terms, 0 for a list.
        ecf: for a list: the speech to search.
        output: for a list: the file of the hit list, which `score` reads.
        settings: ``config``, ``model``, ``fuse``; see `open`.

    Raises:
        FileNotFoundError: a file is not there.
        TypeError: a term is not a text, or ``recordings`` is a text.
        StdError: a file cannot be read, or no recording fits ``where`` or ``recordings``.

    >>> import tempfile
    >>> import spoken_terms as st
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = st.index("examples/german/mesh/KERSTIN_00.mesh", f"{name}/index")
    ...     hits = st.search("spreewald", f"{name}/index")
    ...     listed = st.search(Path("examples/german/terms.xml"), f"{name}/index")
    ...     with st.open(f"{name}/index") as index:
    ...         index.search(["haus", "baum"])
    Traceback (most recent call last):
    ...
    TypeError: expected terms as texts, index.search('haus', 'baum'), got ['haus', 'baum']
    >>> hits[0]
    <Hit 'spreewald' KERSTIN_00 5.090-5.790 s, probability 0.993>
    >>> listed[0].decision
    'YES'
    >>> sorted(hits.frame_columns())[:4]
    ['after', 'before', 'channel', 'decision']
    """
    from std import TermList
    from std.config import SHOWN_FROM

    if isinstance(store, str | PathLike):
        with open(store, **settings) as opened:
            return search(
                terms, opened, where=where, recordings=recordings,
                min_probability=min_probability, ecf=ecf, output=output,
            )  # fmt: skip
    if settings:
        raise TypeError(f"expected {', '.join(settings)} where the index is opened: st.open")
    if isinstance(terms, TermList | PathLike):
        return _search_list(
            terms, store, where, recordings, min_probability or 0.0, ecf=ecf, output=output
        )
    if ecf is not None or output is not None:
        raise TypeError("ecf and output are of a list of terms: pathlib.Path('terms.xml')")
    least = SHOWN_FROM if min_probability is None else min_probability
    from std.errors import require_kind

    require_kind("terms", terms, Iterable, "a term, a list of terms, or the path of one")
    wanted = [terms] if isinstance(terms, str) else list(terms)
    return store.search(*wanted, where=where, recordings=recordings, min_probability=least)


def _search_list(
    terms: "TermList | PathLike[str]",
    index: "Index | FusedIndex",
    where: str | None,
    recordings: Sequence[str],
    least: float,
    *,
    ecf: AnyPath | None,
    output: AnyPath | None,
) -> "Hits":
    """Search a list of terms; write its hit list if a file is given."""
    from searcher import write_hits
    from searcher.results.hits import Hits
    from std import TermList
    from std.files import read
    from std.nist import term_file
    from std.nist.ecf import parse

    name = ""
    if not isinstance(terms, TermList):
        _require("terms", terms, "a list of terms")
        name, terms = Path(terms).name, read(term_file.parse, Path(terms))
    _require("ecf", ecf, "an ECF")
    experiment = None if ecf is None else read(parse, Path(ecf))
    found = index.search_terms(terms, experiment, where=where, recordings=recordings)
    found = found.at_least(least)
    if output is not None:
        write_hits(found, output, terms=terms, terms_filename=name)
    return Hits(sorted(index.hits(found), key=lambda hit: -hit.probability))


def score(
    hits: AnyPath,
    *,
    terms: AnyPath,
    reference: AnyPath | Sequence[AnyPath],
    ecf: AnyPath | None = None,
    **options: Any,
) -> "Evaluation":
    """Score a hit list against a reference transcript, as ``std-score`` does.

    Args:
        hits: the hit list, of `search` or of another system.
        terms: the list of terms that was searched.
        reference: an RTTM file, or transcripts in any format that `index` reads.
        ecf: the speech to score; None: all speech of the reference.
        options: fields of `scoring.ScoringOptions`, as ``tolerance_s=1.0``.

    Raises:
        FileNotFoundError: a file is not there.
        StdError: a file cannot be read or does not fit the others.

    >>> import tempfile
    >>> import spoken_terms as st
    >>> with tempfile.TemporaryDirectory() as name:  # doctest: +ELLIPSIS
    ...     _ = st.index("examples/english/whisper/kathleen.jsonl", f"{name}/index")
    ...     files = {"terms": Path("examples/english/terms.xml"), "ecf": "examples/english/ecf.xml"}
    ...     _ = st.search(store=f"{name}/index", output=f"{name}/hits.xml", **files)
    ...     st.score(f"{name}/hits.xml", reference="examples/english/ref.rttm", **files)
    <Evaluation of std: ... terms, ATWV ..., MTWV ...>
    """
    from indexer import read_transcript
    from scoring import score_files
    from std.files import paths_of

    several = paths_of(reference)
    for name, path in (("hits", hits), ("terms", terms), ("ecf", ecf)):
        _require(name, path, "a file")
    for path in several:
        _require("reference", path, "a file")
    is_rttm = len(several) == 1 and ".rttm" in Path(several[0]).suffixes
    return score_files(
        hits,
        terms_path=terms,
        ecf_path=ecf,
        rttm_path=several[0] if is_rttm else None,
        reference=None if is_rttm else read_transcript(several),
        **options,
    )


def score_discovery(
    classes: AnyPath,
    *,
    phones: AnyPath,
    words: AnyPath,
    profile: str = "zrc2017",
    talkers: AnyPath | None = None,
) -> "DiscoveryEvaluation":
    """Score the classes of a term discovery, as ``std-discovery`` does.

    Args:
        classes: the class file of the system.
        phones, words: the gold alignments.
        profile: the variant of the measures: ``zrc2017``, ``zrc2015`` or ``definition``.
        talkers: the speaker of each recording; None: unknown.

    Raises:
        FileNotFoundError: a file is not there.
        ValueError: there is no such profile.
        StdError: a file cannot be read.

    >>> import tempfile
    >>> import spoken_terms as st
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = Path(name)
    ...     _ = (folder / "gold.phn").write_text("f 0 .1 a\\nf .1 .2 b\\nf .2 .3 a\\nf .3 .4 b\\n")
    ...     _ = (folder / "gold.wrd").write_text("f 0 .2 ab\\nf .2 .4 ab\\n")
    ...     _ = (folder / "disc.class").write_text("Class 1\\nf 0 .2\\nf .2 .4\\n")
    ...     files = {"phones": folder / "gold.phn", "words": folder / "gold.wrd"}
    ...     st.score_discovery(folder / "disc.class", **files).scores["all"].ned
    0.0
    """
    from scoring.discovery import (
        evaluate_discovery,
        read_classes,
        read_corpus,
        read_talkers,
        with_talkers,
    )
    from scoring.discovery.api import RECIPES

    if profile not in RECIPES:
        raise ValueError(f"profile: expected one of {', '.join(RECIPES)}, got {profile!r}")
    for name, path in (("classes", classes), ("phones", phones), ("words", words)):
        _require(name, path, "a file")
    corpus = read_corpus(phones, words)
    if talkers is not None:
        _require("talkers", talkers, "a file")
        corpus = with_talkers(corpus, read_talkers(talkers, corpus))
    return evaluate_discovery(corpus, read_classes(classes, corpus), profile)


def discover(classes: AnyPath, **settings: Any) -> "DiscoveryEvaluation":
    """`score_discovery` under its old name, which goes in version 3.0.

    Args:
        classes, settings: see `score_discovery`.
    """
    message = "st.discover is now st.score_discovery; index.discover() finds classes"
    warn(message, DeprecationWarning, stacklevel=2)
    return score_discovery(classes, **settings)


def _require(name: str, path: AnyPath | None, what: str) -> None:
    """Refuse a path that does not exist.

    Raises:
        FileNotFoundError: it does not exist.
        TypeError: it is no path.
    """
    from std.errors import require_kind

    if path is None:
        return
    require_kind(name, path, str | PathLike, f"the path of {what}")
    if fspath(path) != "-" and not (fspath(path) and Path(path).exists()):
        raise FileNotFoundError(f"{name}: expected {what}, got nothing at {fspath(path)!r}")


def _is_path(model: str) -> bool:
    """Whether a model is given by its path, not by its name."""
    return model.startswith((".", "/", "~"))
