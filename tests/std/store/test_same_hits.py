"""An index made in one store searches identically in the others, from command to hit list."""

import json
import re
import uuid
from pathlib import Path

import pytest

from indexer.cli import main as index
from searcher.commands.search import main as search

TIMES = re.compile(r' (?:term_)?(?:search|index(?:ing)?)_(?:time|size)="[^"]*"')


def hit_list(url: str, german: Path, output: Path) -> str:
    """What a search of real speech finds; how long it took and how big the index is left out."""
    meshes = sorted(map(str, (german / "mesh").iterdir()))[:6]
    assert index([*meshes, "--store", url, "--quiet", "--jobs", "1"]) == 0
    terms, ecf = str(german / "terms.xml"), str(german / "ecf.xml")
    query = ["--store", url, "--terms", terms, "--ecf", ecf, "--output", str(output)]
    assert search([*query, "--quiet", "--jobs", "1"]) == 0
    return TIMES.sub("", output.read_text("utf-8"))


@pytest.fixture(scope="module")
def expected(german, tmp_path_factory):
    """From columns in memory."""
    output = tmp_path_factory.mktemp("memory") / "hits.xml"
    found = hit_list(f"memory:{uuid.uuid4().hex}", german, output)
    assert found.count("<term ") > 50
    return found


def test_folder(expected, german, tmp_path):
    assert hit_list(str(tmp_path / "index"), german, tmp_path / "hits.xml") == expected


@pytest.mark.couchdb
def test_couchdb(expected, german, couchdb_url, tmp_path, capsys):
    output = tmp_path / "hits.xml"
    assert hit_list(couchdb_url, german, output) == expected
    capsys.readouterr()
    terms, ecf = str(german / "terms.xml"), str(german / "ecf.xml")
    query = ["--store", couchdb_url, "--terms", terms, "--ecf", ecf, "--output", str(output)]
    assert search([*query, "--json", "--quiet", "--jobs", "1"]) == 0
    # 265 terms: the manifest, the vocabulary, postings, slots, sounds; never one for each term
    assert 3 <= json.loads(capsys.readouterr().out)["round_trips"] <= 20
