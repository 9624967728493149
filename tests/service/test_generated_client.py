"""The API by a client that openapi-python-client generated from its OpenAPI document.

Each answer is read by the generated code into typed values: what the document promises and an
answer lacks is an error here. `test_fuzz` sends what the document does not promise.
"""

import importlib
import json
import os
import subprocess
import sys

import pytest

pytest.importorskip(
    "openapi_python_client",
    reason="openapi-python-client is missing: no client is generated; pip install '.[test]'",
)
pytest.importorskip("httpx", reason="httpx is missing: the generated client needs it")
MOST_S = 120
PACKAGE = "generated_std_client"


@pytest.fixture(scope="module")
def generated(client, tmp_path_factory):
    """Modules of the generated package, by name."""
    folder = tmp_path_factory.mktemp("generated")
    document = client("/api/openapi.json").json
    (folder / "openapi.json").write_text(json.dumps(document))
    (folder / "config.yaml").write_text("post_hooks: []\n")
    command = [
        *(sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"),
        *("--path", "openapi.json", "--config", "config.yaml", "--output-path", PACKAGE),
    ]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=MOST_S,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield lambda name: importlib.import_module(f"{PACKAGE}.{name}")
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def call(client, generated):
    """Call an operation: what the generated code makes of the answer."""
    made = generated("client").Client(base_url=client.url, timeout=60.0)

    def operation(name, *path, status=200, **parameters):
        answer = generated(f"api.{name}").sync_detailed(*path, client=made, **parameters)
        assert answer.status_code == status, answer.content
        return answer

    yield operation
    made.get_httpx_client().close()


def test_every_operation_is_generated(client, generated):
    document = client("/api/openapi.json").json
    names = [
        (operation["tags"][0], operation["operationId"])
        for methods in document["paths"].values()
        for operation in methods.values()
    ]
    assert len({name for _, name in names}) == len(names) >= 19
    for tag, name in names:
        assert callable(generated(f"api.{tag}.{name}").sync_detailed)


def test_hits_are_typed_values(client, call):
    found = call("search.search", term=["hahnenfedern", "und"], min_probability=0.2, limit=7).parsed
    raw = client("/api/search", term=["hahnenfedern", "und"], min_probability=0.2, limit=7).json
    assert found.to_dict() | {"elapsed_ms": 0} == raw | {"elapsed_ms": 0}
    assert found.total == raw["total"] > 7
    assert found.expected.from_ == 0.5
    assert 0 < found.expected.right <= found.expected.hits <= found.by_probability.counts[50]
    following = call("search.search", term=["und"], cursor=found.next_cursor).parsed
    assert following.hits
    hit = found.hits[0]
    assert hit.probability >= found.hits[-1].probability >= 0.2
    words = call("recordings.recording_words", hit.recording_id, from_=hit.start_s - 1,
                 to=hit.start_s + 2).parsed  # fmt: skip
    assert any(one.alternatives for one in words.words)


def test_marks_by_the_client(generated, call):
    hit = call("search.search", term=["hahnenfedern"]).parsed.hits[0]
    models = generated("models")
    place = {
        "term": hit.term, "recording": hit.recording_id, "start": hit.start_s,
        "end": round(hit.start_s + hit.duration_s, 3),
    }  # fmt: skip
    kept = call("feedback.mark", body=models.MarkPut(**place, right=True)).parsed
    assert (kept.right, kept.marked.right) == (True, 1)
    assert [one.term for one in call("feedback.marks").parsed] == [hit.term]
    assert call("search.search", term=["hahnenfedern"]).parsed.hits[0].right is True
    assert call("feedback.unmark", body=models.MarkRequest(**place)).parsed.right is None
    assert call("feedback.marks").parsed == []
    newest, first = call("feedback.mark_history", term=hit.term).parsed.changes
    assert [newest.right, newest.before, first.right] == [None, True, True]
    assert call("feedback.undo_mark", change=newest.id).parsed.right is True
    call("feedback.unmark", body=models.MarkRequest(**place))


def test_term_lists_by_the_client(generated, call):
    wanted = generated("models").TermListDocument(["polizei gewalt", "hahnenfedern"], 0.1)
    found = call("search.searches", body=wanted).parsed
    assert found.summary.terms == 2
    assert found.summary.detections == len(found.hits) > 0
    assert found.summary.expected.from_ == 0.5
    assert 0 < found.summary.expected.right <= found.summary.expected.hits <= len(found.hits)
    assert {hit.term_id for hit in found.hits} <= {"TERM-1", "TERM-2"}


def test_the_rest_of_the_operations(generated, call):
    recordings = call("recordings.recordings", limit=3).parsed
    assert len(recordings.recordings) == 3 < recordings.total
    one = recordings.recordings[0].id
    assert call("recordings.recording", one).parsed.id == one
    assert call("audio.peaks", one).parsed.duration_s > 60
    assert call("audio.spectrogram", one, from_=1.0, to=2.0).content.startswith(b"\x89PNG")
    assert call("audio.clips", one, from_=1.0, to=2.0).content.startswith(b"OggS")
    assert call("audio.audio", one).content.startswith(b"OggS")
    assert call("search.words", text="polizei").parsed.words
    csv = generated("models").ExportFormat.CSV
    assert json.loads(call("search.query", term="hahnenfedern").content)["variants"]
    assert call("export.export", format_=csv, term=["und"]).content.startswith(b"term,")
    assert call("alerts.alerts").parsed.hits == []
    assert call("operation.healthz").parsed.recordings == recordings.total
    assert b"# EOF" in call("operation.metrics").content
    assert call("operation.tickets", one).parsed.ticket == ""


def test_problems_are_typed_values(call, generated):
    made = generated("models")
    answer = call("recordings.recording", "no such", status=404)
    assert isinstance(answer.parsed, made.Problem)
    assert "no recording has the id" in answer.parsed.detail
