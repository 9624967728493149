"""What the modules beside this one share: the samples, and readers of files and of texts."""

import io
from pathlib import Path

from indexer.formats.detect import parse_file
from indexer.formats.shared.reader import ReaderOptions
from indexer.formats.shared.tiers import Tiers
from indexer.networks.nonwords import Nonwords
from tests.networks import networks_in

CAPTIONS = Path(__file__).parents[3] / "data" / "captions"
SAMPLES = {
    "editor.srt": "srt", "crlf_utf16.srt": "srt", "windows1252.srt": "srt",
    "no_numbers_bom.srt": "srt", "plain.vtt": "vtt", "rolls_up.vtt": "vtt", "dfxp.ttml": "ttml",
    "words.ttml": "ttml", "utterances.eaf": "eaf", "long.TextGrid": "textgrid",
    "spoken.tei": "tei", "words.tei": "tei",
    "short_utf16.TextGrid": "textgrid", "whisper.tsv": "table", "whisper_cpp.csv": "table",
    "excel.csv": "table", "words.csv": "table", "rows.json": "timed-text",
    "captions.json": "timed-text", "site.json": "timed-text", "meeting.json": "timed-text",
    "reference.stm": "stm",
}  # fmt: skip


def options():
    return ReaderOptions(nonwords=Nonwords(), tiers=Tiers())


def read(name, own=None):
    return list(networks_in(parse_file(CAPTIONS / name, options=own or options())))


def parsed(module, text, own=None, path="x"):
    content = text if isinstance(text, bytes) else text.encode()
    return list(networks_in(module.parse(io.BytesIO(content), path, own or options())))


def said(networks):
    return [(n.start_ms, n.end_ms, " ".join(n.words)) for n in networks]


def times(network):
    return [tuple(span) for span in network.spans_ms.tolist()]
