"""Files that commands read and write: pipes, standard input, links, hostile names, full disks."""

import csv
import gzip
import json
import os
import shlex
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
ASR = Path(__file__).parent / "data" / "asr"
COMMANDS = {
    "std-index": "indexer.cli",
    "std-store": "indexer.store_cli",
    "std-search": "searcher.commands.search",
    "std-tune": "searcher.commands.tune",
    "std-score": "scoring.cli",
    "std-discovery": "scoring.discovery.cli",
}


def shell(line, folder, **more):
    """Run a line of bash in which commands are those of this checkout."""
    functions = ""
    for name, module in COMMANDS.items():
        script = f"import sys; from {module} import main; sys.exit(main())"
        functions += f'{name}() {{ {shlex.quote(sys.executable)} -c "{script}" "$@"; }}; '
    return subprocess.run(
        ["bash", "-c", functions + line],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        check=False,
        **more,
    )


def done(line, folder):
    result = shell(line, folder)
    assert (result.returncode, result.stderr.decode()) == (0, "")
    return result.stdout


def refused(line, folder):
    """The one line that a command says."""
    result = shell(line, folder)
    assert (result.returncode, result.stdout) == (2, b"")
    message = result.stderr.decode()
    assert message.count("\n") == 1
    return message


@pytest.fixture(scope="module")
def demo(german, tmp_path_factory):
    """A folder with an index, terms, an ECF, a transcript, a configuration and a hit list."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("ecf.xml", "terms.xml", "ref.rttm"):
        (folder / name).write_bytes((german / name).read_bytes())
    (folder / "c.toml").write_bytes((ROOT / "configs" / "plain.toml").read_bytes())
    done(f"std-index {shlex.quote(str(german))}/mesh --store index --quiet", folder)
    done(f"{BATCH} --output hits.xml", folder)
    return folder


FILES = "--terms terms.xml --ecf ecf.xml"
BATCH = f"std-search --store index {FILES} --config c.toml --quiet"
SCORE = f"std-score hits.xml {FILES} --rttm ref.rttm --quiet"


def without_times(hit_list):
    return [line for line in hit_list.splitlines() if b"search_time" not in line]


def test_search_reads_pipes(demo, tmp_path):
    expected = without_times((demo / "hits.xml").read_bytes())
    for name, line in (
        (
            b'"-"',
            "std-search --store index --terms - --ecf <(gzip -c ecf.xml) --config <(cat c.toml)"
            " --output - --quiet < terms.xml",
        ),
        (
            b'"stdin"',
            "gzip -c terms.xml | std-search --store index --terms /dev/stdin --ecf ecf.xml"
            " --config <(gzip -c c.toml) --output /dev/stdout --quiet",
        ),
    ):
        found = without_times(done(line, demo))
        assert found[2:] == expected[2:]
        assert found[1] == expected[1].replace(b'"terms.xml"', name)


def test_score_reads_pipes(demo):
    piped = (
        "std-score <(cat hits.xml) --ecf <(cat ecf.xml) --rttm <(gzip -c ref.rttm) --terms -"
        " --quiet {} < terms.xml"
    )
    for more in ("", "--segments"):  # the latter reads the transcript twice
        found = done(piped.format(more), demo)
        assert b"ATWV" in found
        assert found == done(f"{SCORE} {more}", demo)


def test_costs_are_read_from_pipes(demo):
    cost = {"cpu_seconds": 1, "compile_seconds": 0, "peak_memory_gb": 3}
    searched = {"searched_seconds": 9, "query_seconds": 2, "query_cpu_seconds": 0}
    for name, figures in (("i.json", {"speech_seconds": 9}), ("s.json", searched)):
        (demo / name).write_text(json.dumps(figures | cost))
    whole = done("std-score --resources i.json s.json", demo)
    assert done("std-score --resources <(cat i.json) - < s.json", demo) == whole


def test_index_reads_pipes(tmp_path):
    for name in ("kaldi_sausages.txt", "kaldi_times.txt", "segments", "words.txt"):
        (tmp_path / name).write_bytes((ASR / "german" / name).read_bytes())
    german = shlex.quote(str(ASR / "german"))
    beside = "--times kaldi_times.txt --segments segments --words words.txt"
    done(f"std-index kaldi_sausages.txt {beside} --store one --quiet", tmp_path)
    piped = " ".join(f"<(cat {one})" if one[0] != "-" else one for one in beside.split())
    line = f"std-index <(gzip -c kaldi_sausages.txt) {piped} --store two --quiet --jobs 2"
    done(line, tmp_path)
    done(f"std-index - --store three --quiet < {german}/networks.jsonl", tmp_path)
    done(f"std-index {german}/networks.jsonl --store four --quiet", tmp_path)
    made = {
        store.name: [segment.name for segment in (store / "segments").iterdir()]
        for store in map(tmp_path.joinpath, ("one", "two", "three", "four"))
    }
    assert made["one"] == made["two"]
    assert made["three"] == made["four"]


def test_a_pipe_without_a_name_has_no_recording(german, tmp_path):
    german = shlex.quote(str(german))
    for source in ("- <", "/dev/stdin <"):
        line = f"std-index {source} {german}/mesh/KERSTIN_00.mesh --store index"
        message = refused(line, tmp_path)
        assert "expected a recording's name in the content, or in the name of a file" in message
    line = f"mkfifo news.mesh; cat {german}/mesh/KERSTIN_00.mesh > news.mesh &"
    done(f"{line} sleep .2; std-index news.mesh --store index --quiet", tmp_path)
    assert b'"news"' in done("std-search --store index landkreis --json --quiet", tmp_path)


def test_query_and_tune_read_pipes(demo):
    for source in ("<(printf 'burg\\t3\\nanlagen\\n')", "- < <(printf 'burg\\nanlagen\\n' | gzip)"):
        assert b"burg anlagen" in done(
            f"std-search --explain-query burganlagen --quiet --vocabulary {source}", demo
        )
    line = "std-tune --store index --ecf none.xml --rttm - --terms - --output model.json"
    assert "--terms: expected a file of its own, got that of --rttm" in refused(line, demo)


def test_discovery_reads_pipes(tmp_path):
    (tmp_path / "p").write_text("a 0 1 x\na 1 2 y\nb 0 1 x\nb 1 2 y\n")
    (tmp_path / "w").write_text("a 0 2 w\nb 0 2 w\n")
    (tmp_path / "c").write_text("Class 0\na 0 2\nb 0 2\n")
    whole = done("std-discovery --phones p --words w --classes c", tmp_path)
    line = "std-discovery --phones <(cat p) --words <(gzip -c w) --classes - < c"
    assert b"NED" in whole
    assert done(line, tmp_path) == whole


def test_standard_input_has_one_reader_and_a_name(demo):
    line = "std-search --store index --terms - --ecf - --output h.xml < terms.xml"
    assert "--ecf: expected a file of its own, got that of --terms (standard input)" in (
        refused(line, demo)
    )
    line = line.replace("--terms -", "--terms /dev/stdin")
    assert "that of --terms" in refused(line, demo)
    line = "std-search --store index --terms terms.xml --ecf - --output h.xml < terms.xml"
    assert "std-search: standard input:2: expected an <ecf>" in refused(line, demo)
    assert "standard input: expected a readable file" in refused(line.replace("< t", "<&- #"), demo)
    assert not (demo / "h.xml").exists()


def test_a_file_that_is_called_minus(demo, tmp_path):
    (tmp_path / "-").write_text("burg\nanlagen\n")
    line = "std-search --explain-query burganlagen --quiet --vocabulary ./-"
    assert b"burg anlagen" in done(line, tmp_path)


@pytest.mark.parametrize("name", ["ecf.xml", "./ecf.xml", "x/../ecf.xml", "$PWD/ecf.xml", "l", "h"])
def test_no_output_replaces_an_input(demo, name):
    if name in ("l", "h"):
        (demo / name).unlink(missing_ok=True)
        (demo / name).symlink_to("ecf.xml") if name == "l" else (demo / name).hardlink_to(
            demo / "ecf.xml"
        )
    (demo / "x").mkdir(exist_ok=True)
    before = (demo / "ecf.xml").read_bytes()
    assert "expected a file of its own" in refused(f"{BATCH} --output {name}", demo)
    assert (demo / "ecf.xml").read_bytes() == before


def test_outputs_are_not_mixed(demo):
    for more in (
        "--output o --explain ./o",
        "--output - --json",
        "--output o --oov-lexicon o",
        "--output o --probabilities o",
    ):
        assert "expected a file of its own" in refused(f"{BATCH} {more}", demo)
    assert shell(f"{BATCH} --output o --json > o", demo).returncode == 2
    (demo / "o").unlink()
    lexicon = "printf '[pronunciation]\\nlexicon = \"lex\"\\n' > l.toml; echo 'ab a b' > lex; "
    line = f"{lexicon} std-search --store index {FILES} --config l.toml --output o"
    assert "that of pronunciation.lexicon" in refused(f"{line} --oov-lexicon lex", demo)
    assert (demo / "lex").read_text() == "ab a b\n"
    message = refused(f"{BATCH} --output index/manifest.json", demo)
    assert "expected a file other than the index's own" in message


def test_a_report_replaces_no_input(demo):
    (demo / "scores").mkdir()
    (demo / "scores" / "terms.csv").write_bytes((demo / "terms.xml").read_bytes())
    line = SCORE.replace("terms.xml", "scores/terms.csv")
    assert "expected a file of its own" in refused(f"{line} --output scores", demo)
    assert [path.name for path in (demo / "scores").iterdir()] == ["terms.csv"]


def test_a_null_device_stays(demo):
    done(f"{BATCH} --output /dev/null --explain /dev/null", demo)
    assert Path("/dev/null").is_char_device()
    message = refused(f"{BATCH} --output /dev/full", demo)
    assert message.startswith("std-search: /dev/full: expected")
    assert "No space left on device" in message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("std-store delete index x --shard ./index", "got it twice (index is the same)"),
        ("std-store verify index --shard index", "expected each index once"),
        ("std-search --store index --store $PWD/index x", "--store"),
        ("std-search --store couchdb:x dort", "couchdb:x: expected couchdb://"),
        ("std-search --explain-query --store couchdbs:x dort", "couchdbs:x: expected couchdb://"),
        ("std-score '' --ecf e --rttm r --terms t", "expected the name of a file"),
        ("std-score x --ecf e --rttm r --terms t --output -", "expected the name of a folder"),
    ],
)
def test_names_that_are_refused(demo, line, message):
    assert message in refused(line, demo)


def test_an_index_inside_of_its_input_is_no_input(german, tmp_path):
    (tmp_path / "a.mesh").write_bytes((german / "mesh" / "KERSTIN_00.mesh").read_bytes())
    for _ in range(2):
        done("std-index . --store index --quiet", tmp_path)


def test_bombs_are_refused(demo, tmp_path):
    much = gzip.compress(b"x" * (1 << 27), 4)  # a member of its own after the beginning
    for name, content in (
        ("ecf", b'<ecf version="1">' + (b" " * 1023 + b"\n") * (1 << 17)),
        ("rttm", b"LEXEME"),
        ("terms", b'<termlist version="'),
        ("model", b'{"format": "'),
        ("toml", b"# "),
        ("lexicon", b"a b\n" * (1 << 25)),
    ):
        (tmp_path / name).write_bytes(gzip.compress(content, 4) + much)
    (tmp_path / "l.toml").write_text(f'[pronunciation]\nlexicon = "{tmp_path}/lexicon"\n')
    for line, name in (
        (f"{BATCH} --output o --ecf {tmp_path}/ecf", "ecf"),
        (f"{BATCH} --output o --terms {tmp_path}/terms", "terms"),
        (f"{BATCH} --output o --config {tmp_path}/toml", "toml"),
        (f"{BATCH} --output o --model {tmp_path}/model", "model"),
        (f"std-search --store index hahnenfedern --quiet --config {tmp_path}/l.toml", "lexicon"),
        (f"{SCORE} --rttm {tmp_path}/rttm", "rttm"),
        (f"std-score --resources {tmp_path}/model x.json", "model"),
        (f"std-search --explain-query --vocabulary {tmp_path}/lexicon x", "lexicon"),
        (f"std-index --store i {tmp_path}/model", "model"),
    ):
        message = refused(f"ulimit -v 6000000; {line}", demo)
        assert f"{tmp_path}/{name}" in message
        assert "at most" in message or "attr" in message.lower()


RECORDING = "a]0;x\x9b31m\u202e\u200b\x7f=b"
WORDS = ["=cmd\x9bx\u202e\u200b\x7f", "+1x\u202e", "@sum", "-s", "wort[red]", "das", "-3"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """An index, terms, an ECF and a transcript whose names would obey a terminal."""
    folder = tmp_path_factory.mktemp("hostile")
    slots = [
        {"s": i, "e": i + 1, "eps": 0.0, "w": [[word, 0.9, i, i + 1], ["x\x1b[2J", 0.1, i, i + 1]]}
        for i, word in enumerate(WORDS)
    ]
    network = {"utt": "u\x1b", "file": RECORDING, "channel": 1, "start": 0, "end": 9}
    (folder / "n.jsonl").write_text(json.dumps({**network, "slots": slots}))
    terms = "".join(
        f'<term termid="={i}&#13;x\x9b"><termtext>{word}</termtext><terminfo><attr><name>g</name>'
        f"<value>$x^$[/]\x9b{i % 2}</value></attr></terminfo></term>"
        for i, word in enumerate([*WORDS, "zz\u202e\x9bunk"])
    )
    (folder / "terms.xml").write_text(f"<termlist language='\x9b'>{terms}</termlist>")
    (folder / "ecf.xml").write_text(
        '<ecf source_signal_duration="9" language="x" version="1"><excerpt '
        f'audio_filename="{RECORDING}" channel="1" tbeg="0" dur="9" source_type="bnews"/></ecf>'
    )
    (folder / "ref.rttm").write_text(
        "".join(f"LEXEME {RECORDING} 1 {i} 1 {w} lex s\x9b\x1b <NA>\n" for i, w in enumerate(WORDS))
    )
    (folder / "c.toml").write_text('[phonetic_search]\nwords = "none"\n')
    return folder


def test_nothing_printed_is_obeyed(hostile):
    groups = "--group-by attribute:g --group-by recording"
    odd = "$(printf '\\033[2J\\xff')"
    for line in (
        "std-index n.jsonl --store index --config c.toml --ecf ecf.xml",
        f"std-index n.jsonl --store i{odd} --config c.toml",
        "std-store verify index",
        f"std-search --store index {FILES} --config c.toml --output hits.xml"
        " --system-id '=$x^\x9b'",
        f"cp terms.xml t{odd}; std-search --store index --terms t{odd} --ecf ecf.xml"
        f" --config c.toml --output h{odd}",
        f"std-search --store index {FILES} --config c.toml --output h.xml --system-id {odd}",
        f"std-search --store index --config c.toml das =cmd {odd}",
        "std-search --store index --config c.toml das --json",
        f"std-search --explain-query --store index --config c.toml =cmd 'wort[red]' {odd}",
        "std-search --explain-query --store index --config c.toml =cmd --json",
        f"std-score hits.xml {FILES} --rttm ref.rttm {groups}",
        f"std-score hits.xml {FILES} --rttm ref.rttm {groups} --json",
        f"std-score hits.xml h{odd} {FILES} --rttm ref.rttm --output two --bootstrap 9",
        "std-score --validate hits.xml --terms terms.xml --rttm ref.rttm --json",
        f"std-score --validate hits.xml t{odd} --terms terms.xml --rttm ref.rttm",
        f"std-score --nonsense{odd}",
        f"std-store delete index {odd}",
    ):
        result = shell(line, hostile)
        assert result.returncode in (0, 2), (line, result.stderr)
        assert b"Traceback" not in result.stderr
        for printed in (result.stdout, result.stderr):
            letters = set(printed.decode().replace("\n", ""))
            assert not {one for one in letters if unicodedata.category(one) in ("Cc", "Cf", "Zl")}
    summary = (hostile / "two" / "summary.txt").read_text()
    assert summary.replace("\n", "").isprintable()


def test_no_cell_is_a_formula(hostile):
    for line in (
        "std-index n.jsonl --store index --config c.toml --quiet",
        f"std-search --store index {FILES} --config c.toml --output hits.xml --quiet",
        f"std-score hits.xml {FILES} --rttm ref.rttm --output scores --group-by attribute:g",
    ):
        shell(line, hostile)
    cells = set()
    for name in ("terms.csv", "alignment.csv", "det.csv", "iso_ratios.csv", "ignored.csv"):
        with (hostile / "scores" / name).open(newline="") as stream:
            rows = list(csv.reader(stream))
        assert len({len(row) for row in rows}) == 1  # a line end in an id stays in its cell
        cells |= {cell for row in rows for cell in row}
    for cell in cells:
        if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
            float(cell)
    assert {"'" + WORDS[0], "'" + WORDS[1], "'@sum", "'-s", "-3", "das"} <= cells
    assert "'=0\rx\x9b" in cells
