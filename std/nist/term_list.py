"""Term lists: the queries of a search. Two dialects, told apart by the root element.

    2006: <termlist>  <term termid>  <termtext>  <terminfo>  <attr> <name> <value>
    2013: <kwlist>    <kw kwid>      <kwtext>    <kwinfo>    <attr> <name> <value>

Entities are decoded: ``A&amp;T`` is the term ``A&T``.
"""

import codecs
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from std.errors import NONE
from std.nist.xml import CHINESE, Attributes, Reader, declaration, encoded, escape, feed
from std.values import Term, TermList

Dialect = Literal["std2006", "kws2013"]


class TermListTags(NamedTuple):
    """The names of a dialect."""

    root: str
    term: str
    term_id: str
    text: str
    attributes: str


TERM_LIST_TAGS: dict[Dialect, TermListTags] = {
    "std2006": TermListTags("termlist", "term", "termid", "termtext", "terminfo"),
    "kws2013": TermListTags("kwlist", "kw", "kwid", "kwtext", "kwinfo"),
}
TERM_LIST_DIALECTS: dict[str, Dialect] = {tags.root: name for name, tags in TERM_LIST_TAGS.items()}
COMPARE_NORMALIZE = ("lowercase", "")


class _Reader(Reader):
    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.tags = TERM_LIST_TAGS["kws2013"]  # until the root element is read
        self.parents: list[str] = []
        self.text: list[str] = []
        self.terms: dict[str, Term] = {}
        self.term_id, self.term_text, self.name, self.value = "", "", "", ""
        self.attributes: dict[str, str] = {}
        self.header: dict[str, str] = {}

    def start(self, tag: str, attributes: Attributes) -> None:
        if not self.parents:
            self.root(tag, attributes)
        else:
            tags, parent = self.tags, self.parents[-1]
            expected = {
                tags.root: (tags.term,),
                tags.term: (tags.text, tags.attributes),
                tags.attributes: ("attr",),
                "attr": ("name", "value"),
            }.get(parent, ())
            if tag not in expected:
                wanted = " or ".join(f"<{name}>" for name in expected) or "text only"
                self.fail(f"{wanted} in <{parent}>", f"<{tag}>")
            if tag == tags.term:
                self.term_id = self.required(attributes, tags.term_id).strip()
                self.term_text, self.attributes = "", {}
                if not self.term_id:
                    self.fail(f"a {tags.term_id}", "")
                if self.term_id in self.terms:
                    self.fail(f"every {tags.term_id} once", self.term_id)
            elif tag == "attr":
                self.name, self.value = "", ""
        self.parents.append(tag)
        self.text.clear()

    def root(self, tag: str, attributes: Attributes) -> None:
        if tag not in TERM_LIST_DIALECTS:
            self.fail("a <termlist> or a <kwlist>", f"<{tag}>")
        self.tags = TERM_LIST_TAGS[TERM_LIST_DIALECTS[tag]]
        names = ("ecf_filename", "language", "version", "encoding", "compareNormalize")
        self.header = {name: value for name in names if (value := attributes.get(name)) is not None}
        compare = self.header.get("compareNormalize", "lowercase")
        if compare not in COMPARE_NORMALIZE:
            self.fail('compareNormalize as "lowercase" or ""', compare)
        encoding = self.header.setdefault("encoding", "UTF-8")
        if encoding.lower() not in CHINESE:
            try:
                codecs.lookup(encoding)
            except LookupError:
                self.fail("encoding as UTF-8, GB2312 or ASCII", encoding)

    def data(self, text: str) -> None:
        self.text.append(text)

    def end(self, tag: str) -> None:
        self.parents.pop()
        text = " ".join("".join(self.text).split())
        self.text.clear()
        tags = self.tags
        if tag == tags.text:
            self.term_text = text
        elif tag == "name":
            self.name = text
        elif tag == "value":
            self.value = text
        elif tag == "attr":
            if not self.name:
                self.fail("a <name> in <attr>", NONE)
            self.attributes[self.name] = self.value
        elif tag == tags.term:
            if not self.term_text:
                self.fail(f"words in <{tags.text}> of {self.term_id}", "")
            self.terms[self.term_id] = Term(self.term_id, self.term_text, self.attributes)


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> TermList:
    """Read a term list of either dialect.

    Raises:
        InputError: not well formed, another document, an unknown element, an id twice,
            a term without words, no term at all.
    """
    reader = _Reader(path)
    feed(stream, reader)
    if not reader.terms:
        reader.fail("at least one term", NONE)
    header = reader.header
    return TermList(
        tuple(reader.terms.values()),
        ecf_filename=header.get("ecf_filename", ""),
        language=header.get("language", ""),
        version=header.get("version", ""),
        encoding=header["encoding"],
        compare_normalize=header.get("compareNormalize", "lowercase"),
    )


def dump(terms: TermList, stream: BinaryIO, dialect: Dialect = "kws2013") -> None:
    """Write a term list, in the encoding that it names."""
    tags = TERM_LIST_TAGS[dialect]
    root, term_tag, text_tag, group_tag = tags.root, tags.term, tags.text, tags.attributes
    encoding = "GB2312" if terms.encoding.lower() == "gb2312-raw" else terms.encoding
    lines = [
        declaration("GBK" if encoding.lower() in CHINESE else encoding),
        f'<{root} ecf_filename="{escape(terms.ecf_filename)}" '
        f'language="{escape(terms.language)}" encoding="{escape(terms.encoding)}" '
        f'compareNormalize="{terms.compare_normalize}" version="{escape(terms.version)}">\n',
    ]
    for term in terms.terms:
        lines.append(f'  <{term_tag} {tags.term_id}="{escape(term.term_id)}">\n')
        lines.append(f"    <{text_tag}>{escape(term.text)}</{text_tag}>\n")
        if term.attributes:
            pairs = "".join(
                f"<attr><name>{escape(name)}</name><value>{escape(value)}</value></attr>"
                for name, value in term.attributes.items()
            )
            lines.append(f"    <{group_tag}>{pairs}</{group_tag}>\n")
        lines.append(f"  </{term_tag}>\n")
    stream.write(encoded("".join([*lines, f"</{root}>\n"]), encoding))
