"""std-demo: what a stranger sees first."""

import socket
from pathlib import Path

import pytest

from spoken_terms import demo

ROOT = Path(__file__).parents[2]


def test_every_step_runs(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert demo.main([]) == 0
    out, err = capfd.readouterr()
    assert "whittemore  kathleen  0:07.2" in out
    assert "ATWV" in out
    commands = [line for line in err.splitlines() if line.startswith("$ ")]
    names = ["std-index", "std-search", "std-search", "std-score", "std-serve"]
    assert [line.split()[1] for line in commands if "pip" not in line] == names
    assert (tmp_path / "std-demo" / "hits.xml").is_file()
    assert demo.main(["--no-page"]) == 0  # again


def test_a_step_that_fails_ends_it(tmp_path, capfd):
    (tmp_path / "index").write_text("no index")
    assert demo.main([str(tmp_path)]) == 2
    assert capfd.readouterr().err.count("\n$ ") == 1


def test_the_sample_is_small_and_in_the_wheel():
    sample = ROOT / "examples" / "english"
    assert sum((sample / name).stat().st_size for name in demo.FILES) < 1_000_000
    assert '"spoken_terms/sample"' in (ROOT / "hatch_build.py").read_text()


def test_no_sample(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(demo, "SAMPLES", (tmp_path / "none",))
    assert demo.main([str(tmp_path / "demo")]) == 2
    assert "expected the sample in" in capfd.readouterr().err


def test_the_page_opens_where_somebody_sees_it(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(demo.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(demo, "is_installed", lambda module: True)
    monkeypatch.setattr(demo, "STARTING_S", 0.1)
    monkeypatch.setattr(demo.webbrowser, "open", lambda address: asked.append(address))
    monkeypatch.setattr(demo, "step", lambda what, words: asked.append(words) or 0)
    monkeypatch.setattr(demo, "ASK_S", 0.01)
    assert demo.listen(tmp_path, str(tmp_path / "index"), page=True) == 0
    for _ in range(100):
        if len(asked) == 2:
            break
        demo.threading.Event().wait(0.05)
    words = next(one for one in asked if isinstance(one, list))
    port = words[words.index("--port") + 1]
    assert f"http://127.0.0.1:{port}/?term=whittemore" in asked


def test_the_page_opens_when_it_answers(monkeypatch):
    asked = []
    monkeypatch.setattr(demo.webbrowser, "open", lambda address: asked.append(listening.is_set()))
    monkeypatch.setattr(demo, "ASK_S", 0.01)
    listening, port = demo.threading.Event(), demo.free_port()
    shown = demo.threading.Thread(target=demo.show, args=("address", port))
    shown.start()
    shown.join(0.05)
    with socket.create_server(("127.0.0.1", port)):
        listening.set()
        shown.join(10)
    assert asked == [True]


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help(option, capsys):
    with pytest.raises(SystemExit) as end:
        demo.main([option])
    assert end.value.code == 0
    assert "std-demo" in capsys.readouterr().out
