"""Arguments and results of `std-score` on the sets of the reference program."""

import csv
import json
from pathlib import Path

from scoring.cli import main

NIST = Path(__file__).parents[1] / "data" / "nist"


def arguments(name, **replaced):
    folder = NIST / name
    files = {
        "hits": folder / "kwslist.xml.gz",
        "ecf": folder / "ecf.xml",
        "rttm": folder / "ref.rttm.gz",
        "terms": folder / "kwlist.xml",
    } | replaced
    options = [f"--{key}={value}" for key, value in files.items() if key != "hits"]
    return [str(files["hits"]), *options]


def table(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def scored(capsys, *extra):
    assert main([*arguments("s9"), "--json", "--quiet", *extra]) == 0
    return json.loads(capsys.readouterr().out)
