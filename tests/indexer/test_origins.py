"""An input replaces what it brought before, and nothing else; names say what belongs together."""

import json
import os
from pathlib import Path

import pytest

import indexer.cli
from indexer.inputs import Input, input_files
from indexer.origins import origins
from indexer.segments.invert import invert
from indexer.shards import audio_files
from std.store import open_store

WHISPER = {"segments": [{"start": 0.0, "end": 1.0, "text": " Das Haus."}], "language": "de"}


def azure(source):
    phrase = {"channel": 0, "locale": "de-DE", "offsetInTicks": 0, "durationInTicks": 10**7,
              "nBest": [{"confidence": 0.9, "lexical": "das haus"}]}  # fmt: skip
    return {"source": source, "recognizedPhrases": [phrase]}


def aws(job):
    item = {"type": "pronunciation", "start_time": "0.0", "end_time": "0.5",
            "alternatives": [{"content": "Das", "confidence": "0.9"}]}  # fmt: skip
    return {"jobName": job, "results": {"items": [item]}}


@pytest.fixture
def there(tmp_path, monkeypatch):
    """Stand in a folder; write JSON files there."""
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, value in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(value))

    return write


def index(*argv):
    return indexer.cli.main([*map(str, argv), "--store", "index", "--quiet"])


def indexed():
    store = open_store("index")
    return {file: sorted(map(os.path.basename, some)) for file, some in origins([store]).items()}


def said(capsys):
    """The one line."""
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_two_inputs_of_one_name_are_refused_in_one_run(there, capsys):
    there(job1__transcription=WHISPER, job2__transcription=WHISPER)
    assert index("job1", "job2") == 2
    assert said(capsys) == (
        "std-index: job2/transcription.json: expected a recording of another name than that of "
        "job1/transcription.json, got 'transcription'; --name-by path names recordings after "
        "their paths"
    )
    assert audio_files(open_store("index", create=True)) == set()


def test_two_inputs_of_one_name_are_refused_in_two_runs(there, capsys):
    there(job1__transcription=WHISPER, job2__transcription=WHISPER)
    assert index("job1") == 0
    assert index("job2/transcription.json") == 2
    line = said(capsys)
    assert f"than what the index has from {Path.cwd()}/job1/transcription.json, got" in line
    assert "--name-by path" in line
    assert "--replace transcription" in line
    assert index("job2", "--replace", "transcription") == 0
    store = open_store("index")
    assert origins([store]) == {"transcription": {f"{Path.cwd()}/job2/transcription.json"}}


def test_the_others_are_indexed_where_one_is_refused(there, capsys):
    there(job1__a=WHISPER, job2__a=WHISPER, job2__b=WHISPER)
    assert index("job1", "job2", "--keep-going") == 2
    assert "job2/a.json" in said(capsys)
    assert indexed() == {"a": ["a.json"], "b": ["b.json"]}


def test_the_same_input_replaces_however_its_path_is_written(there, tmp_path):
    there(job1__a=WHISPER)
    (tmp_path / "link").symlink_to("job1")
    for path in ("job1/a.json", tmp_path / "job1" / "a.json", "job1/../job1", "link/a.json"):
        assert index(path) == 0
        assert indexed() == {"a": ["a.json"]}


def test_paths_name_recordings(there, capsys):
    there(job1__transcription=WHISPER, job2__transcription=WHISPER)
    assert index("job1", "job2/transcription.json", "--name-by", "path") == 0
    assert indexed().keys() == {"job1_transcription", "job2_transcription"}
    assert index("./job1", "--name-by", "path") == 0
    assert indexed().keys() == {"job1_transcription", "job2_transcription"}
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("jobs", [1, 2])
def test_names_are_the_same_in_every_process(there, monkeypatch, jobs):
    monkeypatch.setattr("indexer.build.MIN_POOL_BYTES", 0)
    there(a__x=WHISPER, b__x=WHISPER, c__x=WHISPER)
    assert index("a", "b", "c", "--name-by", "path", "--jobs", jobs) == 0
    assert indexed() == {"a_x": ["x.json"], "b_x": ["x.json"], "c_x": ["x.json"]}


def test_content_names_recordings(there):
    there(
        job1__contenturl_0=azure("https://x.example/calls/Anruf%201.wav?sv=2020-08-04&sig=s%3D"),
        job2__contenturl_0=azure("C:\\calls\\two.mp3"),
        job3__asrOutput=aws("three"),
    )
    assert index("job1", "job2", "job3") == 0
    assert indexed().keys() == {"Anruf 1", "two", "three"}


def test_the_option_overrules_the_content(there, capsys):
    there(job__contenturl_0=azure("x/a.wav"), job__w=WHISPER)
    assert index("job", "--name-by", "path") == 0
    assert indexed().keys() == {"job_contenturl_0", "job_w"}
    assert index("job", "--name-by", "stem", "--replace", *indexed()) == 0
    assert indexed().keys() == {"contenturl_0", "w"}
    assert index("job/contenturl_0.json", "--name-by", "content") == 0
    assert indexed().keys() == {"a", "contenturl_0", "w"}
    assert "contenturl_0: stays in the index" in said(capsys)
    assert index("job", "--name-by", "content") == 2
    assert "w.json: expected content that names its recording" in said(capsys)


def test_lines_of_jsonl_name_their_recordings(there, tmp_path, capsys):
    slots = [{"w": [["das", 0.9]]}]
    for name in ("one", "two"):
        line = {"utt": name, "file": "news", "start": 0, "end": 1, "slots": slots}
        line |= {"language": "de"}  # one word leaves it in doubt, which is a warning
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line))
    assert index("one.jsonl", "two.jsonl", "--name-by", "content") == 0
    assert indexed() == {"news": ["one.jsonl", "two.jsonl"]}
    assert capsys.readouterr().err == ""
    assert index("two.jsonl") == 0
    assert "news: what the index had of it from" in said(capsys)
    assert indexed() == {"news": ["two.jsonl"]}
    (tmp_path / "three.jsonl").write_text(json.dumps({"utt": "u", "slots": slots}))
    assert index("three.jsonl", "--name-by", "content") == 2
    assert "expected text as file" in said(capsys)


def test_an_older_index_says_nothing_of_inputs(there, tmp_path, network):
    there(news=WHISPER)
    store = open_store("index", create=True)
    with store.writing():
        from std.config import Config

        store.commit([invert([network([("a", 0.5)])])], normalisation=Config().text)
    path = tmp_path / "index" / "manifest.json"
    document = json.loads(path.read_text())
    for segment in document["segments"]:
        segment["recordings"] = [row[:5] for row in segment["recordings"]]
    document["version"] = 2
    from std.store.manifest import digest_of

    del document["digest"]
    path.write_text(json.dumps(document | {"digest": digest_of(document)}))
    assert list(store.damage()) == []
    assert origins([store]) == {"news": set()}
    assert index("news.json") == 0
    assert indexed() == {"news": ["news.json"]}


def test_a_segment_is_the_same_speech_wherever_it_was_read_from(network):
    """The id of a segment that was indexed before recordings knew their inputs."""
    some = [network([("das", 0.9)], [("haus", 0.5)])]
    columns = invert([*some, network([("ja", 1.0)], file="Bär's", utterance="u2")])
    assert columns.digest().startswith("c2b37c2913d6c421cda12987957b9758")


def test_a_file_given_twice_is_read_once(there):
    there(a__x=WHISPER)
    files = input_files([Path("a"), Path("a/x.json")]).files
    assert files == (Input(Path("a/x.json")),)
    assert index("a", "a/x.json", "./a/x.json") == 0


def test_an_input_without_a_word_is_named(there, capsys):
    there(silent={"segments": [], "language": "de"}, w=WHISPER)
    assert index("silent.json", "w.json") == 0
    assert said(capsys) == "std-index: warning: silent.json: no word in it"


def test_not_every_silent_file_is_named(there, capsys):
    there(**{f"in__s{i}": {"segments": [], "language": "de"} for i in range(25)})
    assert index("in") == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "std-index: warning: 5 more files without a word (--verbose names them)"
    assert index("in", "--verbose") == 0
    assert len(capsys.readouterr().err.splitlines()) == 25


def test_advice_that_was_taken_is_not_given_again(there, tmp_path, capsys):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.ctm").write_text("news 1 0.0 0.5 das\n")
    assert index("a", "--name-by", "path", "--language", "de") == 0
    assert index("b", "--name-by", "path") == 2
    line = said(capsys)
    assert "--name-by" not in line
    assert "; std-index --replace news puts the new input in its place" in line
    assert "relink" not in line  # it is there
    (tmp_path / "a" / "x.ctm").unlink()
    assert index("b", "--name-by", "path") == 2
    assert "; std-store relink stores the new paths of moved inputs; " in said(capsys)


def test_what_an_input_that_cannot_be_read_had_of_a_recording_is_told(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.ctm").write_text("call 1 0.0 0.5 das\n")
    (tmp_path / "in" / "b.ctm").write_text("call 2 0.0 0.5 das\n")
    argv = [str(tmp_path / "in"), "--store", str(tmp_path / "index"), "--language", "de"]
    assert indexer.cli.main(argv) == 0
    (tmp_path / "in" / "b.ctm").write_text("call 2 x 0.5 das\n")
    capsys.readouterr()
    assert indexer.cli.main([*argv, "--keep-going"]) == 2
    assert f"call: what the index had of it from {tmp_path / 'in' / 'b.ctm'} is gone" in (
        capsys.readouterr().err
    )


def test_doubts_are_one_line_each(there, capsys):
    there(**{f"in__s{i}": WHISPER for i in range(3)})
    assert index("in") == 0
    assert index("in", "--name-by", "path") == 0
    assert "warning: s0 and 2 more: stays in the index" in said(capsys)
