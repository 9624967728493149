"""Small evaluations, and pages taken apart."""

import json
from functools import lru_cache
from html.parser import HTMLParser

import numpy as np

from scoring.report.html_report import render
from std.values import (
    ECF,
    Detections,
    Excerpt,
    Lexemes,
    Recording,
    STDList,
    Term,
    TermList,
    TermSearch,
)
from tests.scoring.nist_sets import evaluated

VOID = {"meta", "link", "input", "img", "br"}


def small(hits=(), words=("alpha", "beta", "alpha"), terms=("alpha", "beta"), file="news"):
    """Words of 1 s at 10, 20, 30, ... s of 1000 s; hits are (term, start_s, score, yes)."""
    where = Recording(file, 1)
    n, index = len(words), {term: i for i, term in enumerate(terms)}
    lexemes = Lexemes(
        *((where,), ("speaker",), np.zeros(n, np.int32), np.zeros(n, np.int32)),
        *(np.arange(1, n + 1) * 10.0, np.ones(n), tuple(words), ("lex",) * n),
    )
    term_list = TermList(tuple(Term(f"T-{i}", term) for i, term in enumerate(terms)))
    table = tuple(one.term_id for one in term_list.terms)
    rows = [(index[term], start_s, score, yes) for term, start_s, score, yes in hits]
    term, start_s, score, yes = zip(*rows, strict=True) if rows else ((), (), (), ())
    found = Detections(
        *(table, (where,), np.array(term, np.int32), np.zeros(len(rows), np.int32)),
        *(np.array(start_s, float), np.full(len(rows), 1.0)),
        *(np.array(score, float), np.array(yes, bool)),
    )
    searches = tuple(TermSearch() for _ in table)
    return (
        ECF((Excerpt(where, 0, 1000),)),
        lexemes,
        term_list,
        STDList(found, searches, system_id="small"),
    )


HITS = (
    ("alpha", 10.1, 0.9, True),  # correct
    ("alpha", 10.3, 0.4, True),  # a second detection of the same
    ("alpha", 30.0, 0.3, False),  # decided NO
    ("beta", 50.0, 0.8, True),  # 29 s after the occurrence
)


class Page(HTMLParser):
    """Elements with their attributes, and the text of each script."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.open = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += text

    @property
    def numbers(self):
        return json.loads(self.scripts[0])

    def attributes(self, name):
        return [attributes[name] for _, attributes in self.elements if name in attributes]


@lru_cache
def page(name):
    return Page(render([evaluated(name)]))
