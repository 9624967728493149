"""Mistakes in what the commands are given are one line; their help loads nothing heavy."""

import subprocess
import sys

import pytest

import indexer.cli
import searcher.commands.search

pytestmark = pytest.mark.slow


MISTAKES = [
    # command, arguments (with {store}, {tmp}, {german}), what the one line says
    ("index", "{tmp}/none --store {tmp}/i", "expected a file or a folder"),
    ("index", "{tmp}/empty --store {tmp}/i", "expected a folder with recogniser output"),
    ("index", "{tmp}/x.mesh --store {tmp}/i", "x.mesh:1: expected recogniser output"),
    ("index", "{tmp}/cut.mesh --store {tmp}/i", "cut.mesh"),
    ("index", "{german}/mesh --store {tmp}/x.mesh", "expected a folder for the index"),
    ("index", "{german}/mesh --store {tmp}", "expected an empty folder or an index"),
    ("index", "{german}/mesh --store {store} --config {tmp}/ss.toml", "text.sharp_s = 'keep'"),
    ("search", "--store {tmp}/none dort", "expected an index"),
    ("search", "--store {store} dort --config {tmp}/ss.toml", "expected text.sharp_s = 'keep'"),
    ("search", "--store {store} {empty}", "expected a word or a phrase"),
    ("search", "--store {store} *", "expected letters beside * (robo*, *arbeit, r*t:"),
    (
        "search",
        "--store {store} --terms {german}/terms.xml --ecf {tmp}/other.xml --output {tmp}/h.xml",
        "other.xml: expected recordings that",
    ),
    (
        "search",
        "--store {store} --terms {german}/terms.xml --ecf {german}/ecf.xml --output {tmp}/no/h.xml",
        "expected a writable folder",
    ),
]


@pytest.mark.parametrize(("command", "line", "message"), MISTAKES, ids=lambda x: str(x)[:40])
def test_mistakes_get_one_line_and_status_2(
    german, german_store, tmp_path, capsys, command, line, message
):
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.mesh").write_text("nothing of the kind\n")
    whole = (german / "mesh" / "KERSTIN_00.mesh").read_text()
    (tmp_path / "cut.mesh").write_text(whole[: len(whole) // 2])
    (tmp_path / "ss.toml").write_text('[text]\nsharp_s = "ss"\n')
    ecf = (german / "ecf.xml").read_text()
    (tmp_path / "other.xml").write_text(ecf.replace("KERSTIN", "SOMEBODY"))
    before = sorted(p.name for p in tmp_path.iterdir())
    argv = [
        word.format(store=german_store, tmp=tmp_path, german=german, empty=" ")
        for word in line.split()
    ]
    main = {"index": indexer.cli.main, "search": searcher.commands.search.main}[command]
    assert main([*argv, "--quiet"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"std-{command}: ")
    assert message in printed.err
    assert printed.err.count("\n") == 1
    made = {p.name for p in tmp_path.iterdir()} - set(before)
    assert made <= {"i"}, "something half written"


def test_a_full_disk_behind_stdout_is_one_line(german_store):
    command = [
        sys.executable,
        "-m",
        "searcher.commands.search",
        "--store",
        german_store,
        "landkreis",
        "--json",
    ]
    with open("/dev/full", "w") as full:  # noqa: PTH123  # a device
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "std-search: standard output: No space left on device\n"


def test_usage_errors_have_status_2(capsys):
    for main, argv in [
        (indexer.cli.main, ["--store", "x"]),
        (indexer.cli.main, ["a", "--store", "x", "--jobs", "0"]),
        (searcher.commands.search.main, ["--store", "x"]),
        (searcher.commands.search.main, ["--store", "x", "a", "--terms", "t.xml"]),
        (
            searcher.commands.search.main,
            ["--store", "x", "--terms", "t.xml", "--probabilities", "p.xml"],
        ),
        (searcher.commands.search.main, ["--store", "x", "dort", "--beta", "-1"]),
    ]:
        with pytest.raises(SystemExit) as end:
            main(argv)
        assert end.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


HEAVY = ("numpy", "scipy", "sklearn", "matplotlib", "numba", "couchdb", "lxml", "g2p_en")


@pytest.mark.parametrize("command", ["index", "search"])
def test_networks_and_known_words_need_no_compiled_kernels(command, german_store, tmp_path):
    (tmp_path / "news.ctm").write_text("news 1 0.5 0.4 haus 0.9\n")
    module, given = {
        "index": ("indexer.cli", [str(tmp_path / "news.ctm"), "--store", str(tmp_path / "index")]),
        "search": (
            "searcher.commands.search",
            ["--store", german_store, "haus", "--limit", "1"],
        ),
    }[command]
    script = (
        "import sys\n"
        f"from {module} import main\n"
        f"assert main({given!r}) == 0\n"
        "heavy = {'numba', 'scipy', 'matplotlib', 'lxml', 'couchdb', 'rapidfuzz', 'orjson'}\n"
        "print(sorted(heavy & {*sys.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert (tmp_path / "index").is_dir() if command == "index" else "haus" in done.stdout
    readers = ["orjson"] if command == "index" else []
    assert done.stdout.splitlines()[-1] == str(readers)


@pytest.mark.parametrize("module", ["indexer.cli", "searcher.commands.search", "scoring.cli"])
def test_help_is_fast_and_shows_an_example(module):
    script = (
        "import sys, importlib\n"
        f"main = importlib.import_module({module!r}).main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: assert not end.code\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "example" in done.stdout
    if module == "searcher.commands.search":
        assert "exit status" in done.stdout
        assert "(50)" in done.stdout
    assert done.stderr.strip() == "[]"


def test_names_of_files_do_not_move_the_cursor(tmp_path, capsys):
    name = tmp_path / "a\x1b[2J\nb\u202ec.mesh"
    name.write_text("no mesh")
    assert indexer.cli.main([str(name), "--store", str(tmp_path / "i")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "a\\x1b[2J\\nb\\u202ec.mesh" in line
