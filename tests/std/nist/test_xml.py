"""What XML of strangers can make libxml2 do: end with one line, soon and in little memory."""

import io
import tracemalloc

import pytest

from std.errors import InputError
from std.nist.xml import Reader, feed, root_name

HEAD = b"<?xml version='1.0'?>\n"
HOSTILE = {
    "levels": b"<a>" * 100_000,
    "levels on lines": b"<a>\n" * 100_000,
    "one long name": b"<" + b"a" * 60_000_000,
    "one long attribute": b"<a b='" + b"x" * 60_000_000 + b"'/>",
    "many attributes": b"<a " + b" ".join(b"b%d=''" % i for i in range(100_000)) + b"/",
    "entities": b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    "an unknown entity": b"<a>&lol;</a>",
    "a file": b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
    "no end": b"<a>" + b"x" * 1000,
    "controls": b"<a>\x00</a>",
    "half a letter": b"<a>\xc3</a>",
    "another encoding": b"\xff\xfe<\x00a\x00",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("head", [b"", HEAD])
def test_hostile_xml_is_refused(name, head):
    tracemalloc.start()
    with pytest.raises(InputError, match="expected"):
        feed(io.BytesIO(head + HOSTILE[name]), Reader("a.xml"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000_000


def test_a_head_of_many_comments_is_passed_over_at_once():
    head = b'<?xml version="1.0"?>' + b"<!-- a comment -->\n" * 2000
    assert root_name(head + b"<tt:tt>") == "tt:tt"
    assert root_name(head + b"nothing") == ""
