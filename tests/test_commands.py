"""The three commands on real speech: what acceptance runs, called in process."""

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import indexer.cli
import searcher.commands.search
from indexer.store_cli import main as std_store
from searcher import Expected, open_index
from std.errors import StoreBusyError
from std.files import read
from std.nist import std_list

pytestmark = pytest.mark.slow

PLAIN = str(Path(__file__).parent.parent / "configs" / "plain.toml")


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "index"
    argv = [str(german / "mesh"), "--store", str(path), "--quiet"]
    assert indexer.cli.main(argv) == 0
    return path


def batch(store, german, output, *more):
    given = ["--terms", str(german / "terms.xml"), "--ecf", str(german / "ecf.xml")]
    return searcher.commands.search.main(
        ["--store", str(store), *given, "--output", str(output), *more]
    )


def test_index_reports_what_it_did(german, tmp_path, capsys):
    argv = [str(german / "mesh"), "--store", str(tmp_path / "i"), "--json"]
    assert indexer.cli.main([*argv, "--ecf", str(german / "ecf.xml")]) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    assert set(figures) == {
        "files",
        "utterances",
        "slots",
        "postings",
        "words",
        "speech_seconds",
        "seconds",
        "cpu_seconds",
        "compile_seconds",
        "isf",
        "languages",
        "peak_memory_gb",
        "skipped",
        "wordless",
        "speakers",
        "nonwords",
        "tiers",
        "tiers_left_out",
        "times_estimated",
        "repairs",
    }
    assert (figures["files"], figures["utterances"]) == (15, 290)
    assert figures["speech_seconds"] == pytest.approx(1479.422)
    assert "times real time" in printed.err


def test_the_speech_of_files_that_were_not_indexed_does_not_count(german, tmp_path, capsys):
    argv = [str(german / "mesh" / "KERSTIN_01.mesh"), "--store", str(tmp_path / "i"), "--json"]
    assert indexer.cli.main([*argv, "--ecf", str(german / "ecf.xml")]) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    assert figures["speech_seconds"] == pytest.approx(104.521)
    assert figures["isf"] == pytest.approx(figures["cpu_seconds"] / 104.521)
    assert "; 105 s of speech in " in printed.err


def test_a_shard_that_somebody_else_writes_to_is_not_merged(german, tmp_path, capsys, monkeypatch):
    """What was indexed counts, and is not reported as a failure of indexing."""
    busy = StoreBusyError("X: somebody else is writing to this store")
    monkeypatch.setattr("indexer.index_run.uses_workers", lambda stores, workers: True)
    monkeypatch.setattr("indexer.index_run.upkeep", lambda *given, **rest: [busy])
    argv = [str(german / "mesh" / "KERSTIN_01.mesh"), "--store", str(tmp_path / "i"), "--quiet"]
    assert indexer.cli.main(argv) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("std-index: warning: ")
    assert line.endswith(f"{busy}; its segments were not merged, all else is done")
    assert std_store(["merge", str(tmp_path / "i")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"std-store: {busy}; its segments were not merged, all else is done"


def test_the_same_input_twice_is_the_same_index(german, store, tmp_path):
    path = tmp_path / "twice"
    files = [str(p) for p in sorted((german / "mesh").iterdir())]
    for argv in (files[:4], files, files[::-1], files[3:5]):
        assert indexer.cli.main([*argv, "--store", str(path), "--quiet"]) == 0
    assert std_store(["merge", str(path)]) == 0
    once, twice = (sorted(p.name for p in (s / "segments").iterdir()) for s in (store, path))
    assert once == twice


def test_search_writes_the_hit_list(german, store, tmp_path, capsys):
    explained = tmp_path / "why.jsonl"
    plain = ["--config", str(german.parent.parent / "configs" / "plain.toml")]
    more = ["--json", "--explain", str(explained), *plain]
    assert batch(store, german, tmp_path / "h.xml", *more) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["terms"], figures["oov_terms"], figures["detections"]) == (265, 102, 391)
    lines = [json.loads(line) for line in explained.read_text().splitlines()]
    assert len(lines) == figures["detections"]
    assert all((one["decision"] == "YES") == (one["score"] >= one["threshold"]) for one in lines)
    assert (tmp_path / "h.xml").read_text().count("<term ") == figures["detections"]


@pytest.mark.parametrize("dialect", ["std2006", "kws2013"])
def test_each_hit_has_two_numbers(german, store, tmp_path, capsys, dialect):
    """The second list has the same hits and decisions, and the probabilities of --explain."""
    hits, second, explained = (tmp_path / name for name in ("h.xml", "p.xml", "why.jsonl"))
    more = [f"--probabilities={second}", f"--explain={explained}", f"--dialect={dialect}"]
    assert batch(store, german, hits, *more, "--json", "--config", PLAIN) == 0
    figures = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in explained.read_text().splitlines()]
    chances = [one["probability"] for one in lines]
    above = [one for one in chances if one >= 0.5]
    assert figures["expected"] == {
        "from": 0.5,
        "hits": len(above),
        "right": pytest.approx(sum(above)),
        "right_below": pytest.approx(sum(chances) - sum(above)),
    }
    by_score, by_probability = (read(std_list.parse, path) for path in (hits, second))
    assert by_score.detections.score.tolist() == [one["score"] for one in lines]
    assert by_probability.detections.score.tolist() == chances
    assert by_score.detections.score.tolist() != chances
    for name in ("terms", "recordings"):
        assert getattr(by_score.detections, name) == getattr(by_probability.detections, name)
    for name in ("term", "recording", "start_s", "duration_s", "yes"):
        columns = getattr(by_score.detections, name), getattr(by_probability.detections, name)
        assert np.array_equal(*columns)
    assert by_score.searches == by_probability.searches


@pytest.mark.parametrize("judged", ["whole", "independent"])
def test_a_list_of_probabilities_says_what_they_depend_on(german, store, tmp_path, capsys, judged):
    more = ["--probabilities", str(tmp_path / "p.xml"), "--set", f"calibration.list={judged}"]
    assert batch(store, german, tmp_path / "h.xml", "--config", PLAIN, "--json", *more) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["list"] == judged
    assert ("depend on how many of the list's terms occur" in err) == (judged == "whole")


def test_an_answer_says_what_to_expect(german, store, tmp_path, capsys):
    about = r"\d+ hits from probability 0\.5 up, about \d+ are right; about \d+ more below\n"
    assert batch(store, german, tmp_path / "h.xml", "--config", PLAIN) == 0
    assert re.search(about, capsys.readouterr().err)
    argv = ["--store", str(store), "landkreis", "im"]
    assert searcher.commands.search.main([*argv, "--json"]) == 0
    printed = capsys.readouterr()
    chances = [one["probability"] for one in json.loads(printed.out)]
    line = str(Expected.of(chances))
    assert line in printed.err
    assert searcher.commands.search.main(argv) == 0
    assert line in capsys.readouterr().err
    assert searcher.commands.search.main([*argv, "--quiet"]) == 0
    assert line not in capsys.readouterr().err
    with open_index(str(store)) as index:
        assert str(index.find("landkreis", "im").expected) == line


def test_probabilities_are_written_for_lists_only(store, capsys):
    with pytest.raises(SystemExit, match="2"):
        searcher.commands.search.main(["--store", str(store), "im", "--probabilities", "p.xml"])
    assert "--probabilities writes the hits of a --terms file" in capsys.readouterr().err


def test_one_place_is_one_hit_whatever_found_it(german, store, tmp_path):
    """A split and a sound, or two sounds, are never both reported for overlapping speech."""
    explained = tmp_path / "why.jsonl"
    assert batch(store, german, tmp_path / "h.xml", "--explain", str(explained)) == 0
    by_term = {}
    for line in explained.read_text().splitlines():
        hit = json.loads(line)
        place = (hit["start_s"], hit["start_s"] + hit["duration_s"], hit["method"])
        by_term.setdefault((hit["term_id"], hit["file"]), []).append(place)
    assert {place[2] for some in by_term.values() for place in some} >= {
        "exact",
        "split",
        "phonetic",
    }
    for some in by_term.values():
        for one, other in pairwise(sorted(some)):
            assert other[0] >= one[1]
    assert len(by_term["GE-0242", "KERSTIN_06"]) == 1


@pytest.mark.parametrize(("dialect", "root"), [("std2006", "<stdlist "), ("kws2013", "<kwslist ")])
def test_both_dialects(german, store, tmp_path, dialect, root):
    assert batch(store, german, tmp_path / "h.xml", "--dialect", dialect) == 0
    assert root in (tmp_path / "h.xml").read_text()


def test_a_person_sees_a_table(store, capsys):
    argv = ["--store", str(store), "landkreis", "im brandenburgischen", "--fmt", "table"]
    assert searcher.commands.search.main(argv) == 0
    out = capsys.readouterr().out
    assert "KERSTIN_00" in out
    assert "im brandenburgischen landkreis" in out
    assert (
        searcher.commands.search.main(["--store", str(store), "quatschwort", "--config", PLAIN])
        == 1
    )
    printed = capsys.readouterr()
    assert "does not know quatschwort" in printed.err
    assert "no hits" in printed.err


def test_a_program_gets_a_list(store, capsys):
    assert searcher.commands.search.main(["--store", str(store), "landkreis", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    assert hits[0]["file"] == "KERSTIN_00"
    argv = ["--store", str(store), "quatschwort", "--json", "--config", PLAIN]
    assert searcher.commands.search.main(argv) == 1
    assert json.loads(capsys.readouterr().out) == []


def test_a_person_sees_probabilities_and_decisions_when_asked(store, capsys):
    argv = ["--store", str(store), "im", "haus"]
    table = [*argv, "--fmt", "table"]
    assert searcher.commands.search.main([*argv, "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    chances = [one["probability"] for one in hits]
    assert chances == sorted(chances, reverse=True)
    assert {one["term"] for one in hits[:30]} == {"im", "haus"}
    assert all(one["score"] == one["probability"] for one in hits)
    assert {one["decision"] for one in hits} == {one["threshold"] for one in hits} == {None}
    assert searcher.commands.search.main([*argv, "--json", "--decide"]) == 0
    decided = json.loads(capsys.readouterr().out)
    assert [one["probability"] for one in decided] == chances
    assert all((one["decision"] == "YES") == (one["score"] >= 0.5) for one in decided)
    assert searcher.commands.search.main(table) == 0
    out = capsys.readouterr().out
    assert "probability" in out
    assert not re.search(r"\b(YES|NO|score|decision)\b", out)
    for more in (["--decide"], ["--beta", "10"]):
        assert searcher.commands.search.main([*table, *more]) == 0
        out = capsys.readouterr().out
        assert re.search(r"\bYES\b", out)
        assert re.search(r"probability +score +decision", out)


def test_wildcards_are_explained(german, store, tmp_path, capsys):
    argv = ["--store", str(store)]
    assert searcher.commands.search.main([*argv, "bran*", "im bran*", "--fmt", "table"]) == 0
    printed = capsys.readouterr()
    assert "bran*: 5 words of the index: brandenburg, brand, " in printed.err
    assert "bran* as brandenburgischen" in printed.out
    assert searcher.commands.search.main([*argv, "im bran*", "--json"]) == 0
    hit = json.loads(capsys.readouterr().out)[0]
    assert (hit["method"], hit["searched"]) == ("wildcard", "im brandenburgischen")
    assert hit["how"] == "bran* as brandenburgischen"
    assert searcher.commands.search.main([*argv, "xyz*"]) == 1
    assert "xyz*: no word of the index fits" in capsys.readouterr().err
    assert searcher.commands.search.main([*argv, "bran* quatschwort"]) == 1
    assert "quatschwort; a term with * is looked up only as written" in capsys.readouterr().err
    few = tmp_path / "few.toml"
    few.write_text("[search]\nwildcard_words = 2\n")
    assert searcher.commands.search.main([*argv, "bran*", "--config", str(few)]) == 0
    line = "5 words of the index, of which the 2 most frequent are searched"
    assert line in capsys.readouterr().err
    lists = tmp_path / "terms.xml"
    lists.write_text((german / "terms.xml").read_text().replace(">dort<", ">dort*<"))
    batch = ["--terms", str(lists), "--ecf", str(german / "ecf.xml"), "--config", PLAIN]
    assert searcher.commands.search.main([*argv, *batch, "--output", str(tmp_path / "h.xml")]) == 0
    assert "1 term with a *, which a list does not expand: looked up" in capsys.readouterr().err


def test_a_batch_that_finds_nothing_is_done(german, store, tmp_path):
    lists = tmp_path / "terms.xml"
    lists.write_text(
        re.sub(r"<termtext>[^<]*<", "<termtext>xyzzy<", (german / "terms.xml").read_text())
    )
    batch = ["--terms", str(lists), "--ecf", str(german / "ecf.xml"), "--config", PLAIN]
    assert (
        searcher.commands.search.main(
            ["--store", str(store), *batch, "--output", str(tmp_path / "h")]
        )
        == 0
    )


def test_deleting_a_recording(german, tmp_path, capsys):
    path = str(tmp_path / "i")
    assert indexer.cli.main([str(german / "mesh"), "--store", path, "--quiet"]) == 0
    assert std_store(["delete", path, "KERSTIN_00"]) == 0
    assert searcher.commands.search.main(["--store", path, "landkreis", "--json"]) == 0
    files = {hit["file"] for hit in json.loads(capsys.readouterr().out)}
    assert "KERSTIN_00" not in files
    assert std_store(["delete", path, "KERSTIN_00"]) == 2
    assert "expected the name of an indexed audio file" in capsys.readouterr().err


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
    german, store, tmp_path, capsys, command, line, message
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
        word.format(store=store, tmp=tmp_path, german=german, empty=" ") for word in line.split()
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


def test_keep_going_indexes_what_can_be_read(german, tmp_path, capsys):
    bad = tmp_path / "bad.mesh"
    bad.write_text("name u\nnumaligns 1\n")
    argv = [str(bad), str(german / "mesh"), "--store", str(tmp_path / "i"), "--json"]
    assert indexer.cli.main([*argv, "--keep-going"]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["files"] == 15
    assert "bad.mesh" in printed.err


def test_the_same_utterance_in_two_files_is_refused(german, tmp_path, capsys):
    copy = tmp_path / "KERSTIN_00.mesh"
    copy.write_bytes((german / "mesh" / "KERSTIN_00.mesh").read_bytes())
    argv = [str(copy), str(german / "mesh"), "--store", str(tmp_path / "i")]
    assert indexer.cli.main(argv) == 2
    assert "expected a recording of another name than that of" in capsys.readouterr().err


def test_terms_that_cannot_be_found_are_named(german, store, tmp_path, capsys):
    path = tmp_path / "terms.xml"
    text = (german / "terms.xml").read_text()
    text = text.replace(">dort<", ">...<").replace(">kampf<", f">{'donau' * 99}<")
    path.write_text(text)
    argv = ["--store", str(store), "--terms", str(path), "--ecf", str(german / "ecf.xml")]
    assert searcher.commands.search.main([*argv, "--output", str(tmp_path / "h.xml")]) == 0
    warnings = capsys.readouterr().err
    assert "1 term without a letter or a digit: nothing can be found (GE-0001 '...'" in warnings
    assert "1 term with a word of more than" in warnings


def test_a_person_can_ask_why(store, tmp_path):
    path = tmp_path / "why.jsonl"
    assert (
        searcher.commands.search.main(["--store", str(store), "landkreis", "--explain", str(path)])
        == 0
    )
    assert json.loads(path.read_text().splitlines()[0])["term"] == "landkreis"


def test_a_hit_behind_another_word_says_so(store, capsys):
    assert searcher.commands.search.main(["--store", str(store), "haus", "--fmt", "table"]) == 0
    assert "an alternative to 'aus'" in capsys.readouterr().out


def test_a_full_disk_behind_stdout_is_one_line(store):
    command = [
        sys.executable,
        "-m",
        "searcher.commands.search",
        "--store",
        str(store),
        "landkreis",
        "--json",
    ]
    with open("/dev/full", "w") as full:  # noqa: PTH123  # a device
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "std-search: No space left on device\n"


def test_recordings_that_the_ecf_does_not_have_are_named(german, tmp_path, capsys):
    ecf = tmp_path / "ecf.xml"
    text = (german / "ecf.xml").read_text()
    ecf.write_text(text.replace('"KERSTIN_03" channel="1"', '"KERSTIN_03" channel="2"'))
    argv = [str(german / "mesh"), "--store", str(tmp_path / "i"), "--ecf", str(ecf)]
    assert indexer.cli.main(argv) == 0
    assert "1 recording not in" in capsys.readouterr().err


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
def test_networks_and_known_words_need_no_compiled_kernels(command, store, tmp_path):
    (tmp_path / "news.ctm").write_text("news 1 0.5 0.4 haus 0.9\n")
    module, given = {
        "index": ("indexer.cli", [str(tmp_path / "news.ctm"), "--store", str(tmp_path / "index")]),
        "search": ("searcher.commands.search", ["--store", str(store), "haus", "--limit", "1"]),
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
