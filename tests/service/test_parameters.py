"""Parameters of an address are read and described as FastAPI does it, one by one."""

import shutil
from typing import Annotated

import pytest
from fastapi import FastAPI, Query
from fastapi.testclient import TestClient
from starlette.requests import Request

from indexer import index_files
from service.api.requests import described, parameters
from service.api.search import SearchParameters
from service.problems import ProblemError, add_handlers
from service.settings import Limits, Settings

app = FastAPI()
add_handlers(app, str)


@app.get("/")
def twin(asked: Annotated[SearchParameters, Query()]):
    return asked


def read(query):
    scope = {"type": "http", "query_string": query.encode(), "headers": []}
    return parameters(SearchParameters, Request(scope))


@pytest.mark.parametrize(
    "query",
    [
        "term=und",
        "term=a&term=b&recording=x&recording=y&where=a:b&channel=1&min_probability=0.5",
        "term=a&limit=3&limit=7&cursor=10&sort=time&unknown=1",
        "term=gr%C3%BC%C3%9Fe+aus",
    ],
)
def test_they_are_read_alike(query):
    assert read(query).model_dump() == TestClient(app).get(f"/?{query}").json()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "term=a&term=",
        "limit=5",
        "term=a&limit=0",
        "term=a&limit=x",
        "term=a&min_probability=2",
        "term=a&sort=z",
    ],
)
def test_they_are_refused_alike(query):
    with pytest.raises(ProblemError) as refused:
        read(query)
    answer = TestClient(app).get(f"/?{query}")
    assert (refused.value.status, refused.value.detail) == (422, answer.json()["detail"])


def test_they_are_described_alike():
    (path,) = app.openapi()["paths"].values()
    assert described(SearchParameters)["parameters"] == path["get"]["parameters"]


def test_every_operation_accepts_its_example(serve, german, tmp_path):
    """The requests of the description, in its order, each with all of its examples."""
    (tmp_path / "audio").mkdir()
    shutil.copy(german / "audio/KERSTIN_00.ogg", tmp_path / "audio")
    store = str(tmp_path / "index")
    index_files([str(german / "mesh/KERSTIN_00.mesh")], store=store, language="German")
    settings = Settings(
        (store,), audio=tmp_path / "audio", alerts=tmp_path / "terms.txt", user_header="X-User",
        frames=("*",), allow_corrections=True, allow_uploads=True, audit=tmp_path / "audit.jsonl",
        limits=Limits(free_bytes=0),
    )  # fmt: skip
    refused = {}
    with serve(settings) as client:
        document = client("/api/openapi.json").json
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                given = {
                    (one["name"], one["in"]): one["example"]
                    for one in operation.get("parameters", ())
                    if "example" in one
                }
                missing = {
                    one["name"]
                    for one in operation.get("parameters", ())
                    if one.get("required") and (one["name"], one["in"]) not in given
                }
                assert not missing, (path, missing)
                address = path.format_map({n: v for (n, w), v in given.items() if w == "path"})
                query = {n: v for (n, w), v in given.items() if w == "query"}
                body, headers = None, {"X-User": "ann"}
                if "requestBody" in operation:
                    kind, content = next(iter(operation["requestBody"]["content"].items()))
                    body, headers["Content-Type"] = content["example"], kind
                    body = body.encode() if isinstance(body, str) else body
                answer = client(address, method=method.upper(), body=body, headers=headers, **query)
                if answer.status != int(next(iter(operation["responses"]))):
                    refused[operation["operationId"]] = answer.status, answer.body[:200]
    assert not refused
