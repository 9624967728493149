"""Parameters of an address are read and described as FastAPI does it, one by one."""

from typing import Annotated

import pytest
from fastapi import FastAPI, Query
from fastapi.testclient import TestClient
from starlette.requests import Request

from service.api.requests import described, parameters
from service.api.search import SearchParameters
from service.problems import ProblemError, add_handlers

app = FastAPI()
add_handlers(app)


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
        "term=gr%C3%BC%C3%9Fe+aus&term=",
    ],
)
def test_they_are_read_alike(query):
    assert read(query).model_dump() == TestClient(app).get(f"/?{query}").json()


@pytest.mark.parametrize(
    "query",
    [
        "",
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
