"""Every reader by its declaration: the sample is told, read, and borne when it is damaged."""

import io
import re
from contextlib import suppress
from pathlib import Path

import pytest

import indexer.formats.readers
from indexer.formats import FORMAT_NAMES, module_of
from indexer.formats.detect import detect, parse_file
from indexer.formats.looks import near_json
from indexer.formats.registry import FORMATS, readers
from indexer.formats.shared.reader import ReaderOptions
from indexer.formats.shared.recordings import recording_of
from indexer.lattices.lattice import NO_WORD, Lattice
from indexer.networks.utterances import UtteranceSpan
from std.errors import InputError
from std.repairs import Repairs
from std.values import Recording
from tests.networks import networks_in

FORMATS_PAGE = Path(__file__).parents[3] / "docs" / "formats.md"
NAMED = ReaderOptions(segments={"x": UtteranceSpan(Recording("x", 1), 0.0, 0.65)})
WITHOUT_TIMES = ("sausage", "plf")  # the segments say when their utterances are
SAMPLES = {name: reader.sample for name, reader in FORMATS.items()}


def options(name):
    return NAMED if name in WITHOUT_TIMES else ReaderOptions()


def said(blocks):
    for block in blocks:
        if isinstance(block, Lattice):
            yield from (block.vocabulary[word] for word in block.word if word != NO_WORD)
        else:
            yield from (word for network in block for word in network.words)


def test_every_module_of_readers_is_one():
    folder = Path(indexer.formats.readers.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert modules == {module_of(name) for name in FORMAT_NAMES}


@pytest.mark.parametrize("name", FORMATS)
def test_its_sample_is_told_and_read(tmp_path, name):
    path = tmp_path / "x"
    path.write_bytes(SAMPLES[name])
    assert detect(SAMPLES[name], path) == name
    for told in ("auto", name):
        assert (*said(parse_file(path, told, options(name))),) == FORMATS[name].words


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("strict", [True, False])
def test_a_cut_sample_gives_words_or_an_input_error(name, strict):
    sample = SAMPLES[name]
    for at in range(0, len(sample), max(1, len(sample) // 60)):
        own = ReaderOptions(segments=options(name).segments, repairs=Repairs(strict=strict))
        with suppress(InputError):
            list(FORMATS[name].parse(io.BytesIO(sample[:at]), Path("x"), own))


@pytest.mark.parametrize("name", FORMATS)
def test_detection_bears_a_cut_sample(name):
    sample = SAMPLES[name]
    for at in range(len(sample)):
        with suppress(InputError):
            assert detect(sample[:at], "x") in FORMATS


@pytest.mark.parametrize("reader", readers("json"), ids=lambda reader: reader.name)
def test_json_has_the_keys_that_messages_compare(reader):
    if b"{" in reader.sample[:2]:
        assert near_json(reader.sample, 1.0)
        keys = [set(one.split()) for one in reader.keys]
        assert any(all(b'"%b"' % key.encode() in reader.sample for key in one) for one in keys)


@pytest.mark.parametrize("reader", FORMATS.values(), ids=lambda reader: reader.name)
def test_it_is_described(reader):
    """A row of the page is its declaration, and its section is there."""
    page = FORMATS_PAGE.read_text()
    needs = f" {reader.needs} " if reader.needs else " "
    row = f"| [{reader.title}](#{reader.section}) | `{reader.name}` | {reader.content} |{needs}|"
    assert row in page.splitlines()
    headings = [line.lstrip("# ").lower() for line in page.splitlines() if line.startswith("##")]
    plain = {"".join(c for c in one if c.isalnum() or c in " -") for one in headings}
    assert reader.section in {one.replace(" ", "-") for one in plain}


@pytest.mark.parametrize("reader", FORMATS.values(), ids=lambda reader: reader.name)
def test_a_recording_is_called_without_its_extension(reader):
    for extension in reader.extensions:
        assert recording_of(f"news.{extension}") == Recording("news", 1)


MOST_OFF_MS = 100  # of words that share the time of their sentence instead


@pytest.mark.parametrize("reader", readers("json"), ids=lambda reader: reader.name)
@pytest.mark.parametrize("change", [lambda key: b"x_" + key, bytes.swapcase])
def test_json_without_one_of_its_keys_is_read_right_or_refused(tmp_path, reader, change):
    """No other reader takes its posteriors, frames or milliseconds for times."""
    path = tmp_path / "x.json"
    path.write_bytes(reader.sample)
    starts_ms = dict(starts_of(path))
    for key in {*re.findall(rb'"([^"]{1,40})"\s*:', reader.sample)}:
        path.write_bytes(
            re.sub(rb'"%b"(\s*:)' % re.escape(key), rb'"%b"\1' % change(key), reader.sample)
        )
        with suppress(InputError):
            for word, start_ms in starts_of(path):
                assert abs(start_ms - starts_ms[word]) <= MOST_OFF_MS, key


def starts_of(path):
    blocks = list(parse_file(path, options=ReaderOptions(repairs=Repairs())))
    return [
        (word, start_ms)
        for network in networks_in(blocks)
        for word, start_ms in zip(network.words, network.spans_ms[:, 0].tolist(), strict=True)
    ]
