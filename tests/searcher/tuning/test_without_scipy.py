"""std-tune without the extra `tune`."""

import sys

from searcher.commands.tune import main


def test_one_line_names_the_extra_before_anything_is_read(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    files = [f"--{name}={tmp_path / name}" for name in ("store", "ecf", "rttm", "terms", "output")]
    assert main(files) == 2
    told = capsys.readouterr().err
    assert told.startswith(
        "std-tune: expected the extra 'tune' (pip install 'spoken-terms[tune]'), got: "
    )
    assert told.count("\n") == 1
