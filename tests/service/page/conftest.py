"""A served page, opened in Chromium as a person would use it.

A message on the console, an error or a request to another host fails a test.
"""

from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

WAIT_MS = 120_000


@pytest.fixture(scope="package")
def marks(tmp_path_factory):
    return tmp_path_factory.mktemp("marks") / "marks.jsonl"


@pytest.fixture(scope="package")
def served(serve, german_settings, marks):
    with serve(replace(german_settings, feedback=marks)) as client:
        client("/api/search", term="hahnenfedern")  # kernels are ready
        yield client


@pytest.fixture
def opened(browser):
    """Open a page; whatever the browser complains of fails the test."""
    contexts, complaints = [], []

    def open_page(client, path="/", **options):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        context.set_default_timeout(WAIT_MS)
        contexts.append(context)
        page = context.new_page()
        host = urlsplit(client.url).netloc

        def asked(url):
            if urlsplit(url).netloc != host and not url.startswith(f"blob:{client.url}"):
                complaints.append(url)

        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked(request.url))
        page.goto(client.url + path)
        return page

    def close():
        while contexts:
            contexts.pop().close()

    open_page.complaints, open_page.close = complaints, close
    yield open_page
    close()
    assert not complaints


@pytest.fixture
def serve_pages(serve, opened):
    """Serve settings until the pages are closed: one that asks a stopped service complains."""

    @contextmanager
    def served_until_closed(settings):
        with serve(settings) as client:
            yield client
            opened.close()

    return served_until_closed
